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
from vouch_sidecar.retrieval.files.stale_claims import is_lost, stale
from vouch_sidecar.retrieval.gate import may_enter
from vouch_sidecar.retrieval.line import Line
from vouch_sidecar.retrieval.probe import Probe
from vouch_sidecar.retrieval.salience import NEVER_SAID, surely_named, volunteered, why_unsaid
from vouch_sidecar.retrieval.statements.answers import answers, asked_beside
from vouch_sidecar.retrieval.statements.candidates import Candidate
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.semantic.vectors import TextVector
from vouch_sidecar.text.content_words import Term

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
    sure = surely_named(row for row in probed.named if row.view is view)
    strengths = {row.entity.id: row.strength for row in sure}
    found = answers(view, text[:MAX_PHRASED], strengths, vector)
    judged = {
        key_of(c.artifact): c for c in found if isinstance(c.artifact, Claim | Page | Relation)
    }
    said = {key_of(hit.artifact): hit for hit in hits if hit.view is view}
    told = [_told(hit, judged.pop(key, hit.judged)) for key, hit in said.items()]
    told += [_unsaid(view, each) for each in islice(judged.values(), MANY)]
    told += _refused(view, asked_beside(view, text[:MAX_PHRASED], strengths).weights)
    return sorted(told, key=lambda row: (row.verdict == "refused", -row.value))


def _refused(view: View, words: Mapping[Term, float]) -> Iterator[Explained[Artifact]]:
    """The claims that hold some of these words, and may enter no prompt."""
    query = view.search.weighed(words, Kind.CLAIM)
    for claim in view.visible.artifacts_in(query, MANY):
        if isinstance(claim, Claim) and not may_enter(view, claim):
            gone = stale(view, claim) if is_lost(view, claim) else None
            why = "it says nothing by itself" if gone is None else gone.reason
            yield Explained(claim, 0.0, {}, "refused", f"never told: {why}")


def _told(hit: Line, answer: Candidate | None) -> Explained[Artifact]:
    value, factors, needs = hit.similarity, dict[str, float](), 0.0
    reason = f"“{hit.phrase}” names {hit.entity_id}"
    if answer is not None:
        value, factors = answer.likelihood, dict(answer.features.terms)
        needs = UNASKED_LEAST.get(answer.kind, 0.0)
    if hit.people:
        reason = "the text asks for somebody to ask"
    elif hit.arm in ("text", "semantic") and answer is not None:
        reason = answer.features.reason(answer.words)
    said = sentence(value, reason)
    if hit.similarity < needs:
        said += f"; unasked it needs {needs:.2f}, as nobody reviewed it"
    return Explained(hit.artifact, value, factors, "volunteered", said)


def _unsaid(view: View, answer: Candidate) -> Explained[Artifact]:
    is_told, needs = answer.is_told(view), view.least(answer.kind)
    reason = f"{'' if is_told else 'only '}{answer.features.reason(answer.words)}"
    said = sentence(answer.likelihood, reason, needs)
    if is_told:
        said += "; others go before it, or names alone are looked for here"
    return Explained(answer.artifact, answer.likelihood, answer.features.terms, "refused", said)
