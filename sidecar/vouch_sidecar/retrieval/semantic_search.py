"""Search by meaning, where a model is set up. Search and probe list its hits beside those by names
and words; a block has them only where those find nothing. docs/using.md has figures.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import fsum

from vouch_sidecar.index.artifact_documents import texts
from vouch_sidecar.kb.records import Claim, Entity, Kind, Page, key_of
from vouch_sidecar.kb.sanitize import clip
from vouch_sidecar.retrieval.constants import (
    BESIDE_A_CLAIM,
    MAX_SEMANTIC,
    SEMANTIC_LEAST,
    SEMANTIC_WEIGHT,
)
from vouch_sidecar.retrieval.evidence.text_kinds import worth_searching
from vouch_sidecar.retrieval.evidence.word_weights import worths_of
from vouch_sidecar.retrieval.line import Line
from vouch_sidecar.retrieval.search import Ranked, as_units, found_by_words, ranked
from vouch_sidecar.retrieval.statements.text_vector import TextVector
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.semantic.embedded_texts import KINDS
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
) -> list[Ranked]:
    """Hits by words and a few by meaning alone, ranked together; first the entities that the query
    is a name or alias of.
    """
    found = found_by_words(views, query, kinds, limit, exclude)
    keys = {(row.view.collection, *key_of(row.artifact)) for row in found}
    found += _alone(vector, views, [kind for kind in KINDS if kind in kinds], keys, exclude)
    return as_units(ranked(_scored(vector, row, query) for row in found), limit)


def _alone(
    vector: TextVector,
    views: Sequence[View],
    kinds: Collection[Kind],
    keys: Collection[tuple[str, Kind, str]],
    exclude: Collection[str] = (),
) -> list[Ranked]:
    """A few near artifacts that are not known yet, each once, best first."""
    most = MAX_SEMANTIC + len(keys) + len(exclude) + SPARE
    near = [
        Ranked(view, row.kind, artifact, row.section, cosine, "semantic")
        for view in views
        for row, cosine in vector.nearest(view, kinds, SEMANTIC_LEAST, most)
        if (view.collection, row.kind, row.id) not in keys and row.id not in exclude
        if (artifact := view.visible.artifact((row.kind, row.id))) is not None
    ]
    near.sort(key=lambda row: -_worth(row.kind) * row.score)
    first: dict[tuple[str, Kind, str], Ranked] = {}
    for row in near:
        first.setdefault((row.view.collection, row.kind, row.artifact.id), row)
    return list(first.values())[:MAX_SEMANTIC]


def _worth(kind: Kind) -> float:
    return 1.0 if kind is Kind.CLAIM else BESIDE_A_CLAIM


def _scored(vector: TextVector, row: Ranked, query: str) -> Ranked:
    """The hit with a score of its nearness and of the share of the query's words, by weight, that
    it holds, with its title and aliases.
    """
    near = max(0.0, vector.cosine(row.view, row.artifact))
    said = row.text if row.kind is Kind.CLAIM else texts(row.artifact)[row.section]
    weights, stems = worths_of(row.view, query), frozenset(content_stems(said))
    held = fsum(weight for word, weight in weights.items() if word.held_by(stems))
    share = held / fsum(weights.values()) if weights else 0.0
    both = SEMANTIC_WEIGHT * near + (1 - SEMANTIC_WEIGHT) * share
    return row._replace(score=round(_worth(row.kind) * both, 6))


def semantic_hits(
    vector: TextVector,
    views: Sequence[View],
    text: str,
    hits: Iterable[Line],
) -> list[Line]:
    """Hits by meaning that a probe lists after the others: weak evidence, whatever the cosine."""
    if not worth_searching(text):
        return []
    keys = {(hit.view.collection, *key_of(hit.artifact)) for hit in hits}
    near = _alone(vector, views, KINDS, keys)
    return [_hit(hit, text) for hit in near if hit.view.tells(hit.score)]


def _hit(hit: Ranked, text: str) -> Line:
    assert isinstance(hit.artifact, Claim | Entity | Page)
    entity_id = hit.artifact.id if isinstance(hit.artifact, Entity) else None
    section = hit.section if isinstance(hit.artifact, Page) else None
    phrase = clip(" ".join(text.split()), PHRASE_CHARS)
    cosine = round(max(0.0, min(hit.score, 1.0)), 3)
    return Line(hit.view, hit.artifact, phrase, cosine, "semantic", entity_id, section)
