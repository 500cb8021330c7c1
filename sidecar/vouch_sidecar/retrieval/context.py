"""What to hand over for a text or a window: hits chosen from what it names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from vouch_sidecar.index.content import Needle, content_stems, needles
from vouch_sidecar.index.schema import stems_in
from vouch_sidecar.index.text import fold, units
from vouch_sidecar.kb.records import Claim, Kind, Page, Relation, key_of
from vouch_sidecar.retrieval.answering import asked_next
from vouch_sidecar.retrieval.block import Hit
from vouch_sidecar.retrieval.constants import MAX_NEAREST
from vouch_sidecar.retrieval.salience import Salient
from vouch_sidecar.retrieval.view import claim_in

__all__ = ["Tiers", "adjacent_hits", "hits_for", "hits_next", "tiers"]


@dataclass(frozen=True, slots=True)
class Tiers:
    """Which collection a text is about, and which others have something to add."""

    primary: str | None
    supplemental: tuple[str, ...]


def hits_for(rows: Sequence[Salient], text: str, limit: int) -> list[Hit]:
    """The best of each salient entity in turn, then the second best, at most `limit`."""
    # No queue gives more than `limit`: whatever is taken from one is among the chosen.
    queues = [list(islice(_hits_of(row, text), limit)) for row in rows]
    chosen: list[Hit] = []
    seen: set[tuple[str, Kind, str]] = set()
    for turn in range(max(map(len, queues), default=0)):
        for queue in queues:
            if turn < len(queue) and len(chosen) < limit:
                hit = queue[turn]
                key = (hit.view.collection, *key_of(hit.artifact))
                if key not in seen:
                    seen.add(key)
                    chosen.append(hit)
    return chosen


def _hits_of(row: Salient, text: str) -> Iterable[Hit]:
    """An entity's claims, nearest to the text first; where it has none, its pages.

    After the first, only claims that hold more of the text than the entity's name: what shares
    nothing else with a prompt is not worth its place there. A name alone, or with one word beside
    it, asks for everything.
    """
    asked = _asked(row, text)
    nearest = row.view.nearest(row.entity.id, text, MAX_NEAREST)
    for claim in nearest:
        if claim is nearest[0] or asked is None or asked.in_one_with(frozenset(stems_in(claim))):
            yield _hit(row, claim_in(claim))
    if not nearest:
        for page in row.view.pages_about((Kind.ENTITY, row.entity.id)):
            yield _hit(row, page)


class _Asked(NamedTuple):
    """Content words: those that are one stem, which a set finds at once, and the others."""

    stems: frozenset[str]
    others: tuple[Needle, ...]

    def in_one_with(self, stems: frozenset[str]) -> bool:
        return not stems.isdisjoint(self.stems) or any(n.held_by(stems) for n in self.others)


def hits_next(rows: Sequence[Salient], text: str) -> list[Hit]:
    """What a text asks next of entities that were spoken of before: only claims that hold most of
    what it says besides their names.
    """
    return [
        _hit(row, answer.claim)
        for row in rows
        for answer in asked_next(row, text, row.view.nearest(row.entity.id, text, MAX_NEAREST))
    ]


def _asked(row: Salient, text: str) -> _Asked | None:
    """The content words of a text that are in no name of the entity; None: it asks for all."""
    length = row.view.once("length", text, lambda: len(units(text).units))
    if length <= 1 + max((len(units(m).units) for m in row.matched), default=0):
        return None
    names = frozenset(
        stem for name in (row.entity.name, *row.entity.aliases) for stem in content_stems(name)
    )
    stems, others = row.view.once("asked", text, lambda: _by_stem(text))
    return _Asked(stems - names, tuple(n for n in others if not n.held_by(names)))


def _by_stem(text: str) -> _Asked:
    words = needles(text)
    stems = frozenset(stem for word in words if (stem := word.only_stem))
    return _Asked(stems, tuple(word for word in words if not word.only_stem))


def _hit(row: Salient, artifact: Claim | Page) -> Hit:
    phrase = row.matched[0] if row.matched else row.entity.name
    similarity = round(row.strength, 3)
    return Hit(row.view, artifact, phrase, similarity, row.arm, row.entity.id)


def adjacent_hits(hits: Sequence[Hit]) -> list[Hit]:
    """What stands one step away from the hits: pages and relations of their entities."""
    found: dict[tuple[str, Kind, str], Hit] = {}
    for hit in hits:
        for artifact in _neighbours(hit):
            near = Hit(hit.view, artifact, hit.phrase, hit.similarity, hit.arm, hit.entity_id)
            found.setdefault((hit.view.collection, *key_of(artifact)), near)
    for hit in hits:
        found.pop((hit.view.collection, *key_of(hit.artifact)), None)
    return list(found.values())


def _neighbours(hit: Hit) -> list[Page | Relation]:
    view = hit.view
    out: list[Page | Relation] = []
    if isinstance(hit.artifact, Claim):
        out += view.pages_about((Kind.CLAIM, hit.artifact.id))
    if hit.entity_id:
        out += view.pages_about((Kind.ENTITY, hit.entity_id))
        out += view.relations_of(hit.entity_id)
    return out


def tiers(text: str, hits: Sequence[Hit], collections: Sequence[str]) -> Tiers:
    """A collection that the text names comes first, else the one with the most evidence."""
    sums: defaultdict[str, float] = defaultdict(float)
    for hit in hits:
        sums[hit.view.collection] += hit.similarity
    named = [c for c in collections if _names_collection(text, c)] if len(collections) > 1 else []
    ranked = sorted(sums, key=lambda c: (-round(sums[c], 6), c))
    primary = next(iter(sorted(named) or ranked), None)
    return Tiers(primary, tuple(c for c in ranked if c != primary))


def _names_collection(text: str, collection: str) -> bool:
    words = [u.folded for u in units(text).units]
    name = [u.folded for u in units(fold(collection)).units]
    return bool(name) and any(
        words[i : i + len(name)] == name for i in range(len(words) - len(name) + 1)
    )
