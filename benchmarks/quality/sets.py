"""The format of the labelled sets; README.md describes it for those who write one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

_DATA = Path(__file__).resolve().parents[2] / "tests" / "quality" / "data"
_FOREIGN = Path(__file__).parent / "foreign" / "questions.jsonl"
_EDITS = Path(__file__).parent / "real" / "edits.jsonl"
FITTED = ("port", "newspaper")
KEPT_BACK = ("payroll", "groundstation", "vineyard", "rescue")
"""Worlds: knowledge bases with prompts of their own. Nobody reads the prompts of those kept back,
or what is said of them: only how many are answered.
"""


class Record(BaseModel):
    """A part of a set."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class EntityRecord(Record):
    """An entity as a set gives it."""

    id: str
    name: str
    type: str
    aliases: tuple[str, ...] = ()
    description: str | None = None


class ClaimRecord(Record):
    """A claim as a set gives it; written stable, with one source and confidence 0.9."""

    id: str
    text: str
    entities: tuple[str, ...] = ()


class Turn(Record):
    """One text of a dialogue. Only those of the user are judged."""

    role: str
    text: str
    gold: tuple[str, ...] = ()
    acceptable: tuple[str, ...] = ()
    silent: bool = False


class Dialogue(Record):
    """A conversation with a knowledge base of its own."""

    id: str
    category: str
    entities: tuple[EntityRecord, ...]
    claims: tuple[ClaimRecord, ...]
    turns: tuple[Turn, ...]


class Marked(Record):
    """A sentence with the entities that a person marked in it."""

    text: str
    gold: tuple[str, ...]


class Topic(Record):
    """A topic with those who are known to be its experts."""

    topic: str
    gold: tuple[str, ...]


class Knowledge(Record):
    """What a knowledge base holds."""

    entities: tuple[EntityRecord, ...]
    claims: tuple[ClaimRecord, ...]


class Wanted(Record):
    """A prompt over its own knowledge base: any of the ids in `want` answers it.

    Where that is empty nothing does, but a line about an entity in `tolerable` is no fault.

    An id is that of a claim or an entity, or `page#Heading` for a section of a page.
    """

    kind: str
    text: str
    want: tuple[str, ...] = ()
    tolerable: tuple[str, ...] = ()


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
    prompts: tuple[Wanted, ...] = ()


class Mentions(Knowledge):
    """Marked sentences over one knowledge base."""

    cases: tuple[Marked, ...]


class Experts(Knowledge):
    """Topics over one knowledge base."""

    cases: tuple[Topic, ...]


class Prompt(Record):
    """A prompt over the demo knowledge base: what must, may and must not be said of it.

    `before` are earlier prompts of the session. `listed`: what `salience` must list for the text
    alone, and nothing else; without it, listing is not judged.
    """

    id: str
    kind: str
    text: str
    before: tuple[str, ...] = ()
    gold: tuple[str, ...] = ()
    acceptable: tuple[str, ...] = ()
    listed: tuple[str, ...] | None = None


class Question(Record):
    """A text that names nothing: the claims that must, and may, be said of it."""

    id: str
    kind: str
    text: str
    gold: tuple[str, ...] = ()
    acceptable: tuple[str, ...] = ()


class Asked(Record):
    """A prompt, and which lines `context` must have for it: any of the ids in `expect`; none where
    that is empty. With `listed`, the entities that `salience` must list instead.

    An id is that of a claim or an entity, or `page#heading` for a section of a page.
    """

    kb: str
    kind: str
    prompt: str
    expect: tuple[str, ...]
    page: str | None = None
    listed: bool = False
    note: str = ""


class Foreign(Record):
    """A question of a developer about another repository, which no knowledge base here answers."""

    repository: str
    question: str


class Edit(Record):
    """What somebody inserted into a file: it breaks a claim, one of those in `want`."""

    base: str
    path: str
    inserted: str
    want: tuple[str, ...] = ()


class Questions(Knowledge):
    """Questions, and other texts, over one knowledge base without entities."""

    cases: tuple[Question, ...]


def read_dialogues(path: Path) -> list[Dialogue]:
    """One dialogue a line."""
    return [Dialogue.model_validate_json(line) for line in _lines(path)]


def read_prompts(path: Path) -> list[Prompt]:
    """One prompt a line."""
    return [Prompt.model_validate_json(line) for line in _lines(path)]


def read_asked(path: Path) -> list[Asked]:
    """One prompt a line."""
    return [Asked.model_validate_json(line) for line in _lines(path)]


def read_wanted(path: Path) -> list[Wanted]:
    """One prompt a line."""
    return [Wanted.model_validate_json(line) for line in _lines(path)]


def read_foreign(others: Path | None = None) -> list[Foreign]:
    """The questions about five repositories; or those about the others, of the files in a folder,
    each of which has the name of its repository.
    """
    ours = [Foreign.model_validate_json(line) for line in _lines(_FOREIGN)]
    if others is None:
        return ours
    return [
        Foreign(repository=path.stem, question=json.loads(line)["question"])
        for path in sorted(others.glob("*.jsonl"))
        if path.stem not in {one.repository for one in ours}
        for line in _lines(path)
    ]


def read_edits() -> list[Edit]:
    """The edits that break a claim, over all bases."""
    return [Edit.model_validate_json(line) for line in _lines(_EDITS)]


def read_base(name: str) -> KnowledgeBase:
    """The knowledge base of that name in `tests/quality/data`."""
    return KnowledgeBase.model_validate_json((_DATA / f"{name}.json").read_bytes())


def read_mentions(path: Path) -> Mentions:
    """One object."""
    return Mentions.model_validate_json(path.read_bytes())


def read_experts(path: Path) -> Experts:
    """One object."""
    return Experts.model_validate_json(path.read_bytes())


def read_questions(path: Path) -> Questions:
    """One object."""
    return Questions.model_validate_json(path.read_bytes())


def read_names(path: Path) -> Knowledge:
    """Entities alone; each gets a claim that gives its description."""
    entities = [EntityRecord.model_validate(e) for e in json.loads(path.read_bytes())]
    claims = [
        ClaimRecord(id=f"about-{e.id}", text=f"{e.name}: {e.description}", entities=(e.id,))
        for e in entities
    ]
    return Knowledge(entities=tuple(entities), claims=tuple(claims))


def _lines(path: Path) -> Iterable[str]:
    return (line for line in path.read_text("utf-8").splitlines() if line.strip())
