"""Chooses what to say about a text or a window: lines about what it names and what answers it, and
the block that holds them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from vouch_sidecar.index.schema import TITLE
from vouch_sidecar.kb.records import Claim, Kind
from vouch_sidecar.retrieval.blocks.block import render
from vouch_sidecar.retrieval.constants import FEW, MAX_CONSIDERED
from vouch_sidecar.retrieval.files.stale_claims import is_followed
from vouch_sidecar.retrieval.gate import may_enter, pages_to_tell
from vouch_sidecar.retrieval.line import Line, Told
from vouch_sidecar.retrieval.lookup import contradicting
from vouch_sidecar.retrieval.people.to_ask import told_in_blocks
from vouch_sidecar.retrieval.salience import Salient
from vouch_sidecar.retrieval.statements.answers import asked_for, asks_for_all, claims_about
from vouch_sidecar.retrieval.statements.candidates import Strengths
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.retrieval.view.claim_texts import each_once
from vouch_sidecar.text.analysis import fold, units
from vouch_sidecar.text.content_words import terms


@dataclass(frozen=True, slots=True)
class ContextBlock:
    """A block and the hits in it; both are empty when there is nothing to say."""

    text: str = ""
    hits: tuple[Line, ...] = ()
    primary: str | None = None
    supplemental: tuple[str, ...] = ()


def make_block(
    views: Sequence[View],
    rows: Sequence[Salient],
    text: str,
    *,
    first: Sequence[Line] = (),
    more: Sequence[Line] = (),
    given: Collection[object] = (),
    leads: str | None = None,
    max_chars: int | None = None,
    max_lines: int | None = None,
) -> ContextBlock:
    """A block about the entities that a text names, as long as the settings allow.

    Lines in `first` come before all others, in this order; `more` are other lines that answer the
    text. Lines whose `state` was `given` before are left out. `leads` is the collection that comes
    first if it has something to say.
    """
    recalls = [row.view.recall for row in rows] + [line.view.recall for line in (*first, *more)]
    limit = max((recall.max_results for recall in recalls), default=0)
    limit = limit if max_lines is None else min(limit, max_lines)
    told, lines = Counter[str](), list[Line]()
    most = limit * len(views) + len(given)  # of which a collection may be allowed fewer
    for line in each_line_once([*first, *lines_for(rows, text, more, most)]):
        collection = line.view.collection
        if line.state not in given and told[collection] < line.view.recall.max_results:
            told[collection] += 1
            lines.append(line)
    lines = lines[:limit]
    primary, others = tiers(text, lines, [view.collection for view in views], leads)
    budget = max_chars or max((recall.max_context_chars for recall in recalls), default=0)
    persona = persona_of(views, primary)
    block, said = render(lines, primary, budget, persona, tiers=len(views) > 1)
    present = {line.view.collection for line in said}
    supplemental = tuple(each for each in others if each in present)
    return ContextBlock(block, tuple(said), primary if said else None, supplemental)


def persona_of(views: Sequence[View], collection: str | None) -> str | None:
    """The persona that the config of a collection names."""
    return next(
        (view.settings.general.persona for view in views if view.collection == collection), None
    )


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
    for place, row in enumerate(rows[:MAX_CONSIDERED]):
        if place and row.view.deadline.has_passed():
            break  # the first is said however late it is
        strengths = {each.entity.id: each.strength for each in rows if each.view is row.view}
        lines = _lines_of(row, text, strengths, answering, limit)
        if row.view.names.is_topic(row.entity.id) and not asks_for_all(row.view, text, strengths):
            derived += [line for line in lines if not line.people][:1]
            lines = [line for line in lines if line.people]
        firsts += lines[:1]
        others += lines[1:]
    by_place = {(line.place, line.section): line for line in [*others, *firsts]}
    answers = [
        replace(by_place.get((line.place, line.section), line), likelihood=line.likelihood)
        for line in answering
    ]
    for best in answers[:1]:
        less = (at for at, line in enumerate(firsts) if line.likelihood < best.likelihood)
        firsts.insert(next(less, len(firsts)), best)
    others = sorted([*answers[1:], *others], key=lambda line: -line.likelihood)
    hits = each_line_once(_both_sides([*firsts, *others] or derived))
    hits.sort(key=lambda hit: (hit.is_gone, not hit.view.is_unasked and not hit.is_reviewed))
    return hits[:limit]


def _both_sides(hits: Iterable[Line]) -> Iterator[Line]:
    """Hits, and behind each contested claim one that contradicts it."""
    for hit in hits:
        yield hit
        if isinstance(hit.artifact, Claim) and hit.artifact.status == "contested":
            against = contradicting(hit.view, hit.artifact)
            for claim in [claim for claim in against if may_enter(hit.view, claim)][:1]:
                yield Line(hit.view, claim, hit.phrase, hit.similarity, hit.arm, hit.entity_id)


def each_line_once(hits: Iterable[Line]) -> list[Line]:
    """The first hit of each artifact; of claims that say the same a reviewed one, else one that is
    contested, else the first whose file still has its quote, or else lacks it. A reviewed claim
    stands in the place of those that nobody reviewed and that rest on the same evidence or the same
    sentence.
    """
    hits = each_once(hits, _says, lambda *both: min(both, key=_goes_before))
    reviewed = {
        ground: hit for hit in reversed(hits) if hit.is_reviewed for ground in _rests_on(hit)
    }
    kept = {}
    for hit in hits:
        grounds = _rests_on(hit) if reviewed and not hit.is_reviewed else ()
        stands = next((reviewed[ground] for ground in grounds if ground in reviewed), hit)
        kept[id(stands)] = stands
    return list(kept.values())


def _goes_before(hit: Line) -> tuple[bool, ...]:
    claim = hit.artifact
    if not isinstance(claim, Claim):
        return ()
    is_known = is_followed(hit.view, claim)
    return not hit.is_reviewed, claim.status != "contested", not is_known, hit.is_gone


def _rests_on(hit: Line) -> Iterator[Hashable]:
    """The evidence that a claim cites, and its sentence in the source."""
    if isinstance(hit.artifact, Claim):
        view = hit.view
        for reference in hit.artifact.evidence:
            if view.knowledge.evidence(reference) is not None:
                yield view.collection, reference
        if (text := view.texts.shown(hit.artifact)).sentence is not None:
            yield view.collection, text.source_id, text.start


def _says(hit: Line) -> Iterable[Hashable]:
    shown, collection = hit.shown_text, hit.view.collection
    return [hit.place] if shown is None else [(collection, said) for said in shown.says]


def _lines_of(
    row: Salient, text: str, strengths: Strengths, answering: Sequence[Line], limit: int
) -> list[Line]:
    """The lines of one entity, best first: whom to ask, if the text asks that, and its likeliest
    claim; up to `limit` claims if the text asks nothing but the name. An entity without fitting
    claims has the hits `answering` that are about it, else pages about it.
    """
    whom, view = whom_to_ask(row, text), row.view
    about = claims_about(view, row.entity.id, text, strengths)
    asked = asked_for(view, about, text, strengths)
    about = [
        claim
        for claim in about
        if claim.kind == "worded"
        or claim.is_told(view)
        or (claim.kind == "passage" and claim.artifact.id in asked)
    ]
    if not about:
        told_by = [line for line in answering if line.entity_id == row.entity.id]
        pages = () if told_by or view.since is not None else _pages_about(row)
        return [*whom, *told_by, *pages]
    about = [about[0], *(each for each in about[1:] if each.artifact.id in asked)]
    claims = each_line_once(
        replace(_hit(row, each.artifact), judged=each, likelihood=each.likelihood) for each in about
    )[:limit]
    said_by = 1 if about[0].words else 0  # a claim that holds what is asked goes first
    return [*claims[:said_by], *whom, *claims[said_by:]]


def _pages_about(row: Salient) -> list[Line]:
    """The pages that list an entity, then those with its name in their title."""
    view = row.view
    listing = view.visible.pages_about((Kind.ENTITY, row.entity.id))
    query = view.search.holding(terms(row.entity.name), TITLE)
    titled = view.visible.artifacts_in(query, FEW)
    return [_hit(row, page) for page in pages_to_tell([*listing, *titled])]


def whom_to_ask(row: Salient, text: str) -> list[Line]:
    """The line that says whom to ask about an entity, where a text asks that."""
    said = told_in_blocks(row.view, row.entity, text)
    return [replace(_hit(row, row.entity), people=said, likelihood=1.0)] if said else []


def _hit(row: Salient, artifact: Told) -> Line:
    phrase = row.matched[0] if row.matched else row.entity.name
    return Line(row.view, artifact, phrase, row.strength, row.arm, row.entity.id)


def tiers(
    text: str, hits: Sequence[Line], collections: Sequence[str], leads: str | None = None
) -> tuple[str | None, tuple[str, ...]]:
    """The collection that a text is about, and the others that have something to add: `leads` comes
    first if it has hits, else one that the text names, else the one with the most evidence.
    """
    sums: defaultdict[str, float] = defaultdict(float)
    for hit in hits:
        sums[hit.view.collection] += hit.similarity
    several = collections if len(collections) > 1 else ()
    named = sorted(collection for collection in several if _names_collection(text, collection))
    ranked = sorted(sums, key=lambda c: (-round(sums[c], 6), c))
    primary = leads if leads in sums else next(iter([*named, *ranked]), None)
    return primary, tuple(c for c in ranked if c != primary)


def _names_collection(text: str, collection: str) -> bool:
    said, name = ([unit.folded for unit in units(fold(part)).units] for part in (text, collection))
    return bool(name) and f" {' '.join(name)} " in f" {' '.join(said)} "
