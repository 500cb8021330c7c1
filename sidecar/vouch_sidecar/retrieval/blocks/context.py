"""Chooses what to say about a text or a window: lines about what it names and what answers it, and
the block that holds them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from vouch_sidecar.index.artifact_documents import sections
from vouch_sidecar.index.document_schema import TITLE
from vouch_sidecar.index.stored_artifacts import key_in
from vouch_sidecar.kb.records import Claim, Entity, Kind, Page, Relation, Source
from vouch_sidecar.kb.settings import Settings
from vouch_sidecar.retrieval.blocks.block import render
from vouch_sidecar.retrieval.constants import (
    MAX_SECTIONS,
    MAX_SPEAKING,
    MAX_TITLED,
)
from vouch_sidecar.retrieval.files.stale_claims import doubt
from vouch_sidecar.retrieval.gate import may_enter, pages_to_tell
from vouch_sidecar.retrieval.line import Line
from vouch_sidecar.retrieval.lookup import contradicting, successors
from vouch_sidecar.retrieval.people.to_ask import ROLES, told_in_blocks
from vouch_sidecar.retrieval.salience import Salient
from vouch_sidecar.retrieval.statements.answers import asked_for, asks_for_all, claims_about
from vouch_sidecar.retrieval.statements.candidates import Strengths
from vouch_sidecar.retrieval.view import View, claim_texts
from vouch_sidecar.text.analysis import fold, units
from vouch_sidecar.text.content_words import terms


@dataclass(frozen=True, slots=True)
class ConfiguredView:
    """A view of a knowledge base, with the settings that govern what is said."""

    view: View
    settings: Settings


@dataclass(frozen=True, slots=True)
class BlockCandidates:
    """The candidates for a block: entities, other answers, and how many of each."""

    rows: Sequence[Salient]
    text: str
    """The text that names the entities."""
    first_hits: Sequence[Line] = ()
    """Hits that come before all others, in this order."""
    more_hits: Sequence[Line] = ()
    given: frozenset[object] = frozenset()
    """The `state` of each line that is left out, such as those that were said before."""
    leads: str | None = None
    """The collection that comes first if it has something to say."""
    max_chars: int | None = None
    max_lines: int | None = None


@dataclass(frozen=True, slots=True)
class ContextBlock:
    """A block and the hits in it; both are empty when there is nothing to say."""

    text: str = ""
    hits: tuple[Line, ...] = ()
    lines: tuple[str, ...] = ()
    """The line of each hit."""
    primary: str | None = None
    supplemental: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tiers:
    """The collection that a text is about, and the others that have something to add."""

    primary: str | None
    supplemental: tuple[str, ...]


def make_block(served: Sequence[ConfiguredView], material: BlockCandidates) -> ContextBlock:
    """Make a block, as long as the settings allow."""
    recalls = {kb.view.collection: kb.view.recall for kb in served}
    rows, more, given = material.rows, material.more_hits, material.given
    about = {row.view.collection for row in rows}
    about |= {hit.view.collection for hit in (*material.first_hits, *more)}
    if not about:
        return ContextBlock()
    limit = max(recalls[collection].max_results for collection in about)
    limit = limit if material.max_lines is None else min(limit, material.max_lines)
    hits = lines_for(rows, material.text, more, limit + len(given))
    hits = each_once([*material.first_hits, *hits])
    hits = [hit for hit in hits if hit.state not in given]
    hits = _at_most(hits, {name: recall.max_results for name, recall in recalls.items()})[:limit]
    if given:
        hits = _marked(hits, given)
    by_evidence = tiers(material.text, hits, [kb.view.collection for kb in served])
    chosen = _led_by(material.leads, by_evidence)
    budget = material.max_chars or max(recalls[name].max_context_chars for name in about)
    key_facts = {name for name, recall in recalls.items() if recall.include_key_facts}
    persona = persona_of(served, chosen.primary)
    block, lines = render(hits, chosen.primary, budget, key_facts, persona, len(served) > 1)
    if not lines:
        return ContextBlock()
    said = tuple(hit for hit, _ in lines)
    present = {hit.view.collection for hit in said}
    supplemental = tuple(c for c in chosen.supplemental if c in present)
    return ContextBlock(block, said, tuple(line for _, line in lines), chosen.primary, supplemental)


def _led_by(leads: str | None, by_evidence: Tiers) -> Tiers:
    """The tiers with the collection `leads` first, if it is one of them."""
    if leads is None or leads not in by_evidence.supplemental:
        return by_evidence
    others = (by_evidence.primary, *by_evidence.supplemental)
    return Tiers(leads, tuple(c for c in others if c is not None and c != leads))


def _at_most(hits: Sequence[Line], limits: Mapping[str, int]) -> list[Line]:
    """The first hits of each collection, as many as it lets be said."""
    left = dict(limits)
    kept = []
    for hit in hits:
        left[hit.view.collection] -= 1
        if left[hit.view.collection] >= 0:
            kept.append(hit)
    return kept


def persona_of(served: Sequence[ConfiguredView], collection: str | None) -> str | None:
    """The persona that the config of a collection names."""
    leading = (kb for kb in served if kb.view.collection == collection)
    return next((kb.settings.general.persona for kb in leading), None)


def _newer(hit: Line) -> set[str]:
    """The ids of the claims that a line cites which supersede another one."""
    return {claim.id for claim in hit.cited if isinstance(claim, Claim) and claim.supersedes}


def _marked(hits: Sequence[Line], given: frozenset[object]) -> list[Line]:
    """The hits, those marked that cite a claim which in the end supersedes one of those `given`,
    which are states of lines.
    """
    views = {hit.view.identity: hit.view for hit in hits if _newer(hit)}
    replacing = {
        (state[0], claim_id)
        for state in given
        if isinstance(state, tuple) and state[0] in views and state[1] == Kind.CLAIM
        for claim_id in successors(views[state[0]], str(state[2]))
    }
    return [
        replace(
            hit,
            replaces_given=any((hit.view.identity, newer) in replacing for newer in _newer(hit)),
        )
        for hit in hits
    ]


def lines_for(
    rows: Sequence[Salient], text: str, answering: Sequence[Line] = (), limit: int = 10
) -> list[Line]:
    """At most `limit` lines about a text, best first: one or more for each entity in `rows`, and
    the hits `answering` the text.

    The first line of every entity comes first, in the order of `rows`, and the likeliest of
    `answering` before the first less likely one of these. The other lines follow, likeliest first.
    A topic has a line only if there is nothing else, unless the text asks for it by name. Stale
    claims come last. Who asked is told what nobody reviewed behind the rest.
    """
    firsts: list[Line] = []
    others: list[Line] = []
    derived: list[Line] = []
    for place, row in enumerate(rows[:MAX_SPEAKING]):
        if place and row.view.deadline.has_passed():
            break  # the first is said however late it is
        strengths = {each.entity.id: each.strength for each in rows if each.view is row.view}
        for_all = asks_for_all(row.view, text, strengths)
        lines = _lines_of(row, text, strengths, answering, limit, for_all=for_all)
        if row.view.names.is_topic(row.entity.id) and not for_all:
            derived += [line for line in lines if line.kind != "people"][:1]
            lines = [line for line in lines if line.kind == "people"]
        firsts += lines[:1]
        others += lines[1:]
    if any(line.kind == "people" for line in firsts):
        answering = [  # for a relation that says whom to ask there is a better line
            line
            for line in answering
            if not (isinstance(line.artifact, Relation) and line.artifact.relation in ROLES)
        ]
    by_place = {_place(line): line for line in [*others, *firsts]}
    answers = [
        replace(by_place.get(_place(line), line), likelihood=line.likelihood) for line in answering
    ]
    for best in answers[:1]:
        less = (at for at, line in enumerate(firsts) if line.likelihood < best.likelihood)
        firsts.insert(next(less, len(firsts)), best)
    others = sorted([*answers[1:], *others], key=lambda line: -line.likelihood)
    hits = each_once(_both_sides([*firsts, *others] or derived))
    return sorted(hits, key=lambda hit: (_is_gone(hit), _comes_behind(hit)))[:limit]


def _is_gone(hit: Line) -> bool:
    """Whether the file that a claim cites no longer has its quote."""
    return (why := hit.stale) is not None and why.is_gone


def _comes_behind(hit: Line) -> bool:
    """Whether somebody who asks is told what was reviewed before it."""
    return not hit.view.is_unasked and not hit.is_reviewed


def _both_sides(hits: Iterable[Line]) -> Iterator[Line]:
    """Hits, and behind each contested claim one that contradicts it."""
    for hit in hits:
        yield hit
        if isinstance(hit.artifact, Claim) and hit.artifact.status == "contested":
            against = contradicting(hit.view, hit.artifact)
            for claim in [claim for claim in against if may_enter(hit.view, claim)][:1]:
                yield Line(hit.view, claim, hit.phrase, hit.similarity, hit.arm, hit.entity_id)


def each_once(hits: Iterable[Line]) -> list[Line]:
    """The first hit of each artifact; of claims that say the same a reviewed one, else the first of
    the least doubtful ones. A reviewed claim stands in the place of those that nobody reviewed and
    that rest on the same evidence or the same sentence.
    """
    hits = claim_texts.each_once(hits, _says, _better)
    if all(hit.is_reviewed for hit in hits):
        return hits
    reviewed = {
        ground: hit for hit in reversed(hits) if hit.is_reviewed for ground in _rests_on(hit)
    }
    grounds = ((hit, () if hit.is_reviewed else _rests_on(hit)) for hit in hits)
    kept = (next((reviewed[at] for at in on if at in reviewed), hit) for hit, on in grounds)
    return list({id(hit): hit for hit in kept}.values())


def _rests_on(hit: Line) -> Iterator[Hashable]:
    """The evidence that a claim cites, and its sentence in the source."""
    if isinstance(hit.artifact, Claim):
        view = hit.view
        for reference in hit.artifact.evidence:
            if view.knowledge.evidence(reference) is not None:
                yield view.collection, reference
        if (sentence := view.texts.sentence(hit.artifact)) is not None:
            yield view.collection, sentence.source_id, sentence.start


def _says(hit: Line) -> Iterator[Hashable]:
    yield hit.place
    if (shown := hit.shown_text) is not None:
        yield from ((hit.view.collection, said) for said in shown.says)


def _better(first: Line, hit: Line) -> Line:
    said, again = first.artifact, hit.artifact
    if not isinstance(said, Claim) or not isinstance(again, Claim) or said.id == again.id:
        return first
    if first.is_reviewed is not hit.is_reviewed:
        return first if first.is_reviewed else hit
    return hit if doubt(hit.view, again) < doubt(first.view, said) else first


def _lines_of(
    row: Salient,
    text: str,
    strengths: Strengths,
    answering: Sequence[Line],
    limit: int,
    *,
    for_all: bool,
) -> list[Line]:
    """The lines of one entity, best first: whom to ask, if the text asks that, and its likeliest
    claim; up to `limit` claims if the text asks nothing but the name. An entity without fitting
    claims has the hits `answering` that are about it, else pages about it; if the text asks nothing
    but the name, first the sections of pages that hold the name.
    """
    whom = whom_to_ask(row, text)
    about = claims_about(row.view, row.entity.id, text, strengths)
    asked = asked_for(row.view, about, text, strengths)
    about = [
        claim
        for claim in about
        if claim.kind == "worded"
        or claim.is_told(row.view)
        or (claim.kind == "passage" and claim.artifact.id in asked)
    ]
    if not about:
        told_by = [line for line in answering if line.entity_id == row.entity.id]
        pages: list[Line] = []
        if row.view.since is None:
            pages += _sections_naming(row) if for_all else []
            pages += [] if told_by else [_hit(row, page) for page in _pages_about(row)]
        return [*whom, *told_by, *pages]
    about = [about[0], *(each for each in about[1:] if each.artifact.id in asked)]
    claims = each_once(
        replace(_hit(row, each.artifact), judged=each, likelihood=each.likelihood) for each in about
    )[:limit]
    said_by = 1 if about[0].words else 0  # a claim that holds what is asked goes first
    return [*claims[:said_by], *whom, *claims[said_by:]]


def _pages_about(row: Salient) -> list[Page]:
    """The pages that list an entity, then those with its name as their title."""
    listing = row.view.visible.pages_about((Kind.ENTITY, row.entity.id))
    words = terms(row.entity.name)
    query = row.view.search.holding(words, TITLE)
    titled = row.view.visible.artifacts_in(query, MAX_TITLED) if words else ()
    return list({page.id: page for page in pages_to_tell([*listing, *titled])}.values())


def _sections_naming(row: Salient) -> list[Line]:
    """Sections of pages that hold an entity's name, those that hold it most often first, each page
    once.
    """
    view, words = row.view, terms(row.entity.name)
    held = view.search.holding(words, Kind.PAGE)
    sections_found: list[tuple[int, str, int, Page]] = []
    for hit in view.knowledge.snapshot.search(held, MAX_SECTIONS):
        document = view.knowledge.snapshot.document(hit)
        found, (_, page_id, number) = view.visible.in_document(document), key_in(document)
        for page in pages_to_tell(filter(None, [found])):
            there = view.names.mentions(f"{page.title}\n{sections(page)[number]}")
            often = sum(mention.entity_id == row.entity.id for mention in there)
            sections_found += [(-often, page_id, number, page)] if often else []
    first: dict[str, Line] = {}
    for _, page_id, number, page in sorted(sections_found, key=lambda section: section[:3]):
        words_there = tuple(word.word for word in words)
        hit_there = replace(_hit(row, page), section=number, words=words_there)
        first.setdefault(page_id, hit_there)
    return list(first.values())[:MAX_TITLED]


def whom_to_ask(row: Salient, text: str) -> list[Line]:
    """The line that says whom to ask about an entity, where a text asks that."""
    said = told_in_blocks(row.view, row.entity, text)
    return (
        [replace(_hit(row, row.entity), kind="people", people=said, likelihood=1.0)] if said else []
    )


def _hit(row: Salient, artifact: Claim | Entity | Page | Relation | Source) -> Line:
    phrase = row.matched[0] if row.matched else row.entity.name
    return Line(row.view, artifact, phrase, row.strength, row.arm, row.entity.id)


def _place(hit: Line) -> tuple[object, ...]:
    return (*hit.place, hit.section)


def tiers(text: str, hits: Sequence[Line], collections: Sequence[str]) -> Tiers:
    """A collection that the text names comes first, else the one with the most evidence."""
    sums: defaultdict[str, float] = defaultdict(float)
    for hit in hits:
        sums[hit.view.collection] += hit.similarity
    named_collections = (
        [c for c in collections if _names_collection(text, c)] if len(collections) > 1 else []
    )
    ranked = sorted(sums, key=lambda c: (-round(sums[c], 6), c))
    primary = next(iter(sorted(named_collections) or ranked), None)
    return Tiers(primary, tuple(c for c in ranked if c != primary))


def _names_collection(text: str, collection: str) -> bool:
    words = [u.folded for u in units(text).units]
    name = [u.folded for u in units(fold(collection)).units]
    return bool(name) and any(
        words[i : i + len(name)] == name for i in range(len(words) - len(name) + 1)
    )
