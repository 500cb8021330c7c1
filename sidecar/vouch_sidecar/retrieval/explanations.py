"""Explains what a text brings in: every candidate with its verdict, reported by the code that
decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, Literal, NamedTuple, TypeVar

from vouch_sidecar.kb.records import Artifact, Entity, key_of
from vouch_sidecar.retrieval.constants import MANY, MAX_PHRASED, UNASKED_LEAST
from vouch_sidecar.retrieval.evidence.name_strength import FACTORS, least, sentence, weigh, why
from vouch_sidecar.retrieval.line import Line
from vouch_sidecar.retrieval.salience import (
    asked_by_name,
    is_volunteered,
    named_in,
    surely_named,
    why_unsaid,
)
from vouch_sidecar.retrieval.statements.answers import ANSWERING, answers, kinds_for
from vouch_sidecar.retrieval.statements.candidates import Candidate
from vouch_sidecar.retrieval.statements.text_vector import TextVector
from vouch_sidecar.retrieval.view import View

A = TypeVar("A", bound=Artifact)
Verdict = Literal["volunteered", "listed", "refused"]
NEVER = "`sidecar.names.never` has the word"
ALONE = "nobody declared it, and no other word of its claims stands beside it"
NAME_PART = "part of a name is listed, not said"


class Explained(NamedTuple, Generic[A]):
    """What a text may name or bring in, with the verdict and its reason."""

    artifact: A
    value: float
    factors: Mapping[str, float]
    verdict: Verdict
    why: str


def candidates(view: View, text: str) -> list[Explained[Entity]]:
    """The entities that a text may name, strongest first."""
    rows = {row.entity.id: row for row in named_in(view, [text])}
    in_full = {row.entity.id for row in named_in(view, [text], parts=False)}
    asked = {row.entity.id for row in asked_by_name(view, text)}
    heard = {mention.start for mention in view.names.mentions(text)}
    unheard = (m for m in view.knowledge.names.find(text) if m.start not in heard)
    strongest = {mention.entity_id: mention._replace(arm=0.0) for mention in unheard}
    for mention in sorted(weigh(view, text), key=lambda mention: mention.strength):
        strongest[mention.entity_id] = mention
    considered = []
    for entity_id, mention in strongest.items():
        if (entity := view.visible.entity(entity_id)) is None:
            continue
        row, needs, note = rows.get(entity_id), 0.0, ""
        verdict: Verdict = "listed"
        if entity_id in asked:
            verdict, note = "volunteered", "the text asks for nothing else"
        elif row is None:
            verdict, needs = "refused", least(mention)
        elif entity_id not in in_full:
            note = ALONE if view.names.is_topic(entity_id) else NAME_PART
        else:
            verdict = "volunteered" if is_volunteered(row) else "listed"
            needs, note = view.name_threshold, why_unsaid(row) or ""
        said = "; ".join(filter(None, [why(mention, view.name_threshold, needs), note]))
        factors = {name: float(getattr(mention, name)) for name in FACTORS}
        reason = said if mention.arm else NEVER
        considered.append(Explained(entity, mention.strength, factors, verdict, reason))
    return sorted(considered, key=lambda row: (-row.value, row.artifact.id))


def lines(
    view: View, text: str, hits: Sequence[Line], vector: TextVector | None = None
) -> list[Explained[Artifact]]:
    """The claims, sections and relations that a text may bring in, those that are said first.
    `hits` are the lines that are said.
    """
    speaking = {row.entity.id: row.strength for row in surely_named(named_in(view, [text]))}
    found = answers(view, text[:MAX_PHRASED], speaking, kinds_for(view), vector)
    judged = {key_of(each.artifact): each for each in found}
    said = {key_of(hit.artifact): hit for hit in hits if hit.view.identity == view.identity}
    told = [_told(hit, hit.judged or judged.get(key)) for key, hit in said.items()]
    left = "in so short a text, or by these settings, only names are looked for"
    left = "others go before it" if hits else left
    unsaid = [key for key in judged if key[0] in ANSWERING][:MANY]
    told += [_unsaid(view, judged[key], left) for key in unsaid if key not in said]
    return sorted(told, key=lambda row: (row.verdict == "refused", -row.value))


def _told(hit: Line, answer: Candidate | None) -> Explained[Artifact]:
    features = answer.features if answer is not None else None
    reason = features.reason([hit.phrase]) if features is not None else ""
    if hit.people:
        reason = "the text asks for somebody to ask"
    elif hit.arm == "semantic":
        reason = "near by meaning"
    elif hit.arm != "text":
        reason = f"“{hit.phrase}” names {hit.entity_id}"
    value = hit.similarity if features is None else features.likelihood
    said, least = sentence(value, reason), UNASKED_LEAST.get(answer.kind, 0.0) if answer else 0.0
    if hit.similarity < least:
        said += f"; unasked it needs {least:.2f}, as nobody reviewed it"
    return Explained(
        hit.artifact, value, {} if features is None else features.terms, "volunteered", said
    )


def _unsaid(view: View, answer: Candidate, left: str) -> Explained[Artifact]:
    features, is_told = answer.features, answer.is_told(view)
    reason = f"{'' if is_told else 'only '}{features.reason(answer.words)}"
    said = sentence(answer.likelihood, reason, view.least(answer.kind))
    said += f"; {left}" if is_told else ""
    return Explained(answer.artifact, answer.likelihood, features.terms, "refused", said)
