"""The texts that are compared by meaning: claims, descriptions of entities, sections of pages."""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

from vouch_sidecar.index.artifact_documents import sections
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.access import gate_of
from vouch_sidecar.kb.records import Artifact, Claim, Entity, Kind, Page
from vouch_sidecar.semantic.backend import is_latin

KINDS = (Kind.CLAIM, Kind.ENTITY, Kind.PAGE)


class Row(NamedTuple):
    """The place of a text: its artifact, its section, the gate that a viewer needs, and its mark,
    by which its vector is kept.
    """

    kind: Kind
    id: str
    section: int
    gate: str
    mark: bytes


def texts_of(knowledge: Knowledge, any_script: bool) -> tuple[list[Row], dict[bytes, str]]:
    """The texts of a generation that a model can read: their rows, in order, and the texts by their
    marks.
    """
    rows: list[Row] = []
    by_mark: dict[bytes, str] = {}
    for kind in KINDS:
        for artifact in knowledge.all_of(kind):
            gate = gate_of(artifact)
            for section, text in enumerate(_compared(artifact) if gate is not None else ()):
                if gate is not None and (any_script or is_latin(text)):
                    mark = blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
                    rows.append(Row(kind, artifact.id, section, gate, mark))
                    by_mark[mark] = text
    return sorted(rows), by_mark


def _compared(artifact: Artifact) -> list[str]:
    """The texts of an artifact, by section."""
    match artifact:
        case Claim(text=text):
            return [text]
        case Entity(name=name, description=description) if description:
            return [f"{name}: {description}"]
        case Page(title=title):
            return [f"{title}\n{section}" for section in sections(artifact)]
        case _:
            return []
