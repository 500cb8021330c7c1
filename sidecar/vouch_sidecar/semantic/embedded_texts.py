"""The texts that are compared by meaning: claims, descriptions of entities, sections of pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import chain
from typing import NamedTuple

from vouch_sidecar.index.artifact_documents import sections
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.access import gate_of
from vouch_sidecar.kb.records import Artifact, Claim, Entity, Key, Kind, Page, key_of
from vouch_sidecar.semantic.backend import is_latin

KINDS = (Kind.CLAIM, Kind.ENTITY, Kind.PAGE)
KindAndGate = tuple[Kind, str]
"""A kind, and the gate that a viewer needs."""


class Of(NamedTuple):
    """The place of an artifact, and a mark for the text of each section."""

    place: KindAndGate
    marks: tuple[bytes, ...]


class Texts(NamedTuple):
    """The texts of one generation: which artifact has which marks, and the text of each mark."""

    knowledge: Knowledge
    by_artifact: Mapping[Key, Of]
    by_mark: Mapping[bytes, str]


def compared(artifact: Artifact) -> list[str]:
    """The texts of an artifact, by section; an empty one is not compared."""
    match artifact:
        case Claim(text=text):
            return [text]
        case Entity(name=name, description=description):
            return [f"{name}: {description}"] if description else []
        case Page(title=title):
            return [f"{title}\n{section}" for section in sections(artifact)]
        case _:
            return []


def mark_of(text: str) -> bytes:
    """A digest, by which the vector of a text is kept."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def texts_of(knowledge: Knowledge, before: Texts | None, any_script: bool) -> Texts:
    """The texts of a generation. With the texts of an earlier one on the same base, only changes
    are read.
    """
    artifacts: Iterable[Artifact | None]
    if before is None or before.knowledge.base is not knowledge.base:
        artifacts, of = chain.from_iterable(map(knowledge.all_of, KINDS)), dict[Key, Of]()
    else:
        then, now = before.knowledge.changed, knowledge.changed
        keys = {key for key in then.keys() | now.keys() if then.get(key) is not now.get(key)}
        artifacts = map(knowledge.artifact, keys)
        of = {key: text for key, text in before.by_artifact.items() if key not in keys}
    by_mark: dict[bytes, str] = {}
    for artifact in artifacts:
        if artifact is None:
            continue
        gate = gate_of(artifact)
        if gate is not None and (marks := tuple(_marks(artifact, by_mark, any_script))):
            key = key_of(artifact)
            of[key] = Of((key[0], gate), marks)
    return Texts(knowledge, of, by_mark)


def _marks(artifact: Artifact, by_mark: dict[bytes, str], any_script: bool) -> Iterator[bytes]:
    """A mark for each text; an empty one for what the model can't read."""
    for text in compared(artifact):
        if any_script or is_latin(text):
            mark = mark_of(text)
            by_mark[mark] = text
            yield mark
        else:
            yield b""
