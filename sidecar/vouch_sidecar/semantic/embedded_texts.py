"""The texts that are compared by meaning: claims, descriptions of entities, sections of pages."""

from __future__ import annotations

from collections.abc import Mapping
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


def texts_of(knowledge: Knowledge, any_script: bool) -> Texts:
    """The texts of a generation. What the model can't read is an empty mark, and no text."""
    by_artifact: dict[Key, Of] = {}
    by_mark: dict[bytes, str] = {}
    for artifact in chain.from_iterable(map(knowledge.all_of, KINDS)):
        gate, texts = gate_of(artifact), compared(artifact)
        if gate is None or not texts:
            continue
        known = [text if any_script or is_latin(text) else "" for text in texts]
        marks = tuple(mark_of(text) if text else b"" for text in known)
        by_mark |= {mark: text for mark, text in zip(marks, known, strict=True) if mark}
        key = key_of(artifact)
        by_artifact[key] = Of((key[0], gate), marks)
    return Texts(by_artifact, by_mark)
