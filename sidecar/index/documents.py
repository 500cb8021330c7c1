"""What full text reads of each artifact. Pure and slow enough to be done off the event loop."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from sidecar.index.content import content_stems
from sidecar.kb.records import Artifact, Claim, Entity, Page, Relation, Source

__all__ = ["Prepared", "prepare", "sections", "texts"]

MAX_SECTIONS = 256
_HEADING = re.compile(r"^#{1,6} .*$", re.MULTILINE)


class Prepared(NamedTuple):
    """An artifact with the stems of each of its texts: several for a page, else at most one."""

    artifact: Artifact
    stems: tuple[tuple[str, ...], ...]


def prepare(artifact: Artifact) -> Prepared:
    """Analyse an artifact for full text."""
    return Prepared(artifact, tuple(tuple(content_stems(text)) for text in texts(artifact)))


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
