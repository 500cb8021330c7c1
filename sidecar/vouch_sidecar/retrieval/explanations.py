"""Explains what a text brings in: every candidate with its verdict, reported by the code that
decides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from vouch_sidecar.kb.records import Artifact, Entity, Key, key_of
from vouch_sidecar.retrieval.constants import MAX_PHRASED, UNASKED_LEAST
from vouch_sidecar.retrieval.evidence.name_strength import WeighedMention, weigh
from vouch_sidecar.retrieval.line import Line
from vouch_sidecar.retrieval.salience import (
    Salient,
    asked_by_name,
    is_volunteered,
    named_in,
    surely_named,
    why_unsaid,
)
from vouch_sidecar.retrieval.score import Score
from vouch_sidecar.retrieval.statements.answers import Answer, answers
from vouch_sidecar.retrieval.statements.entity_claims import claims_about
from vouch_sidecar.retrieval.statements.text_vector import TextVector
from vouch_sidecar.retrieval.view import View

Verdict = Literal["volunteered", "listed", "refused"]
NEVER = "`sidecar.names.never` has the word"
NAME_PART = "part of a name is listed, not said"
ALONE = "nobody declared it, and no other word of its claims stands beside it"
NAMES_ALONE = "in so short a text, or by these settings, only names are looked for"
MAX_TOLD = 24
"""The number of likeliest answers that are shown."""


class Considered(NamedTuple):
    """An entity that a text may name, with the verdict and its reason."""

    view: View
    entity: Entity
    score: Score
    verdict: Verdict
    why: str


class Explained(NamedTuple):
    """A claim or a page that a text may bring in, with the verdict and its reason."""

    view: View
    artifact: Artifact
    score: Score
    is_said: bool
    why: str


def candidates(view: View, text: str) -> list[Considered]:
    """The entities that a text may name, strongest first."""
    named_rows = _NamedRows(
        rows={row.entity.id: row for row in named_in(view, [text])},
        in_full={row.entity.id for row in named_in(view, [text], parts=False)},
        asked={row.entity.id for row in asked_by_name(view, text)},
    )
    strongest = _strongest(view, text)
    considered = []
    for entity_id, weighed in strongest.items():
        if (entity := view.visible.entity(entity_id)) is None:
            continue
        verdict, needs, note = _judged(view, weighed, named_rows)
        score = weighed.score(view.name_threshold)
        why = f"“{weighed.matched}” names “{weighed.mention.name}”: {score.sentence(needs)}"
        why += f"; {note}" if note else ""
        considered.append(Considered(view, entity, score, verdict, why))
    considered += _never(view, text, strongest)
    return sorted(considered, key=lambda row: (-row.score.value, row.entity.id))


class _NamedRows(NamedTuple):
    """The entities that a text names, by id; the ids of those that it names by more than a part of
    their names, and of those that it asks for by name.
    """

    rows: Mapping[str, Salient]
    in_full: Collection[str]
    asked: Collection[str]


def _strongest(view: View, text: str) -> dict[str, WeighedMention]:
    """By entity id, the mention that speaks most for it."""
    strongest: dict[str, WeighedMention] = {}
    for weighed in weigh(view, text):
        before = strongest.get(weighed.mention.entity_id)
        if before is None or weighed.strength > before.strength:
            strongest[weighed.mention.entity_id] = weighed
    return strongest


def _judged(
    view: View, weighed: WeighedMention, named_rows: _NamedRows
) -> tuple[Verdict, float, str]:
    """What becomes of an entity, the strength that it needs for more, and a note for people."""
    entity_id = weighed.mention.entity_id
    row = named_rows.rows.get(entity_id)
    if entity_id in named_rows.asked:
        return "volunteered", 0.0, "the text asks for nothing else"
    if row is None or not weighed.is_listed:
        return "refused", weighed.least, ""
    if entity_id not in named_rows.in_full:
        return "listed", 0.0, ALONE if view.names.is_topic(entity_id) else NAME_PART
    verdict: Verdict = "volunteered" if is_volunteered(row) else "listed"
    return verdict, view.name_threshold, why_unsaid(row) or ""


def _never(view: View, text: str, considered: Collection[str]) -> Iterator[Considered]:
    """The entities whose names the settings forbid to name anything."""
    heard = {(m.start, m.end) for m in view.names.mentions(text)}
    for mention in view.knowledge.names.find(text):
        entity = view.visible.entity(mention.entity_id)
        if (mention.start, mention.end) in heard or entity is None or entity.id in considered:
            continue
        yield Considered(view, entity, Score(0.0, {}), "refused", NEVER)


def lines(
    view: View, text: str, hits: Sequence[Line], vector: TextVector | None = None
) -> list[Explained]:
    """The claims, sections and relations that a text may bring in, those that are said first.
    `hits` are the lines that are said.
    """
    speaking = {row.entity.id: row.strength for row in surely_named(named_in(view, [text]))}
    text = text[:MAX_PHRASED]
    by_key = {
        key_of(answer.artifact): answer for answer in answers(view, text, speaking, vector=vector)
    }
    out: dict[Key, Explained] = {}
    for hit in (hit for hit in hits if hit.view.identity == view.identity):
        key = key_of(hit.artifact)
        answer = by_key.get(key) or _of_entity(hit, text)
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
        if answer is not None and hit.similarity < (least := UNASKED_LEAST.get(answer.kind, 0.0)):
            why += f"; unasked it needs {least:.2f}, as nobody reviewed it"
        out[key] = Explained(view, hit.artifact, score, True, why)
    for key, unsaid in list(by_key.items())[:MAX_TOLD]:
        if key not in out:
            score = unsaid.features.score(unsaid.words)
            beyond = unsaid.is_told(view)
            score = score._replace(reason=f"{'' if beyond else 'only '}{score.reason}")
            why = score.sentence(view.least(unsaid.kind))
            if beyond:
                why += f"; {'others go before it' if hits else NAMES_ALONE}"
            out[key] = Explained(view, unsaid.artifact, score, False, why)
    return sorted(out.values(), key=lambda row: (not row.is_said, -row.score.value))


def _of_entity(hit: Line, text: str) -> Answer | None:
    """A claim that is said for the name of its entity, judged as an answer to the text."""
    entity = hit.view.visible.entity(hit.entity_id) if hit.entity_id is not None else None
    about = (
        claims_about(hit.view, entity, text)
        if entity is not None and hit.kind == "artifact"
        else []
    )
    return next((answer for answer in about if answer.artifact.id == hit.artifact.id), None)
