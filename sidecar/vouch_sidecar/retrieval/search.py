"""Search: artifacts that hold words of a query, entities that it is a name of, and, where a model
is set up, what is near in meaning.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from math import fsum
from typing import get_args

from vouch_sidecar.index.artifact_documents import texts
from vouch_sidecar.index.query import rarity
from vouch_sidecar.index.schema import key_in, stems_in
from vouch_sidecar.kb.records import (
    KIND_OF,
    Artifact,
    Claim,
    Entity,
    Kind,
    Page,
    Source,
    Told,
    key_of,
)
from vouch_sidecar.kb.sanitize import one_line
from vouch_sidecar.retrieval.constants import (
    BESIDE_A_CLAIM,
    MAX_SEMANTIC,
    SEMANTIC_LEAST,
    SEMANTIC_WEIGHT,
)
from vouch_sidecar.retrieval.each_once import first_of_each
from vouch_sidecar.retrieval.evidence.asked import worths_of
from vouch_sidecar.retrieval.line import Line
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.semantic.vectors import TextVector
from vouch_sidecar.text.analysis import units
from vouch_sidecar.text.content_words import Term, content_stems, terms

SEARCHED = tuple(KIND_OF[record] for record in get_args(Told))
SNIPPET_CHARS = 200
_LOOKED_AT = 100_000
"""Characters of a text in which a snippet is looked for; a section may have four million."""
_K1, _B = 1.2, 0.75
SPARE_HITS = 100
"""Hits beyond those asked for that are scored exactly, and texts near in meaning that are read
beyond those known, as several may be of one page.
"""
MAX_WORDS = 128
"""Words of a query that are looked for; what follows them is not."""
_SNAKE_CASE = re.compile(r"[^\W_]++(?:_++[^\W_]++)++")


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
    vector: TextVector | None = None,
) -> list[Line]:
    """The entities that a query is a name or alias of, then the artifacts that hold words of it and
    say something, by BM25 with rarity over what the viewer may see; ties by id, then kind,
    collection and section. Each artifact and sentence stands there once. An artifact that holds
    only some words of an identifier, such as `RETRY_LIMIT`, is left out. With `vector`, a few found
    by meaning alone are ranked among these.
    """
    words = terms(query)[:MAX_WORDS]
    found = [
        hit
        for view in views
        for kind in dict.fromkeys(kinds)
        for hit in _in_kind(view, kind, query, words, limit, exclude)
    ]
    if vector is not None:
        found = _ranked_by_meaning(vector, views, query, kinds, found, exclude)
    said = (hit for hit in sorted(found, key=_order) if hit.view.is_sayable(hit.artifact))
    return list(islice(first_of_each(said, lambda hit: hit.place), limit))


def _order(hit: Line) -> tuple[bool, float, str, str, str, int]:
    kind, artifact_id = key_of(hit.artifact)
    return (
        hit.arm != "name",
        -hit.similarity,
        artifact_id,
        kind,
        hit.view.collection,
        hit.section or 0,
    )


def _in_kind(
    view: View,
    kind: Kind,
    query: str,
    words: Sequence[Term],
    limit: int,
    exclude: Collection[str],
) -> Iterator[Line]:
    """The best of one kind that hold words of a query, and the entities that it names.

    tantivy chooses some more than are asked for of each layer, by a score that weighs a word by its
    rarity there and rounds the length of a text; those are scored exactly.
    """
    if view.deadline.has_passed():
        return
    total = view.search.total(kind)
    weights = {word: rarity(total, view.search.frequency(word, kind)) for word in words}
    average = view.search.length(kind) / total if total else 0.0
    is_whole = _SNAKE_CASE.fullmatch(query.strip()) is not None
    named = view.knowledge.names.exactly(query) if kind is Kind.ENTITY else ()
    called = (view.knowledge.document((kind, entity_id)) for entity_id in named)
    snapshot, most = view.knowledge.snapshot, limit + len(exclude) + SPARE_HITS
    best = snapshot.best_of_each(view.search.relevant(words, kind), most)
    for document in (*filter(None, called), *map(snapshot.document, best)):
        key, stems = key_in(document), stems_in(document)
        artifact, is_named = view.artifact((kind, key.id)), key.id in named
        holds = not is_whole or all(word.held_by(frozenset(stems)) for word in words)
        if (is_named or holds) and isinstance(artifact, Told) and artifact.id not in exclude:
            yield Line(
                view,
                artifact,
                phrase="",
                similarity=_score(stems, weights, average),
                arm="name" if is_named else "text",
                entity_id=None,
                section=key.section if kind is Kind.PAGE else None,
            )


def _score(stems: Sequence[str], weights: Mapping[Term, float], average_length: float) -> float:
    """BM25 of a text (Robertson and Zaragoza 2009, k1 1.2, b 0.75) with given word weights."""
    length = len(stems) / average_length if average_length else 1.0
    total = 0.0
    for term, weight in weights.items():
        if times := max(min(map(stems.count, option)) for option in term.alternatives):
            total += weight * times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * length))
    return round(total, 6)


def _ranked_by_meaning(
    vector: TextVector,
    views: Sequence[View],
    query: str,
    kinds: Collection[Kind],
    known: Sequence[Line],
    exclude: Collection[str],
) -> list[Line]:
    """Hits by words, and a few by meaning alone, with scores that can be compared."""

    def place(hit: Line) -> tuple[str, Kind, str]:
        return hit.view.collection, *key_of(hit.artifact)

    found = {*map(place, known)}
    most = MAX_SEMANTIC + len(found) + len(exclude) + SPARE_HITS
    every = (
        Line(view, artifact, "", cosine, "semantic", None, section or None)
        for view in views
        for artifact, section, cosine in islice(
            vector.nearest(view.identity, kinds, view.artifact, SEMANTIC_LEAST), most
        )
        if isinstance(artifact, Told) and artifact.id not in exclude
    )
    near = sorted(
        (hit for hit in first_of_each(every, place) if place(hit) not in found),
        key=lambda hit: -_worth(hit.artifact) * hit.similarity,
    )
    return [_scored(vector, hit, query) for hit in (*known, *near[:MAX_SEMANTIC])]


def _worth(artifact: Artifact) -> float:
    return 1.0 if isinstance(artifact, Claim) else BESIDE_A_CLAIM


def _scored(vector: TextVector, hit: Line, query: str) -> Line:
    """The hit with a score of its nearness and of the share of the query's words, by weight, that
    it holds, with its title and aliases.
    """
    near = max(0.0, vector.cosine(hit.view.identity, key_of(hit.artifact)))
    shown = hit.shown_text
    said = texts(hit.artifact)[hit.section or 0] if shown is None else shown.text
    weights, stems = worths_of(hit.view, query), frozenset(content_stems(said))
    held = fsum(weight for word, weight in weights.items() if word.held_by(stems))
    share = held / fsum(weights.values()) if weights else 0.0
    both = SEMANTIC_WEIGHT * near + (1 - SEMANTIC_WEIGHT) * share
    return replace(hit, similarity=round(_worth(hit.artifact) * both, 6))


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
