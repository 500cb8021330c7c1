"""Plain search: the artifacts that hold words of a query, and those that have it as a name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import nlargest
from math import fsum
from typing import NamedTuple

from pyroaring import BitMap
from vouch_sidecar.index.content import Needle, needles
from vouch_sidecar.index.documents import sections
from vouch_sidecar.index.search import BEST_PER_WEIGHT, Document, rarity, score
from vouch_sidecar.index.text import units
from vouch_sidecar.kb.plain import one_line
from vouch_sidecar.kb.records import (
    Artifact,
    Claim,
    Entity,
    Key,
    Kind,
    Page,
    Relation,
    Source,
    key_of,
)
from vouch_sidecar.retrieval.view import View

__all__ = ["SEARCHED", "Found", "search", "snippet", "text_of"]

SEARCHED = (Kind.CLAIM, Kind.PAGE, Kind.ENTITY, Kind.RELATION, Kind.SOURCE)
SNIPPET_CHARS = 200
_ROUNDING = 1e-6
MAX_WORDS = 128
"""Words of a query that are looked for; what follows them is not."""


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
    """Hits by BM25 with rarity over what the viewer may see; ties by id, then collection.

    Before them the entities that the query is a name or alias of.
    """
    words = needles(query)[:MAX_WORDS]
    named = [
        found
        for view in views
        if Kind.ENTITY in kinds
        for found in _named(view, query, words, exclude)
    ]
    rows = [
        found
        for view in views
        for kind in dict.fromkeys(kinds)
        for found in _in_kind(view, kind, words, limit, exclude)
    ]
    known = {(found.view.collection, found.artifact.id) for found in named}
    others = [
        found
        for found in rows
        if found.kind is not Kind.ENTITY or (found.view.collection, found.artifact.id) not in known
    ]
    return [*_ranked(named), *_ranked(others)][:limit]


def _ranked(found: Iterable[Found]) -> list[Found]:
    return sorted(found, key=lambda f: (-f.score, f.artifact.id, f.kind, f.view.collection))


def _named(
    view: View, query: str, words: Sequence[Needle], exclude: Collection[str]
) -> list[Found]:
    keys = [(Kind.ENTITY, i) for i in view.knowledge.names.exactly(query) if i not in exclude]
    found = [(key, artifact) for key in keys if (artifact := view.visible(key)) is not None]
    if not found:
        return []
    weights, average = _statistics(view, Kind.ENTITY, words)

    def value(key: Key) -> float:
        scores = (score(d, weights, average) for d in view.knowledge.documents_of(key))
        return round(max(scores, default=0.0), 6)

    return [Found(view, Kind.ENTITY, artifact, 0, value(key)) for key, artifact in found]


def _in_kind(
    view: View, kind: Kind, words: Sequence[Needle], limit: int, exclude: Collection[str]
) -> list[Found]:
    """The best of one kind, and maybe more: once for each artifact, in no particular order.

    Rarest words first: what holds none of them is not looked at where it can't reach the limit.
    """
    weights, average = _statistics(view, kind, words)
    best: dict[str, Found] = {}
    seen = BitMap()
    floor = 0.0
    left = BEST_PER_WEIGHT * fsum(weights.values())
    for word in sorted(words, key=lambda n: -weights[n]):
        if left < floor - _ROUNDING:
            break
        left -= BEST_PER_WEIGHT * weights[word]
        ordinals = view.knowledge.search.holding((word,), kind, view.gates) - seen
        seen |= ordinals
        for value, ordinal in _scored(view, ordinals, weights, average):
            if value < floor:
                break
            ref, _ = view.knowledge.document(ordinal)
            found = view.visible(ref.key)
            if found is None or found.id in exclude:
                continue
            old = best.get(found.id)
            if old is None or (-value, ref.section) < (-old.score, old.section):
                best[found.id] = Found(view, kind, found, ref.section, value)
            if len(best) >= limit and value > floor:
                floor = nlargest(limit, (f.score for f in best.values()))[-1]
    return list(best.values())


def _scored(
    view: View, ordinals: Iterable[int], weights: Mapping[Needle, float], average: float
) -> list[tuple[float, int]]:
    """Scores of documents, best first."""
    documents = ((o, view.knowledge.document(o)[1]) for o in ordinals)
    scores = [(round(score(document, weights, average), 6), o) for o, document in documents]
    return sorted((entry for entry in scores if entry[0] > 0), reverse=True)


def _statistics(
    view: View, kind: Kind, words: Sequence[Needle]
) -> tuple[dict[Needle, float], float]:
    """Rarity of each word, and the average length, over what the viewer may see of a kind."""
    index, gates = view.knowledge.search, view.gates
    hidden = _hidden_relations(view) if kind is Kind.RELATION else []
    total = index.total(kind, gates) - len(hidden)
    length = index.length(kind, gates) - sum(len(document.stems) for document in hidden)

    def frequency(needle: Needle) -> int:
        unseen = sum(needle.held_by(frozenset(document.stems)) for document in hidden)
        return index.frequency(needle, kind, gates) - unseen

    return {n: rarity(total, frequency(n)) for n in words}, length / total if total else 0.0


def _hidden_relations(view: View) -> list[Document]:
    """Relations that the index holds for everybody, and that this viewer may not see."""

    def find() -> list[Document]:
        relations = view.knowledge.all_of(Kind.RELATION)
        hidden = [key_of(relation) for relation in relations if not view.sees(relation)]
        return [document for key in hidden for document in view.knowledge.documents_of(key)]

    return view.once("hidden relations", "", find)


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
