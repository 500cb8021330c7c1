"""What to say of a text or a window: lines chosen from what it names and what full text found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from vouch_sidecar.index.schema import sections
from vouch_sidecar.index.text import fold, units
from vouch_sidecar.kb.records import Claim, Entity, Kind, Page, Relation, key_of
from vouch_sidecar.retrieval.answering import asked_next, sections_about
from vouch_sidecar.retrieval.block import Hit, titles_of
from vouch_sidecar.retrieval.choosing import asks_for_all, choose, spans_of
from vouch_sidecar.retrieval.constants import MAX_SPEAKING, WHOLE_WORTH
from vouch_sidecar.retrieval.people import asks_whom, people, told
from vouch_sidecar.retrieval.salience import Salient

__all__ = ["Tiers", "adjacent_hits", "each_once", "lines_for", "lines_next", "tiers"]


@dataclass(frozen=True, slots=True)
class Tiers:
    """Which collection a text is about, and which others have something to add."""

    primary: str | None
    supplemental: tuple[str, ...]


class _Line(NamedTuple):
    """A hit, and the share that it holds of what a text asks, from 0 to 1."""

    hit: Hit
    share: float


def lines_for(
    rows: Sequence[Salient], text: str, found: Sequence[Hit] = (), limit: int = 10
) -> list[Hit]:
    """What to say of a text, best first: of the entities that it names, and what full text `found`.

    First come one line for each entity, in their order, and the best of what was found, which goes
    before those that hold less of the text; then the others, by what they hold.
    """
    firsts: list[_Line] = []
    others: list[_Line] = []
    for place, row in enumerate(rows[:MAX_SPEAKING]):
        if place and row.view.deadline.has_passed():
            break  # the first is said however late it is
        lines = _lines_of(row, text, limit)
        firsts += lines[:1]
        others += lines[1:]
    named = {_place(line.hit): line.hit for line in [*others, *firsts]}
    answers = [_Line(named.get(_place(h), h), h.similarity / WHOLE_WORTH) for h in found]
    for best in answers[:1]:
        less = (at for at, line in enumerate(firsts) if line.share < best.share)
        firsts.insert(next(less, len(firsts)), best)
    others = sorted([*answers[1:], *others], key=lambda line: -line.share)
    return each_once(line.hit for line in [*firsts, *others])[:limit]


def _artifact(hit: Hit) -> tuple[str, Kind, str]:
    return (hit.view.collection, *key_of(hit.artifact))


def each_once(hits: Iterable[Hit]) -> list[Hit]:
    """The first hit of each artifact."""
    first: dict[tuple[str, Kind, str], Hit] = {}
    for hit in hits:
        first.setdefault(_artifact(hit), hit)
    return list(first.values())


def _lines_of(row: Salient, text: str, limit: int) -> list[_Line]:
    """An entity's claims and the sections about it, by what they hold of a text.

    Beside the first claim only what holds something: what shares nothing else with a prompt is not
    worth its place there. A text that asks for nothing beside the name asks for the best claims.
    What has no claims is told by its pages. Where it is asked for, whom to ask comes before claims
    that do not say it.
    """
    claims = [
        _Line(_hit(row, one.claim), one.share) for one in choose(row.view, row.entity, text, limit)
    ]
    if not asks_for_all(row.view, row.entity, text):
        claims = [line for at, line in enumerate(claims) if line.share or not at]
    names = spans_of(row.view, text, [row.entity.id])
    sections = [
        _Line(_hit(row, one.artifact, one.section, one.words), one.share)
        for one in sections_about(row.view, row.entity, text, names)
    ]
    whom = [_Line(hit, 0.0) for hit in _whom(row, text)]
    if not claims and not sections:
        pages = row.view.pages_about((Kind.ENTITY, row.entity.id))
        return [*whom, *(_Line(_hit(row, page), 0.0) for page in pages)]
    return sorted([*whom, *claims, *sections], key=lambda line: -line.share)


def _whom(row: Salient, text: str) -> list[Hit]:
    """Whom to ask about an entity, where a text asks that and somebody is known."""
    to_ask = told(people(row.view, row.entity)) if asks_whom(text) else ""
    return [replace(_hit(row, row.entity), to_ask=to_ask)] if to_ask else []


def lines_next(rows: Sequence[Salient], text: str) -> list[Hit]:
    """What a text asks next of entities that were spoken of before: whom to ask, and claims that
    hold most of what it says besides their names.
    """
    found: list[Hit] = []
    for row in rows[:MAX_SPEAKING]:
        found += _whom(row, text)
        found += [_hit(row, answer.artifact) for answer in asked_next(row.view, row.entity, text)]
    return found


def _hit(
    row: Salient,
    artifact: Claim | Entity | Page,
    section: int | None = None,
    words: Sequence[str] = (),
) -> Hit:
    phrase = row.matched[0] if row.matched else row.entity.name
    similarity = row.similarity
    return Hit(
        row.view, artifact, phrase, similarity, row.arm, row.entity.id, section, tuple(words)
    )


def adjacent_hits(hits: Sequence[Hit]) -> list[Hit]:
    """What stands one step away from the hits: pages and relations of their entities; of a section,
    those before and after it and the titles of the others.
    """
    said = {_place(hit) for hit in hits}
    pages = {place[:3] for place in said}
    found: dict[tuple[object, ...], Hit] = {}
    for hit in hits:
        for near in _adjacent(hit):
            again = near.section is None and not near.titles and _place(near)[:3] in pages
            if not again and _place(near) not in said:
                found.setdefault(_place(near), near)
    return list(found.values())


def _place(hit: Hit) -> tuple[object, ...]:
    return (*_artifact(hit), hit.section, hit.titles)


def _adjacent(hit: Hit) -> Iterator[Hit]:
    """The sections before and after one, and one line with the titles of the rest of its page; then
    pages and relations.
    """
    if isinstance(hit.artifact, Page) and hit.section is not None:
        count = len(sections(hit.artifact))
        beside = [n for n in (hit.section - 1, hit.section + 1) if 0 <= n < count]
        for number in beside:
            yield replace(hit, section=number, words=())
        rest = tuple(n for n in range(count) if n not in (*beside, hit.section))
        if titles := titles_of(hit.artifact, rest):
            yield replace(hit, section=None, words=(), titles=titles)
    view, near = hit.view, list[Page | Relation]()
    if isinstance(hit.artifact, Claim):
        near += view.pages_about((Kind.CLAIM, hit.artifact.id))
    if hit.entity_id:
        near += view.pages_about((Kind.ENTITY, hit.entity_id))
        near += view.relations_of(hit.entity_id)
    for artifact in near:
        yield Hit(view, artifact, hit.phrase, hit.similarity, hit.arm, hit.entity_id)


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
