"""Finds what the knowledge bases know about a text before anybody asks."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from vouch_sidecar.kb.records import Claim, key_of
from vouch_sidecar.kb.sanitize import clip, count
from vouch_sidecar.retrieval.blocks.context import each_line_once, tiers
from vouch_sidecar.retrieval.constants import (
    FEW,
    MANY,
    MAX_CONSIDERED,
    MAX_PHRASED,
    VOLUNTEERED,
    WHO_LIKELIHOOD,
)
from vouch_sidecar.retrieval.evidence.text_kinds import holds_exact, phrases_in, worth_searching
from vouch_sidecar.retrieval.line import ArmName, Line
from vouch_sidecar.retrieval.pages_asked_for import pages_asked_for
from vouch_sidecar.retrieval.people.to_ask import asks_who, people_on
from vouch_sidecar.retrieval.salience import (
    Salient,
    asked_by_name,
    named_in,
    surely_named,
    volunteered,
)
from vouch_sidecar.retrieval.statements.answers import answers, claims_about
from vouch_sidecar.retrieval.statements.candidates import Candidate
from vouch_sidecar.retrieval.view import View

if TYPE_CHECKING:
    from vouch_sidecar.semantic.vectors import TextVector


Strength = Literal["strong", "moderate", "weak"]
PHRASE_CHARS = 200
_SOMEBODY = frozenset({"person", "team", "people", "group"})


@dataclass(frozen=True, slots=True)
class Probe:
    """What a text brings in. `answers` are hits that answer what it asks beside the names in it;
    `phrases` are names, what stands in quotes, identifiers, and the words that answers hold.
    """

    hits: tuple[Line, ...]
    primary: str | None
    supplemental: tuple[str, ...]
    strength: Strength
    phrases: tuple[str, ...]
    named: tuple[Salient, ...]
    """The entities that the text names, strongest first."""
    asked: tuple[Salient, ...]
    """Those whose names are all that the text holds."""
    given: frozenset[tuple[Hashable, str]]
    """Those that the session was given before."""
    answers: tuple[Line, ...] = ()


def run(
    views: Sequence[View],
    text: str,
    *,
    again: bool = False,
    is_given: Callable[[Salient], bool] | None = None,
    vector: TextVector | None = None,
) -> Probe:
    """Probe all views. `again`: the turn before had the same text, so full text is not searched.
    The name of an entity that the session was given before (`is_given`) is no new evidence.
    `vector` is the text as a vector, if a model is set up.
    """
    rows = [row for view in views for row in named_in(view, [text])]
    rows.sort(key=lambda r: (-r.strength, r.entity.id, r.view.collection))
    asked = [row for view in views for row in asked_by_name(view, text)]
    spoken = (*volunteered(rows), *asked) if is_given is not None else ()
    given = frozenset(row.identity for row in filter(is_given, spoken))
    hits, whole = _named_hits(rows, text), clip(" ".join(text.split()), PHRASE_CHARS)
    tested = list({row.matched[0].casefold(): row.matched[0] for row in rows}.values())
    answering: list[Line] = []
    recalls, names_file = [view.recall for view in views], _names_file(views, text)
    shortest = min((recall.min_prompt_len for recall in recalls), default=1)
    is_long = names_file or holds_exact(text) or len(text.strip()) >= shortest
    full_text = not again and is_long and any(recall.fallback_to_fts for recall in recalls)
    if full_text and (names_file or worth_searching(text)):
        mentions = (mention for view in views for mention in view.names.mentions(text))
        tested += phrases_in(text, ((mention.start, mention.end) for mention in mentions))
        text = text[:MAX_PHRASED]
        answering = _to_ask(views, rows, text)
        for view in views:
            if not view.deadline.has_passed():
                answering += _answering(view, rows, text, given, vector)
    if full_text and all(row.strength < VOLUNTEERED for row in rows):
        pages = [line for view in views for line in pages_asked_for(view, text)]
        answering = each_line_once([*pages, *answering])
    ranked = sorted(
        [*hits, *answering],
        key=lambda h: (-h.similarity, key_of(h.artifact), h.view.collection),
    )
    kept = each_line_once(ranked)[:MANY]
    primary, supplemental = tiers(text, kept, [view.collection for view in views])
    answering.sort(key=lambda hit: (not hit.people, -hit.similarity))
    tested += (hit.phrase for hit in answering)
    told = tuple(hit for hit in answering if hit.is_told)
    return Probe(
        hits=tuple(kept),
        primary=primary,
        supplemental=supplemental,
        strength="strong" if surely_named(rows) else "moderate" if told else "weak",
        phrases=tuple(dict.fromkeys(tested or filter(None, [whole])))[:MAX_CONSIDERED],
        named=tuple(rows),
        asked=tuple(asked),
        given=given,
        answers=told,
    )


def _names_file(views: Sequence[View], text: str) -> bool:
    """Whether a text names a file of the workspace or, by its number, as `ADR 7`, a document that
    claims cite.
    """
    return any(
        view.workspace.files_in(text) or view.workspace.ties.documents_in(text) for view in views
    )


def _answering(
    view: View,
    salient: Sequence[Salient],
    text: str,
    given: frozenset[tuple[Hashable, str]],
    vector: TextVector | None,
) -> list[Line]:
    """The answers to a text beside its names, likeliest first, each with the phrase or the words
    that it holds.
    """
    rows = {row.entity.id: row for row in surely_named(salient) if row.view is view}
    strengths = {
        entity_id: 0.0 if row.identity in given else row.strength for entity_id, row in rows.items()
    }
    out: list[Line] = []
    is_about_somebody = asks_who(text)
    for answer in answers(view, text, strengths, vector):
        somebody = _somebody(view, answer) if is_about_somebody else None
        says_who = (
            somebody is not None
            and answer.kind == "worded"
            and bool(answer.words)
            and answer.likelihood >= WHO_LIKELIHOOD
        )
        if not says_who and answer.likelihood < view.recall.similarity_threshold:
            continue
        named = next((row for key, row in rows.items() if key in answer.entity_ids), None)
        entity_id = named.entity.id if named is not None else somebody
        likelihood = max(answer.likelihood, view.recall.similarity_threshold)
        arm: ArmName = "text"
        phrase = " ".join(answer.words)
        if not answer.words and named is not None:
            arm, phrase = named.arm, named.matched[0]
        elif not answer.words:
            arm, phrase = "semantic", clip(" ".join(text.split()), PHRASE_CHARS)
        line = Line(view, answer.artifact, phrase, likelihood, arm, entity_id, answer.section)
        is_told = says_who or answer.is_told(view)
        out.append(replace(line, is_told=is_told, judged=answer, likelihood=likelihood))
    return out


def _somebody(view: View, answer: Candidate) -> str | None:
    """The person or the team that a claim is about."""
    if not isinstance(answer.artifact, Claim):
        return None
    entities = (view.visible.entity(entity_id) for entity_id in sorted(answer.entity_ids))
    return next(
        (entity.id for entity in entities if entity is not None and entity.type in _SOMEBODY), None
    )


def _to_ask(views: Sequence[View], rows: Sequence[Salient], text: str) -> list[Line]:
    """Whom to ask, if a text asks that and names no entity."""
    if surely_named(rows):
        return []
    topic, people = people_on(views, text)
    return [
        Line(
            each.view,
            each.entity,
            topic,
            1.0,
            "text",
            None,
            people=count(each.claim_count, "claim"),
            likelihood=1.0,
        )
        for each in people
    ]


def _named_hits(rows: Sequence[Salient], text: str) -> list[Line]:
    """The named entities, those that are surely named followed by their likeliest claims."""
    out: list[Line] = []
    sure = surely_named(rows)
    for row in rows:
        how = (row.matched[0], row.strength, row.arm, row.entity.id)
        out.append(Line(row.view, row.entity, *how))
        if row in sure[:MAX_CONSIDERED] and not (
            row is not sure[0] and row.view.deadline.has_passed()
        ):
            strengths = {each.entity.id: each.strength for each in sure if each.view is row.view}
            about = claims_about(row.view, row.entity.id, text, strengths)
            best = about[:FEW]
            out += [Line(row.view, answer.artifact, *how) for answer in best]
    return out
