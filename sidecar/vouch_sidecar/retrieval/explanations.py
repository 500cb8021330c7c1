"""Explains what a text brings in: every candidate with its verdict, reported by the code that
decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from vouch_sidecar.kb.records import Artifact, Entity, key_of
from vouch_sidecar.retrieval.constants import MANY, MAX_PHRASED, UNASKED_LEAST
from vouch_sidecar.retrieval.evidence.name_strength import least, score_of, weigh
from vouch_sidecar.retrieval.line import Line
from vouch_sidecar.retrieval.salience import (
    asked_by_name,
    is_volunteered,
    named_in,
    surely_named,
    why_unsaid,
)
from vouch_sidecar.retrieval.score import Score
from vouch_sidecar.retrieval.statements.answers import ANSWERING, answers, kinds_for
from vouch_sidecar.retrieval.statements.candidates import Candidate
from vouch_sidecar.retrieval.statements.text_vector import TextVector
from vouch_sidecar.retrieval.view import View

Verdict = Literal["volunteered", "listed", "refused"]
NEVER = "`sidecar.names.never` has the word"
NAME_PART = "part of a name is listed, not said"
ALONE = "nobody declared it, and no other word of its claims stands beside it"
NAMES_ALONE = "in so short a text, or by these settings, only names are looked for"


class Considered(NamedTuple):
    """An entity that a text may name, with the verdict and its reason."""

    entity: Entity
    score: Score
    verdict: Verdict
    why: str


class Explained(NamedTuple):
    """A claim or a page that a text may bring in, with the verdict and its reason."""

    artifact: Artifact
    score: Score
    is_said: bool
    why: str


def candidates(view: View, text: str) -> list[Considered]:
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
    for mention in strongest.values():
        entity = view.visible.entity(mention.entity_id)
        if entity is None:
            continue
        row, needs, note = rows.get(entity.id), 0.0, ""
        verdict: Verdict = "listed"
        if entity.id in asked:
            verdict, note = "volunteered", "the text asks for nothing else"
        elif row is None:
            verdict, needs = "refused", least(mention)
        elif entity.id not in in_full:
            note = ALONE if view.names.is_topic(entity.id) else NAME_PART
        else:
            verdict = "volunteered" if is_volunteered(row) else "listed"
            needs, note = view.name_threshold, why_unsaid(row) or ""
        score = score_of(mention, view.name_threshold)
        why = f"“{mention.matched}” names “{mention.name}”: {score.sentence(needs)}"
        why = "; ".join(filter(None, [why, note])) if mention.arm else NEVER
        considered.append(Considered(entity, score, verdict, why))
    return sorted(considered, key=lambda row: (-row.score.value, row.entity.id))


def lines(
    view: View, text: str, hits: Sequence[Line], vector: TextVector | None = None
) -> list[Explained]:
    """The claims, sections and relations that a text may bring in, those that are said first.
    `hits` are the lines that are said.
    """
    speaking = {row.entity.id: row.strength for row in surely_named(named_in(view, [text]))}
    found = answers(view, text[:MAX_PHRASED], speaking, kinds_for(view), vector)
    judged = {key_of(each.artifact): each for each in found}
    said = {key_of(hit.artifact): hit for hit in hits if hit.view.identity == view.identity}
    told = [_told(hit, hit.judged or judged.get(key)) for key, hit in said.items()]
    unsaid = [key for key in judged if key[0] in ANSWERING][:MANY]
    left = "others go before it" if hits else NAMES_ALONE
    told += [_unsaid(view, judged[key], left) for key in unsaid if key not in said]
    return sorted(told, key=lambda row: (not row.is_said, -row.score.value))


def _told(hit: Line, answer: Candidate | None) -> Explained:
    score = Score(hit.similarity, {})
    if answer is not None:
        score = answer.features.score([hit.phrase])
    if hit.kind == "people":
        score = score._replace(reason="the text asks for somebody to ask")
    elif hit.arm == "semantic":
        score = score._replace(reason="near by meaning")
    elif hit.arm != "text":
        score = score._replace(reason=f"“{hit.phrase}” names {hit.entity_id}")
    why = score.sentence()
    least = UNASKED_LEAST.get(answer.kind, 0.0) if answer is not None else 0.0
    if hit.similarity < least:
        why += f"; unasked it needs {least:.2f}, as nobody reviewed it"
    return Explained(hit.artifact, score, True, why)


def _unsaid(view: View, answer: Candidate, left: str) -> Explained:
    score, is_told = answer.features.score(answer.words), answer.is_told(view)
    score = score._replace(reason=f"{'' if is_told else 'only '}{score.reason}")
    why = score.sentence(view.least(answer.kind)) + (f"; {left}" if is_told else "")
    return Explained(answer.artifact, score, False, why)
