"""What full text reads of each artifact. Pure and slow enough to be done off the event loop."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from vouch_sidecar.index.content import content_stems
from vouch_sidecar.index.postings import Document
from vouch_sidecar.kb.access import OPEN, gate_of
from vouch_sidecar.kb.records import (
    KIND_OF,
    Artifact,
    Claim,
    Entity,
    Key,
    Page,
    Relation,
    Source,
)

__all__ = ["DocumentRef", "Prepared", "documents_for", "prepare", "sections", "texts"]

MAX_SECTIONS = 256
_HEADING = re.compile(r"^#{1,6} .*$", re.MULTILINE)


class Prepared(NamedTuple):
    """An artifact with the stems of each of its texts: several for a page, else at most one."""

    artifact: Artifact
    stems: tuple[tuple[str, ...], ...]


class DocumentRef(NamedTuple):
    """What a document of the full-text index stands for; `section` is 0 but for pages."""

    key: Key
    section: int


def prepare(artifact: Artifact) -> Prepared:
    """Analyse an artifact for full text."""
    return Prepared(artifact, tuple(tuple(content_stems(text)) for text in texts(artifact)))


def documents_for(prepared: Prepared, ordinals: Iterable[int]) -> tuple[Document, ...]:
    """An artifact as full text knows it; ordinals are taken as they come."""
    artifact, stems = prepared
    kind, gate = KIND_OF[type(artifact)], gate_of(artifact) or OPEN
    pairs = zip(stems, ordinals)  # noqa: B905 - more come than are taken
    return tuple(Document(ordinal, kind, gate, s) for s, ordinal in pairs)


def texts(artifact: Artifact) -> list[str]:
    """What full text reads of an artifact: a page's sections, else at most one text."""
    match artifact:
        case Claim():
            return [" ".join((artifact.text, *artifact.tags))]
        case Entity():
            return [" ".join((artifact.name, *artifact.aliases, artifact.description or ""))]
        case Page():
            first, *rest = sections(artifact)
            return ["\n".join((artifact.title, " ".join(artifact.tags), first)), *rest]
        case Relation():
            return [f"{artifact.source} {artifact.relation} {artifact.target}"]
        case Source():
            return [f"{artifact.title or ''} {artifact.locator}"]
        case _:
            return []


def sections(page: Page) -> list[str]:
    """A page's body, cut before each heading; never empty."""
    borders = [m.start() for m in _HEADING.finditer(page.body)][: MAX_SECTIONS - 1]
    cuts = [0, *(b for b in borders if b > 0), len(page.body)]
    return [page.body[a:b] for a, b in pairwise(cuts)] or [""]
