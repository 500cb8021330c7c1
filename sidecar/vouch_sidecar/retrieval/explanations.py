"""Explains what a text brings in: every candidate, as reported by the code that decides."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from vouch_sidecar.kb.records import Artifact, Entity, Key, key_of
from vouch_sidecar.retrieval.answers import Answer, answers, claims_about
from vouch_sidecar.retrieval.block import ContextHit
from vouch_sidecar.retrieval.constants import MAX_PHRASED
from vouch_sidecar.retrieval.name_strength import WeighedMention, weigh
from vouch_sidecar.retrieval.salience import asked_by_name, named_in, not_listed, not_said
from vouch_sidecar.retrieval.text_vector import TextVector
from vouch_sidecar.retrieval.view import View

Verdict = Literal["volunteered", "listed", "refused"]
NEVER = "`sidecar.names.never` has the word"
PART = "part of a name is listed, not said"
ALONE = "nobody declared it, and no other word of its claims stands beside it"
SAID = "it is said"
MAX_TOLD = 24
"""The number of likeliest answers that are shown."""


class Considered(NamedTuple):
    """An entity that a text may name, and what became of it."""

    view: View
    entity: Entity
    strength: float
    factors: Mapping[str, float]
    verdict: Verdict
    why: str


class Line(NamedTuple):
    """A claim or a page that a text may bring in, and what became of it."""

    view: View
    artifact: Artifact
    similarity: float
    factors: Mapping[str, float]
    said: bool
    why: str


def candidates(view: View, text: str, threshold: float) -> list[Considered]:
    """The entities that a text may name, strongest first. `threshold` is the strength from which on
    one is said.
    """
    rows = {row.entity.id: row for row in named_in(view, [text])}
    named = {row.entity.id for row in named_in(view, [text], parts=False)}
    asked = {row.entity.id for row in asked_by_name(view, text, threshold)}
    strongest: dict[str, WeighedMention] = {}
    for found in weigh(view, text):
        before = strongest.get(found.mention.entity_id)
        if before is None or found.strength > before.strength:
            strongest[found.mention.entity_id] = found
    out = []
    for entity_id, found in strongest.items():
        row, lacks = rows.get(entity_id), not_listed(found)
        verdict: Verdict = "refused" if lacks else "listed"
        if entity_id in asked:
            lacks, verdict = None, "volunteered"
        elif row is not None and not lacks:
            alone = ALONE if view.is_topic(entity_id) else PART
            lacks = not_said(row, threshold) if entity_id in named else alone
            verdict = "listed" if lacks else "volunteered"
        if (entity := view.entity(entity_id)) is not None:
            why = f"“{found.matched}” names “{found.mention.name}”: {found.written_out}"
            why += "; the text asks for nothing else" if entity_id in asked else ""
            why += f"; {lacks}" if lacks else ""
            out.append(Considered(view, entity, found.strength, found.factors, verdict, why))
    out += _never(view, text, strongest)
    return sorted(out, key=lambda one: (-one.strength, one.entity.id))


def _never(view: View, text: str, known: Collection[str]) -> Iterator[Considered]:
    """The entities whose names the settings forbid to name anything."""
    heard = {(m.start, m.end) for m in view.mentions(text)}
    for mention in view.knowledge.names.find(text):
        entity = view.entity(mention.entity_id)
        if (mention.start, mention.end) in heard or entity is None or entity.id in known:
            continue
        yield Considered(view, entity, 0.0, {}, "refused", NEVER)


def lines(
    view: View,
    text: str,
    speaking: Mapping[str, float],
    hits: Sequence[ContextHit],
    threshold: float,
    vector: TextVector | None = None,
) -> list[Line]:
    """The claims, sections and relations that a text may bring in; those that are said come first.
    `speaking` holds the strength of the entities that are said, `hits` what is said, `threshold`
    the least likelihood for that.
    """
    text = text[:MAX_PHRASED]
    found = {key_of(one.artifact): one for one in answers(view, text, speaking, vector=vector)}
    out: dict[Key, Line] = {}
    for hit in (hit for hit in hits if hit.view is view):
        key = key_of(hit.artifact)
        answer = found.get(key) or _of_entity(hit, text)
        why = f"it holds “{hit.phrase}”"
        if hit.to_ask:
            why = "the text asks for somebody to ask"
        elif hit.arm == "semantic":
            why = "it is near by meaning"
        elif hit.arm != "text":
            why = f"“{hit.phrase}” names {hit.entity_id}"
        factors = answer.features.parts if answer is not None else {}
        told = f"; {answer.features.written_out}" if answer is not None else ""
        likelihood = answer.likelihood if answer is not None else hit.similarity
        out[key] = Line(view, hit.artifact, likelihood, factors, True, f"{SAID}: {why}{told}")
    for key, one in list(found.items())[:MAX_TOLD]:
        if key not in out:
            lacks = (
                f"{one.likelihood:g} is less than {threshold:g}, from where on it is said"
                if one.likelihood < threshold
                else "others go before it"
            )
            why = f"it holds “{' '.join(one.words)}”: {one.features.written_out}; {lacks}"
            out[key] = Line(view, one.artifact, one.likelihood, one.features.parts, False, why)
    return sorted(out.values(), key=lambda one: (not one.said, -one.similarity))


def _of_entity(hit: ContextHit, text: str) -> Answer | None:
    """A claim that is said for the name of its entity, judged as an answer to the text."""
    entity = hit.view.entity(hit.entity_id) if hit.entity_id is not None else None
    about = claims_about(hit.view, entity, text) if entity is not None and not hit.to_ask else []
    return next((one for one in about if one.artifact.id == hit.artifact.id), None)
