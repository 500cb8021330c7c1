"""Search by words: artifacts that hold words of a query, and entities that it is a name of."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence

from vouch_sidecar.index.query import rarity
from vouch_sidecar.index.schema import key_in, stems_in
from vouch_sidecar.kb.records import Artifact, Entity, Kind, Page, Source, key_of
from vouch_sidecar.kb.sanitize import one_line
from vouch_sidecar.retrieval.line import Line, Told
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.analysis import units
from vouch_sidecar.text.content_words import Term, terms

SEARCHED = (Kind.CLAIM, Kind.PAGE, Kind.ENTITY, Kind.RELATION, Kind.SOURCE)
SNIPPET_CHARS = 200
_LOOKED_AT = 100_000
"""Characters of a text in which a snippet is looked for; a section may have four million."""
_K1, _B = 1.2, 0.75
SPARE_HITS = 100
"""Hits beyond those asked for that are scored exactly."""
MAX_WORDS = 128
"""Words of a query that are looked for; what follows them is not."""
_IDENTIFIER = re.compile(r"[^\W_]++(?:_++[^\W_]++)++")


def names_of(artifact: Artifact) -> tuple[str, ...]:
    """What an artifact is called: its id, then its name and aliases, its title, or what a source
    answers or is.
    """
    match artifact:
        case Entity(name=name, aliases=aliases):
            return (artifact.id, name, *aliases)
        case Page(title=title):
            return (artifact.id, title)
        case Source(question=question, title=title, locator=locator):
            return (artifact.id, question or title or locator)
        case _:
            return (artifact.id,)


def search(
    views: Sequence[View],
    query: str,
    kinds: Collection[Kind],
    limit: int,
    exclude: Collection[str] = (),
) -> list[Line]:
    """Hits by BM25 with rarity over what the viewer may see; ties by id, then collection.

    Before them the entities that the query is a name or alias of.
    """
    return as_units(found_by_words(views, query, kinds, limit, exclude), limit)


def as_units(hits: Iterable[Line], limit: int) -> list[Line]:
    """The first `limit` hits that say something, each artifact and sentence once."""
    units: dict[Hashable, Line] = {}
    for hit in hits:
        if len(units) >= limit:
            break
        if hit.view.texts.is_sayable(hit.artifact):
            units.setdefault(hit.place, hit)
    return list(units.values())


def found_by_words(
    views: Sequence[View],
    query: str,
    kinds: Collection[Kind],
    limit: int,
    exclude: Collection[str] = (),
) -> list[Line]:
    """The entities that a query is a name of, then the artifacts that hold words of it, best first,
    about `limit` of each kind, some several times. An artifact that holds only some words of an
    identifier, such as `RETRY_LIMIT`, is left out.
    """
    words = terms(query)[:MAX_WORDS]
    least = len(words) if _IDENTIFIER.fullmatch(query.strip()) else 1
    found: list[Line] = []
    for view in views:
        for kind in dict.fromkeys(kinds):
            named = view.knowledge.names.exactly(query) if kind is Kind.ENTITY else ()
            found += _in_kind(view, kind, words, least, limit, exclude, named)
    return ranked(found)


def ranked(hits: Iterable[Line]) -> list[Line]:
    """What the query names first, then best first; ties by id, then kind, collection and
    section.
    """
    return sorted(
        hits,
        key=lambda hit: (
            hit.arm != "name",
            -hit.similarity,
            *reversed(key_of(hit.artifact)),
            hit.view.collection,
            hit.section or 0,
        ),
    )


def _in_kind(
    view: View,
    kind: Kind,
    words: Sequence[Term],
    least: int,
    limit: int,
    exclude: Collection[str],
    named: Collection[str],
) -> Iterator[Line]:
    """The best of one kind that hold at least so many of the words, and those with the ids `named`.

    tantivy chooses some more than are asked for of each layer, by a score that weighs a word by its
    rarity there and rounds the length of a text; those are scored exactly.
    """
    if view.deadline.has_passed():
        return
    weights, average = _statistics(view, kind, words)
    snapshot, visible = view.knowledge.snapshot, view.visible
    most = limit + len(exclude) + SPARE_HITS
    best = snapshot.best_of_each(view.search.relevant(words, kind), most)
    called = (view.knowledge.document((kind, entity_id)) for entity_id in named)
    for document in (*filter(None, called), *map(snapshot.document, best)):
        key, stems = key_in(document), stems_in(document)
        artifact, is_named = visible.artifact((kind, key.id)), key.id in named
        held = sum(word.held_by(frozenset(stems)) for word in words) if least > 1 else least
        if not is_named and held < least:
            continue
        if isinstance(artifact, Told) and artifact.id not in exclude:
            score = _score(stems, weights, average)
            section = key.section if kind is Kind.PAGE else None
            yield Line(view, artifact, "", score, "name" if is_named else "text", None, section)


def _statistics(view: View, kind: str, words: Sequence[Term]) -> tuple[dict[Term, float], float]:
    """Rarity of each word, and the average length, over what the viewer may see of a kind."""
    total = view.search.total(kind)
    weights = {n: rarity(total, view.search.frequency(n, kind)) for n in words}
    return weights, view.search.length(kind) / total if total else 0.0


def _score(stems: Sequence[str], weights: Mapping[Term, float], average_length: float) -> float:
    """BM25 of a text (Robertson and Zaragoza 2009, k1 1.2, b 0.75) with given word weights."""
    length = len(stems) / average_length if average_length else 1.0
    total = 0.0
    for term, weight in weights.items():
        if times := max(min(map(stems.count, option)) for option in term.alternatives):
            total += weight * times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * length))
    return round(total, 6)


def snippet(text: str, query: str) -> str:
    """At most 200 characters on one line, around the first word of the query."""
    flat = one_line(text[:_LOOKED_AT])
    if len(flat) <= SNIPPET_CHARS:
        return flat
    wanted = {s for term in terms(query) for option in term.alternatives for s in option}
    at = next((u.start for u in units(flat).units if u.stem in wanted), 0)
    start = max(0, min(at - SNIPPET_CHARS // 4, len(flat) - SNIPPET_CHARS + 1))
    cut = flat[start : start + SNIPPET_CHARS - 2]
    return ("…" if start else "") + cut.strip() + ("…" if start + len(cut) < len(flat) else "")
