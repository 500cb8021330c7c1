"""Plain search: the artifacts that hold words of a query, and those that have it as a name."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from sidecar.index.documents import sections
from sidecar.index.search import rarity, score
from sidecar.index.text import Needle, needles, units
from sidecar.kb.plain import one_line
from sidecar.kb.records import Artifact, Claim, Entity, Kind, Page, Relation, Source
from sidecar.retrieval.view import View

__all__ = ["SEARCHED", "Found", "search", "snippet", "text_of"]

SEARCHED = (Kind.CLAIM, Kind.PAGE, Kind.ENTITY, Kind.RELATION, Kind.SOURCE)
SNIPPET_CHARS = 200


class Found(NamedTuple):
    """A hit; `section` of a page, else 0."""

    view: View
    kind: Kind
    artifact: Artifact
    section: int
    score: float

    @property
    def title(self) -> str:
        match self.artifact:
            case Entity(name=name):
                return name
            case Page(title=title):
                return title
            case Source(title=title, locator=locator):
                return title or locator
            case other:
                return other.id

    @property
    def text(self) -> str:
        return text_of(self.artifact, self.section)


def text_of(artifact: Artifact, section: int = 0) -> str:
    """What an artifact says; of a page, one section."""
    match artifact:
        case Claim(text=text):
            return text
        case Entity(name=name, description=description):
            return description or name
        case Page() as page:
            return sections(page)[section]
        case Relation(source=source, relation=relation, target=target):
            return f"{source} {relation} {target}"
        case Source(locator=locator):
            return locator
        case other:
            return other.id


def search(
    views: Sequence[View],
    query: str,
    kinds: Collection[Kind],
    limit: int,
    exclude: Collection[str] = (),
) -> list[Found]:
    """Hits by BM25 with rarity over what the viewer may see; ties by id, then collection."""
    words = needles(query)
    best: dict[tuple[str, Kind, str], Found] = {}
    for view in views:
        for kind in kinds:
            for found in _in_kind(view, kind, words):
                key = (view.collection, kind, found.artifact.id)
                if found.artifact.id not in exclude and (
                    key not in best or found.score > best[key].score
                ):
                    best[key] = found
    rows = sorted(best.values(), key=lambda f: (-f.score, f.artifact.id, f.kind, f.view.collection))
    return rows[:limit]


def _in_kind(view: View, kind: Kind, words: Sequence[Needle]) -> list[Found]:
    index = view.knowledge.search
    total = index.total(kind, view.gates)
    weights = {n: rarity(total, index.frequency(n, kind, view.gates)) for n in words}
    average = index.average_length(kind)
    out = []
    for ordinal in index.candidates(words, (kind,), view.gates):
        ref, document = view.knowledge.document(ordinal)
        artifact = view.visible(ref.key)
        value = round(score(document, weights, average), 6)
        if artifact is not None and value > 0:
            out.append(Found(view, kind, artifact, ref.section, value))
    return out


def snippet(text: str, query: str) -> str:
    """At most 200 characters on one line, around the first word of the query."""
    flat = one_line(text)
    if len(flat) <= SNIPPET_CHARS:
        return flat
    wanted = {s for needle in needles(query) for option in needle.alternatives for s in option}
    at = next((u.start for u in units(flat).units if u.stem in wanted), 0)
    start = max(0, min(at - SNIPPET_CHARS // 4, len(flat) - SNIPPET_CHARS + 1))
    cut = flat[start : start + SNIPPET_CHARS - 2]
    return ("…" if start else "") + cut.strip() + ("…" if start + len(cut) < len(flat) else "")
