"""Explains what a text brings in: every candidate with its verdict, reported by the code that
decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Generic, Literal, NamedTuple, TypeVar

from vouch_sidecar.kb.records import Artifact, Claim, Entity, Kind, Page, Relation, key_of
from vouch_sidecar.retrieval.constants import MANY, MAX_PHRASED, UNASKED_LEAST
from vouch_sidecar.retrieval.evidence.name_strength import FACTORS, least, sentence, weigh, why
from vouch_sidecar.retrieval.evidence.word_weights import worths_of
from vouch_sidecar.retrieval.files.stale_claims import is_lost, stale
from vouch_sidecar.retrieval.gate import may_enter
from vouch_sidecar.retrieval.line import Line
from vouch_sidecar.retrieval.probe import Probe
from vouch_sidecar.retrieval.salience import NEVER_SAID, strengths_of, volunteered, why_unsaid
from vouch_sidecar.retrieval.statements.answers import answers
from vouch_sidecar.retrieval.statements.candidates import Candidate
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.semantic.vectors import TextVector

A = TypeVar("A", bound=Artifact)
Verdict = Literal["volunteered", "listed", "refused"]


class Explained(NamedTuple, Generic[A]):
    """What a text may name or bring in, with the verdict and its reason."""

    artifact: A
    value: float
    factors: Mapping[str, float]
    verdict: Verdict
    why: str


def candidates(
    view: View, text: str, probed: Probe, hits: Sequence[Line]
) -> list[Explained[Entity]]:
    """The entities that a text may name, strongest first. `hits` are the lines that are said."""
    rows = {row.entity.id: row for row in probed.named if row.view is view}
    told = {hit.entity_id for hit in hits if hit.view is view}
    told |= {row.entity.id for row in volunteered(rows.values())}
    mentions = sorted(weigh(view, text), key=lambda mention: mention.strength)
    considered = []
    for entity_id, mention in {mention.entity_id: mention for mention in mentions}.items():
        verdict: Verdict = "volunteered"
        needs, note, row = 0.0, "", rows.get(entity_id)
        if entity_id not in told and row is None:
            verdict, needs = "refused", least(mention)
        elif entity_id not in told and row is not None:
            verdict, note = "listed", why_unsaid(row) or ""
            needs = 0.0 if mention.form in NEVER_SAID else view.name_threshold
        said = "; ".join(filter(None, [why(mention, view.name_threshold, needs), note]))
        factors = {name: float(getattr(mention, name)) for name in FACTORS}
        if (entity := view.visible.entity(entity_id)) is not None:
            considered.append(Explained(entity, mention.strength, factors, verdict, said))
    return sorted(considered, key=lambda row: (-row.value, row.artifact.id))


def lines(
    view: View, text: str, probed: Probe, hits: Sequence[Line], vector: TextVector | None = None
) -> list[Explained[Artifact]]:
    """The claims, sections and relations that a text may bring in, those that are said first.
    `hits` are the lines that are said.
    """
    said = {key_of(hit.artifact): _told(hit) for hit in hits if hit.view is view}
    judged = answers(view, text[:MAX_PHRASED], strengths_of(probed.sure, view), vector)
    others = (each for each in judged if isinstance(each.artifact, Claim | Page | Relation))
    unsaid = (_unsaid(view, each) for each in others if key_of(each.artifact) not in said)
    rows = [*said.values(), *islice(unsaid, MANY), *_refused(view, text)]
    return sorted(rows, key=lambda row: (row.verdict == "refused", -row.value))


def _refused(view: View, text: str) -> Iterator[Explained[Artifact]]:
    """The claims that hold some words of a text, and may enter no prompt."""
    query = view.search.weighed(worths_of(view, text[:MAX_PHRASED]), Kind.CLAIM)
    for claim, _ in view.visible.found(query, MANY):
        if isinstance(claim, Claim) and not may_enter(view, claim):
            gone = stale(view, claim) if is_lost(view, claim) else None
            why = "it says nothing by itself" if gone is None else gone.reason
            yield Explained(claim, 0.0, {}, "refused", f"never told: {why}")


def _told(hit: Line) -> Explained[Artifact]:
    factors, needs, judged = dict[str, float](), 0.0, hit.judged
    reason = f"“{hit.phrase}” names {hit.entity_id}"
    if judged is not None:
        factors, needs = dict(judged.features.terms), UNASKED_LEAST.get(judged.kind, 0.0)
    if hit.people:
        reason = "the text asks for somebody to ask"
    elif hit.arm in ("text", "semantic") and judged is not None:
        reason = judged.features.reason(judged.words)
    said = sentence(hit.likelihood, reason)
    if hit.likelihood < needs:
        said += f"; unasked it needs {needs:.2f}, as nobody reviewed it"
    return Explained(hit.artifact, hit.likelihood, factors, "volunteered", said)


def _unsaid(view: View, answer: Candidate) -> Explained[Artifact]:
    is_told, needs = answer.is_told(view), view.least(answer.kind)
    reason = f"{'' if is_told else 'only '}{answer.features.reason(answer.words)}"
    said = sentence(answer.likelihood, reason, needs)
    if is_told:
        said += "; others go before it, or names alone are looked for here"
    return Explained(answer.artifact, answer.likelihood, answer.features.terms, "refused", said)
