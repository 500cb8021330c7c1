"""Chooses what to say about a text or a window: lines about what it names and what answers it, and
the block that holds them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from vouch_sidecar.kb.records import Claim
from vouch_sidecar.retrieval.blocks.block import render
from vouch_sidecar.retrieval.constants import MAX_CONSIDERED
from vouch_sidecar.retrieval.each_once import each_once
from vouch_sidecar.retrieval.files import quotes_of
from vouch_sidecar.retrieval.line import Given, Line
from vouch_sidecar.retrieval.lookup import contradicting
from vouch_sidecar.retrieval.people.whom_to_ask import each_with_why, to_ask
from vouch_sidecar.retrieval.salience import Salient, pages_told, strengths_of
from vouch_sidecar.retrieval.statements.answers import answers, asked_for
from vouch_sidecar.retrieval.statements.candidates import Strengths
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.analysis import fold, units
from vouch_sidecar.text.prompt_text import WHOM


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
    given: Given = MappingProxyType({}),
    max_chars: int | None = None,
) -> ContextBlock:
    """A block about the entities that a text names, of knowledge bases that have `recall.enabled`,
    as long as the settings allow.

    Lines in `first` come before all others, in this order; `more` are other lines that answer the
    text. Lines that tell nothing but what was `given` before are left out.
    """
    rows = [row for row in rows if row.view.recall.enabled]
    first, more = ([one for one in those if one.view.recall.enabled] for those in (first, more))
    told, lines = Counter[str](), each_line_once([*first, *lines_for(rows, text, more)])
    recalls, kept = [line.view.recall for line in lines], list[Line]()
    for line in lines:
        has_room = told[line.view.collection] < line.view.recall.max_results
        if has_room and not line.gives.items() <= given.items():
            told[line.view.collection] += 1
            kept.append(line)
    lines = kept[: max((recall.max_results for recall in recalls), default=0)]
    present = {line.view.collection for line in lines}
    named = [row.line(row.entity) for row in rows if row.view.collection in present]
    primary, others = tiers(text, [*lines, *named], views)
    budget = max_chars or max((recall.max_context_chars for recall in recalls), default=0)
    block, said = render(lines, primary, budget, persona_of(views, primary), len(views) > 1)
    present = {line.view.collection for line in said}
    supplemental = tuple(each for each in others if each in present)
    return ContextBlock(block, tuple(said), primary if said else None, supplemental)


def persona_of(views: Sequence[View], collection: str | None) -> str | None:
    """The persona that the config of a collection names."""
    return next(
        (view.settings.general.persona for view in views if view.collection == collection), None
    )


def lines_for(rows: Sequence[Salient], text: str, answering: Sequence[Line] = ()) -> list[Line]:
    """Lines about a text, best first: one or more for each entity in `rows`, and those `answering`
    the text.

    The first line of every entity comes first, in the order of `rows`, and the likeliest of
    `answering` before the first less likely one of these. The other lines follow, likeliest first.
    Stale claims come last. Who asked is told what nobody reviewed behind the rest.
    """
    firsts, others = list[Line](), list[Line]()
    for place, row in enumerate(rows[:MAX_CONSIDERED]):
        if place and row.view.deadline.has_passed():
            break  # the first is said however late it is
        lines = _lines_of(row, text, strengths_of(rows, row.view))
        firsts += lines[:1]
        others += lines[1:]
    for best in answering[:1]:
        less = (at for at, line in enumerate(firsts) if line.likelihood < best.likelihood)
        firsts.insert(next(less, len(firsts)), best)
    others = sorted([*others, *answering[1:]], key=lambda line: -line.likelihood)
    return sorted(
        each_line_once(_both_sides([*firsts, *others])),
        key=lambda line: (line.is_gone, not line.view.is_unasked and not line.is_reviewed),
    )


def _both_sides(lines: Iterable[Line]) -> Iterator[Line]:
    """Lines, and behind each contested claim one that contradicts it."""
    for line in lines:
        yield line
        if isinstance(line.artifact, Claim) and line.artifact.status == "contested":
            against = contradicting(line.view, line.artifact)
            for claim in [claim for claim in against if line.view.may_enter(claim)][:1]:
                yield replace(line, artifact=claim, judged=None)


def each_line_once(lines: Iterable[Line]) -> list[Line]:
    """The first line of each artifact; of claims that say the same a reviewed one, else one that is
    contested, else the first whose file still has its quote, or else lacks it. A reviewed claim
    stands in the place of those that nobody reviewed and that rest on the same evidence or the same
    sentence.
    """
    lines = list(lines)
    reviewed = {at: line for line in reversed(lines) if line.is_reviewed for at in _rests_on(line)}
    standing = (
        line
        if line.is_reviewed
        else next((reviewed[at] for at in _rests_on(line) if at in reviewed), line)
        for line in lines
    )
    return each_once(standing, _says, _goes_before)


def _goes_before(line: Line) -> tuple[bool, ...]:
    claim = line.artifact
    if not isinstance(claim, Claim):
        return ()
    is_known = any(quote for _, quote in quotes_of(line.view, claim))
    return not line.is_reviewed, claim.status != "contested", not is_known, line.is_gone


def _rests_on(line: Line) -> Iterator[Hashable]:
    """The evidence that a claim cites, and its sentence in the source."""
    if isinstance(line.artifact, Claim):
        view, text = line.view, line.view.shown(line.artifact)
        for reference in line.artifact.evidence:
            if view.knowledge.evidence(reference) is not None:
                yield view.collection, reference
        if text.source_id:
            yield view.collection, text.source_id, text.start


def _says(line: Line) -> Iterable[Hashable]:
    shown, collection = line.shown_text, line.view.collection
    return [line.place] if shown is None else [(collection, said) for said in shown.says]


def _lines_of(row: Salient, text: str, strengths: Strengths) -> list[Line]:
    """The lines of one entity, best first: whom to ask, if the text asks that, and its likeliest
    claim, or all of its claims if the text asks nothing but the name; pages about it if it has no
    fitting claims.
    """
    view = row.view
    about = [
        each
        for each in answers(view, text, strengths)
        if row.entity.id in each.entity_ids and isinstance(each.artifact, Claim)
    ]
    asked = asked_for(view, about, text, strengths)
    claims = [
        row.line(claim.artifact, judged=claim)
        for claim in about
        if claim.kind == "worded"
        or claim.is_told(view)
        or (claim.kind == "passage" and claim.artifact.id in asked)
    ]
    others = [line for line in claims[1:] if line.artifact.id in asked]
    pages = pages_told(view, row.entity) if not claims else ()
    return [*whom_to_ask(row, text), *claims[:1], *others, *map(row.line, pages)]


def whom_to_ask(row: Salient, text: str) -> list[Line]:
    """The line that says whom to ask about an entity, where a text asks that."""
    if WHOM.search(text) is None:
        return []
    told = each_with_why(row.entity.type, *to_ask(replace(row.view, is_model=True), row.entity))
    line = replace(row.line(row.entity), similarity=1.0, people=", ".join(told))
    return [line] if told else []


def tiers(
    text: str, lines: Iterable[Line], views: Sequence[View]
) -> tuple[str | None, tuple[str, ...]]:
    """The collection that a text is about, and the others that have something to add: one that the
    text names comes first, else the one with the most evidence.
    """
    sums: defaultdict[str, float] = defaultdict(float)
    for line in lines:
        sums[line.view.collection] += line.similarity
    named = sorted(
        view.collection
        for view in views
        if len(views) > 1 and _names_collection(text, view.collection)
    )
    ranked = sorted(sums, key=lambda c: (-round(sums[c], 6), c))
    primary = next(iter([*named, *ranked]), None)
    return primary, tuple(c for c in ranked if c != primary)


def _names_collection(text: str, collection: str) -> bool:
    said, name = ([unit.folded for unit in units(fold(part)).units] for part in (text, collection))
    return bool(name) and f" {' '.join(name)} " in f" {' '.join(said)} "
