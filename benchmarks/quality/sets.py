"""The labelled sets; README.md describes their format for those who write one."""

from __future__ import annotations

import ast
import json
import os
import re
import sysconfig
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from pydantic import BaseModel, ConfigDict

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DATA = ROOT / "tests" / "quality" / "data"
SETS = ROOT / "tests" / "quality" / "sets"
PROMPTS = ROOT / "tests" / "quality" / "prompts.jsonl"
REAL = HERE / "real"
EVAL = Path(os.environ.get("EVAL") or ROOT.parent / "shared" / "eval")
"""Sets that lie beside the project, with knowledge bases in `kbs` next to them."""
KBS = EVAL.parent / "kbs"
DEMO = ROOT / "examples" / "courier"
FITTED = ("port", "newspaper")
KEPT_BACK = ("payroll", "groundstation", "vineyard", "rescue")
"""Worlds: knowledge bases with prompts of their own. Nobody reads the prompts of those kept back,
or what is shown for them: only how many are answered.
"""
_FOREIGN = HERE / "foreign" / "questions.jsonl"
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


class Record(BaseModel):
    """A part of a set."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Prompt(Record):
    """A prompt over the knowledge base `base`: any of the ids in `want` answers it.

    Where that is empty nothing does, but a line about an entity in `tolerable` is no fault. An id
    is that of a claim or an entity, or `page#Heading` for a section of a page. `before` are earlier
    prompts of the session.
    """

    kind: str
    text: str
    base: str = ""
    want: tuple[str, ...] = ()
    tolerable: tuple[str, ...] = ()
    before: tuple[str, ...] = ()


class KnowledgeBase(Record):
    """A knowledge base in one file: its records as vouch has them, and prompts over it.

    A record leaves out what it shares with most of its kind: that stands in `defaults`, and beneath
    them in `world.PLAIN`. `text` is a page's body, `content` that of a source.
    """

    name: str
    config: Mapping[str, Any] = {}
    defaults: Mapping[str, Mapping[str, Any]] = {}
    entities: tuple[Mapping[str, Any], ...] = ()
    claims: tuple[Mapping[str, Any], ...] = ()
    relations: tuple[Mapping[str, Any], ...] = ()
    evidence: tuple[Mapping[str, Any], ...] = ()
    sources: tuple[Mapping[str, Any], ...] = ()
    pages: tuple[Mapping[str, Any], ...] = ()
    sessions: tuple[Mapping[str, Any], ...] = ()
    prompts: tuple[Prompt, ...] = ()


class Edit(Record):
    """The lines that somebody put into a file, and those that are gone for them: they break a
    claim, one of those in `want`.
    """

    base: str
    path: str
    inserted: str
    removed: str = ""
    want: tuple[str, ...] = ()


def read_prompts(*paths: Path) -> list[Prompt]:
    """The prompts of files, one a line."""
    return [Prompt.model_validate_json(line) for path in paths for line in lines(path)]


def read_base(name: str) -> KnowledgeBase:
    """The knowledge base of that name in `tests/quality/data`."""
    return KnowledgeBase.model_validate_json((DATA / f"{name}.json").read_bytes())


def read_foreign(others: Path | None = None) -> list[Prompt]:
    """Questions about five other repositories, each the kind of its own; or those about the others,
    of the files in a folder, each of which has the name of its repository.
    """
    ours = read_prompts(_FOREIGN)
    if others is None:
        return ours
    return [
        Prompt(kind=path.stem, text=json.loads(line)["question"])
        for path in sorted(others.glob("*.jsonl"))
        if path.stem not in {one.kind for one in ours}
        for line in lines(path)
    ]


def read_dialogues(path: Path) -> Iterator[KnowledgeBase]:
    """Conversations, each with a knowledge base of its own: a prompt for each text of the user."""
    for line in lines(path):
        given = json.loads(line)
        said, prompts = list[str](), list[Prompt]()
        for turn in given["turns"]:
            if turn["role"] == "user":
                want, tolerable = turn.get("gold", ()), turn.get("acceptable", ())
                prompts.append(
                    Prompt(
                        kind="said" if want else "tolerated" if tolerable else "silent",
                        text=turn["text"],
                        want=want,
                        tolerable=tolerable,
                        before=tuple(said),
                    )
                )
            said.append(turn["text"])
        yield KnowledgeBase(
            name="notes",
            entities=given["entities"],
            claims=given["claims"],
            prompts=tuple(prompts),
        )


def read_paraphrases(path: Path) -> list[Prompt]:
    """Prompts over the example whose words are others than those of the claims that answer."""
    given = map(json.loads, lines(path))
    return [Prompt(kind=one["kind"], text=one["prompt"], want=one["expect"]) for one in given]


def read_cases(path: Path) -> tuple[KnowledgeBase, list[dict[str, Any]]]:
    """A knowledge base, and cases over it: objects as README.md describes them."""
    given = json.loads(path.read_bytes())
    cases = given.pop("cases")
    return KnowledgeBase(name="notes", **given), cases


def lines(path: Path) -> Iterator[str]:
    return (line for line in path.read_text("utf-8").splitlines() if line.strip())


@cache
def docstring_sentences(count: int = 500) -> list[str]:
    """Ordinary technical English: sentences of 6 to 40 words of the standard library's docstrings,
    drawn evenly; the same for the same version of Python.
    """
    found: list[str] = []
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        for text in _docstrings(path):
            for sentence in _SENTENCE.split(" ".join(text.split("\n\n")[0].split())):
                if 6 <= len(sentence.split()) <= 40 and sentence.endswith("."):
                    found.append(sentence)
    return Random(0).sample(sorted(set(found)), count)


def _docstrings(path: Path) -> list[str]:
    tree = ast.parse(path.read_text("utf-8"))
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    texts = [ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, kinds)]
    return [text for text in texts if text]
