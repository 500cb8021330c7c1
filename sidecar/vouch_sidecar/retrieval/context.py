"""What to say of a text or a window: lines chosen from what it names and what answers it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from vouch_sidecar.index.content import terms
from vouch_sidecar.index.schema import TITLE, sections
from vouch_sidecar.index.text import fold, units
from vouch_sidecar.kb.records import Claim, Entity, Kind, Page, Relation, Source
from vouch_sidecar.retrieval.answering import asks_for_all, spoken_about
from vouch_sidecar.retrieval.authors import authors_about, told_by_commits
from vouch_sidecar.retrieval.block import Hit, titles_of
from vouch_sidecar.retrieval.constants import MAX_SPEAKING, MAX_TITLED
from vouch_sidecar.retrieval.people import ROLES, asks_whom, people, told
from vouch_sidecar.retrieval.salience import Salient


@dataclass(frozen=True, slots=True)
class Tiers:
    """Which collection a text is about, and which others have something to add."""

    primary: str | None
    supplemental: tuple[str, ...]


class _Line(NamedTuple):
    """A hit, and how likely it is that it answers, from 0 to 1."""

    hit: Hit
    likelihood: float


def lines_for(
    rows: Sequence[Salient], text: str, found: Sequence[Hit] = (), limit: int = 10
) -> list[Hit]:
    """What to say of a text, best first: of the entities that it names, and what was `found` to
    answer it.

    Every entity has one line, in their order; the likeliest answer goes before those that are less
    likely. Then come the other answers, likeliest first. A topic has a line where there is nothing
    else. What went stale stands behind all else; a claim whose file is gone is not said.
    """
    firsts: list[_Line] = []
    others: list[_Line] = []
    derived: list[_Line] = []
    for place, row in enumerate(rows[:MAX_SPEAKING]):
        if place and row.view.deadline.has_passed():
            break  # the first is said however late it is
        lines = _lines_of(row, text, found, limit)
        if row.view.is_topic(row.entity.id):
            derived += [line for line in lines if not line.hit.to_ask][:1]
            lines = [line for line in lines if line.hit.to_ask]
        firsts += lines[:1]
        others += lines[1:]
    if any(line.hit.to_ask for line in firsts):
        found = [hit for hit in found if not _says_whom(hit)]
    named = {_place(line.hit): line.hit for line in [*others, *firsts]}
    answers = [_Line(named.get(_place(hit), hit), hit.similarity) for hit in found]
    for best in answers[:1]:
        less = (at for at, line in enumerate(firsts) if line.likelihood < best.likelihood)
        firsts.insert(next(less, len(firsts)), best)
    others = sorted([*answers[1:], *others], key=lambda line: -line.likelihood)
    hits = each_once(line.hit for line in [*firsts, *others] or derived)
    went = {id(hit): hit.stale for hit in hits}
    hits = [hit for hit in hits if (one := went[id(hit)]) is None or one.code != "file-gone"]
    return sorted(hits, key=lambda hit: went[id(hit)] is not None)[:limit]


def each_once(hits: Iterable[Hit]) -> list[Hit]:
    """The first hit of each artifact, and of each sentence that several claims say."""
    first: dict[tuple[str, Kind, str], Hit] = {}
    for hit in hits:
        first.setdefault(hit.place, hit)
    return list(first.values())


def _lines_of(row: Salient, text: str, found: Sequence[Hit], limit: int) -> list[_Line]:
    """An entity's lines: whom to ask where that is asked, its likeliest claim, and all of its best
    ones where nothing is asked beside its name. What has no claims is told by what was found about
    it, else by its pages.
    """
    whom = [_Line(hit, 1.0) for hit in whom_to_ask(row, text)]
    about = spoken_about(row.view, row.entity, text)
    if not about:
        told_by = [hit for hit in found if hit.entity_id == row.entity.id]
        pages = [] if told_by or row.view.since is not None else _pages_about(row)
        lines = [_Line(hit, hit.similarity) for hit in told_by]
        return [*whom, *lines, *(_Line(_hit(row, page), 0.0) for page in pages)]
    most = limit if asks_for_all(row.view, text) else 1
    claims = [_Line(_hit(row, one.artifact), one.likelihood) for one in about[:most]]
    said_by = 1 if about[0].words else 0  # a claim that holds what is asked goes first
    return [*claims[:said_by], *whom, *claims[said_by:]]


def _pages_about(row: Salient) -> list[Page]:
    """The pages that list an entity, then those with its name as their title."""
    listing = row.view.pages_about((Kind.ENTITY, row.entity.id))
    words = terms(row.entity.name)
    query = row.view.search.holding(words, TITLE)
    titled = row.view.found(query, MAX_TITLED) if words else ()
    pages = [*listing, *(one for one in titled if isinstance(one, Page))]
    return list({page.id: page for page in pages}.values())


def _says_whom(hit: Hit) -> bool:
    """Whether a relation says whom to ask, which a line of its own says better."""
    return isinstance(hit.artifact, Relation) and hit.artifact.relation in ROLES


def whom_to_ask(row: Salient, text: str) -> list[Hit]:
    """Whom to ask about an entity, where a text asks that and somebody is known."""
    if not asks_whom(text):
        return []
    authors = authors_about(row.view, row.entity) if row.view.authors.in_blocks else []
    said = [told(people(row.view, row.entity)), told_by_commits(authors)]
    to_ask = "; ".join(filter(None, said))
    return [replace(_hit(row, row.entity), to_ask=to_ask)] if to_ask else []


def _hit(row: Salient, artifact: Claim | Entity | Page | Relation | Source) -> Hit:
    phrase = row.matched[0] if row.matched else row.entity.name
    return Hit(row.view, artifact, phrase, row.similarity, row.arm, row.entity.id)


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
    return (*hit.place, hit.section, hit.titles)


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
