"""Search by meaning, where a model is set up. Search and probe list its hits beside those by names
and words; a block has them only where those find nothing. docs/using.md has figures.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from math import fsum

from vouch_sidecar.index.artifact_documents import texts
from vouch_sidecar.kb.records import Artifact, Claim, Kind, key_of
from vouch_sidecar.kb.sanitize import clip
from vouch_sidecar.retrieval.constants import (
    BESIDE_A_CLAIM,
    MAX_SEMANTIC,
    SEMANTIC_LEAST,
    SEMANTIC_WEIGHT,
)
from vouch_sidecar.retrieval.evidence.text_kinds import worth_searching
from vouch_sidecar.retrieval.evidence.word_weights import worths_of
from vouch_sidecar.retrieval.line import Line, Told
from vouch_sidecar.retrieval.search import as_units, found_by_words, ranked
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.semantic.vectors import KINDS, TextVector
from vouch_sidecar.text.content_words import content_stems

PHRASE_CHARS = 200
SPARE = 50
"""Texts that are read beyond those asked for, as several may be sections of one page."""


def semantic_search(
    vector: TextVector,
    views: Sequence[View],
    query: str,
    kinds: Collection[Kind],
    limit: int,
    exclude: Collection[str] = (),
) -> list[Line]:
    """Hits by words and a few by meaning alone, ranked together; first the entities that the query
    is a name or alias of.
    """
    found = found_by_words(views, query, kinds, limit, exclude)
    found += _alone(vector, views, [kind for kind in KINDS if kind in kinds], found, exclude)
    return as_units(ranked(_scored(vector, row, query) for row in found), limit)


def _alone(
    vector: TextVector,
    views: Sequence[View],
    kinds: Collection[Kind],
    known: Iterable[Line],
    exclude: Collection[str] = (),
) -> list[Line]:
    """A few near artifacts that are not known yet, each once, best first."""
    first = {(row.view.collection, *key_of(row.artifact)): row for row in known}
    most, before = MAX_SEMANTIC + len(first) + len(exclude) + SPARE, len(first)
    near = [
        Line(view, artifact, "", cosine, "semantic", None, row.section or None)
        for view in views
        for row, cosine in vector.nearest(view.identity, kinds, view.gates, SEMANTIC_LEAST, most)
        if (artifact := view.visible.artifact((row.kind, row.id))) is not None
        if isinstance(artifact, Told) and row.id not in exclude
    ]
    for row in sorted(near, key=lambda row: -_worth(row.artifact) * row.similarity):
        first.setdefault((row.view.collection, *key_of(row.artifact)), row)
    return list(first.values())[before:][:MAX_SEMANTIC]


def _worth(artifact: Artifact) -> float:
    return 1.0 if isinstance(artifact, Claim) else BESIDE_A_CLAIM


def _scored(vector: TextVector, row: Line, query: str) -> Line:
    """The hit with a score of its nearness and of the share of the query's words, by weight, that
    it holds, with its title and aliases.
    """
    near = max(0.0, vector.cosine(row.view.identity, key_of(row.artifact)))
    shown = row.shown_text
    said = texts(row.artifact)[row.section or 0] if shown is None else shown.text
    weights, stems = worths_of(row.view, query), frozenset(content_stems(said))
    held = fsum(weight for word, weight in weights.items() if word.held_by(stems))
    share = held / fsum(weights.values()) if weights else 0.0
    both = SEMANTIC_WEIGHT * near + (1 - SEMANTIC_WEIGHT) * share
    return replace(row, similarity=round(_worth(row.artifact) * both, 6))


def semantic_hits(
    vector: TextVector,
    views: Sequence[View],
    text: str,
    hits: Iterable[Line],
) -> list[Line]:
    """Hits by meaning that a probe lists after the others: weak evidence, whatever the cosine."""
    if not worth_searching(text):
        return []
    phrase = clip(" ".join(text.split()), PHRASE_CHARS)
    return [
        replace(hit, phrase=phrase, similarity=round(min(hit.similarity, 1.0), 3))
        for hit in _alone(vector, views, KINDS, hits)
        if hit.view.tells(hit.similarity)
    ]
