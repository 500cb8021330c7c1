"""Explains what a text brings in: every candidate with its verdict, reported by the code that
decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal

from vouch_sidecar.kb.records import Claim, Entity, Kind, Page, Relation, key_of
from vouch_sidecar.names.matcher import Mention
from vouch_sidecar.retrieval.constants import MANY, MAX_PHRASED, UNASKED_LEAST
from vouch_sidecar.retrieval.evidence.name_strength import least_to_list, sentence, weigh, why
from vouch_sidecar.retrieval.evidence.word_weights import worths_of
from vouch_sidecar.retrieval.line import Line
from vouch_sidecar.retrieval.probe import Probe
from vouch_sidecar.retrieval.salience import (
    NEVER_VOLUNTEERED,
    strengths_of,
    volunteered,
    why_not_volunteered,
)
from vouch_sidecar.retrieval.statements.answers import answers
from vouch_sidecar.retrieval.statements.candidates import Candidate
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.semantic.vectors import TextVector

Verdict = Literal["volunteered", "listed", "refused"]


def named(
    view: View, text: str, probed: Probe, hits: Sequence[Line]
) -> Iterator[tuple[Entity, Mention, Verdict, str]]:
    """The entities that a text may name, each with its strongest mention, the verdict and its
    reason; strongest first. `hits` are the lines that are said.
    """
    rows = {row.entity.id: row for row in probed.named if row.view is view}
    told = {hit.entity_id for hit in hits if hit.view is view}
    told |= {row.entity.id for row in volunteered(rows.values())}
    allowed = {(m.start, m.entity_id) for m in view.mentions(text)}
    silenced = [
        m._replace(matched=text[m.start : m.end], factors={"never": 0.0})
        for m in view.knowledge.names.find(text)
        if (m.start, m.entity_id) not in allowed
    ]
    weighed = sorted([*silenced, *weigh(view, text)], key=lambda m: m.strength)
    strongest = {mention.entity_id: mention for mention in weighed}
    for mention in sorted(strongest.values(), key=lambda m: (-m.strength, m.entity_id)):
        verdict: Verdict = "volunteered"
        needs, note, row = 0.0, "", rows.get(mention.entity_id)
        if mention.entity_id not in told and row is None:
            verdict, needs = "refused", least_to_list(mention)
        elif mention.entity_id not in told and row is not None:
            verdict, note = "listed", why_not_volunteered(row) or ""
            needs = 0.0 if mention.form in NEVER_VOLUNTEERED else view.name_threshold
        said = "; ".join(filter(None, [why(mention, view.name_threshold, needs), note]))
        if (entity := view.entity(mention.entity_id)) is not None:
            yield entity, mention, verdict, said


def considered(
    view: View, text: str, probed: Probe, hits: Sequence[Line], vector: TextVector | None = None
) -> list[tuple[Line, bool, str]]:
    """The claims, sections and relations that a text may bring in, and the claims with words of it
    that may enter no prompt, each with whether it is said and the reason; those that are said
    first. `hits` are the lines that are said.
    """
    said = {key_of(hit.artifact): hit for hit in hits if hit.view is view}
    lines = [(hit, True, _why_said(hit)) for hit in said.values()]
    others = (
        (Line(view, each.artifact, "", each.likelihood, "text", None, judged=each), each)
        for each in answers(view, text, strengths_of(probed.sure, view), vector)
        if isinstance(each.artifact, Claim | Page | Relation) and key_of(each.artifact) not in said
    )
    lines += ((one, False, _why_unsaid(view, each, probed)) for one, each in islice(others, MANY))
    query = view.search.weighed(worths_of(view, text[:MAX_PHRASED]), Kind.CLAIM)
    lines += (
        (Line(view, claim, "", 0.0, "text", None), False, f"never told: {reason}")
        for claim, _ in view.found(query, MANY)
        if isinstance(claim, Claim) and (reason := view.why_never_told(claim)) is not None
    )
    return sorted(lines, key=lambda row: (not row[1], -row[0].likelihood))


def _why_said(hit: Line) -> str:
    reason, judged = f"“{hit.phrase}” names {hit.entity_id}", hit.judged
    if hit.people:
        reason = "the text asks for somebody to ask"
    elif hit.arm in ("text", "semantic") and judged is not None:
        reason = judged.features.reason(judged.words)
    needs = 0.0 if judged is None else UNASKED_LEAST.get(judged.kind, 0.0)
    note = f"; unasked it needs {needs:.2f}, as nobody reviewed it"
    return sentence(hit.likelihood, reason) + ("" if hit.likelihood >= needs else note)


def _why_unsaid(view: View, answer: Candidate, probed: Probe) -> str:
    is_told, needs = answer.is_told(view), view.least(answer.kind)
    reason = f"{'' if is_told else 'only '}{answer.features.reason(answer.words)}"
    is_searched = view.recall.fallback_to_fts and probed.answers
    others = "others go before it" if is_searched else "names alone are looked for here"
    return sentence(answer.likelihood, reason, needs) + (f"; {others}" if is_told else "")
