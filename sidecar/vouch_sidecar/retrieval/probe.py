"""Finds what the knowledge bases know about a text before anybody asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from vouch_sidecar.kb.records import Claim, key_of
from vouch_sidecar.kb.sanitize import clip, count
from vouch_sidecar.retrieval.blocks.context import each_line_once, lines_for
from vouch_sidecar.retrieval.constants import (
    MANY,
    MAX_CONSIDERED,
    MAX_PHRASED,
    WHO_LIKELIHOOD,
)
from vouch_sidecar.retrieval.evidence.text_kinds import exact_places, worth_searching
from vouch_sidecar.retrieval.line import ArmName, Given, Line
from vouch_sidecar.retrieval.people.experts import WHO, people_on
from vouch_sidecar.retrieval.salience import (
    Salient,
    asked_by_name,
    named_in,
    strengths_of,
    surely_named,
    volunteered,
    volunteering_order,
)
from vouch_sidecar.retrieval.statements.answers import answers
from vouch_sidecar.retrieval.statements.candidates import Candidate
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.semantic.vectors import TextVector

Strength = Literal["strong", "moderate", "weak"]
PHRASE_CHARS = 200
_SOMEBODY = frozenset({"person", "team", "people", "group"})


@dataclass(frozen=True, slots=True)
class Probe:
    """What a text brings in."""

    views: Sequence[View]
    text: str
    named: Sequence[Salient]
    """The entities that the text names, strongest first."""
    asked: Sequence[Salient]
    """Those whose names are all that the text holds."""
    sure: Sequence[Salient]
    """Those that are surely meant; what was given before has no strength."""
    answers: Sequence[Line]
    """What answers what the text asks beside the names in it, people first, then likeliest."""

    @property
    def rows(self) -> list[Salient]:
        """The entities to tell of, each once, strongest first."""
        rows = {row.identity: row for row in (*self.asked, *volunteered(self.named))}
        return sorted(rows.values(), key=volunteering_order)

    @property
    def strength(self) -> Strength:
        return "strong" if self.sure else "moderate" if self.answers else "weak"

    @property
    def phrases(self) -> list[str]:
        """Names, identifiers, and the words that answers hold; else all."""
        tested = [
            *(row.matched[0] for row in self.named),
            *(self.text[start:end] for start, end in exact_places(self.text)),
            *(line.phrase for line in self.answers),
        ]
        whole = clip(" ".join(self.text.split()), PHRASE_CHARS)
        return list(dict.fromkeys(tested or filter(None, [whole])))[:MAX_CONSIDERED]

    def hits(self) -> list[Line]:
        """The named entities, what is told of them, and what may answer, by similarity."""
        lines = [row.line(row.entity) for row in self.named]
        lines += lines_for(self.rows, self.text, self.answers)
        lines.sort(key=lambda h: (-h.similarity, key_of(h.artifact), h.view.collection))
        return each_line_once(lines)[:MANY]


def run(
    views: Sequence[View],
    text: str,
    vector: TextVector | None = None,
    given: Given = MappingProxyType({}),
) -> Probe:
    """Probe all views. `vector` is the text as a vector, if a model is set up. The name of an
    entity that was `given` before is no new evidence.
    """
    named = sorted((r for v in views for r in named_in(v, [text])), key=volunteering_order)
    asked = [row for view in views for row in asked_by_name(view, text)]
    sure = [replace(r, strength=0.0) if r.was_given(given) else r for r in surely_named(named)]
    is_exact = any(exact_places(text)) or any(view.world.files_in(text) for view in views)
    length, found = len(text.strip()), list[Line]()
    if is_exact or worth_searching(text):
        searched = [
            view
            for view in views
            if view.recall.fallback_to_fts and (is_exact or length >= view.recall.min_prompt_len)
        ]
        topic, people = people_on(() if sure else searched, text)
        for who in people:
            said = count(len(who.contributions), "claim")
            found.append(Line(who.view, who.entity, topic, 1.0, "text", None, people=said))
        for view in searched:
            if not view.deadline.has_passed():
                found += _answering(view, sure, text, vector)
    found.sort(key=lambda line: (not line.people, -line.similarity))
    return Probe(views, text, named, asked, sure, found)


def _answering(
    view: View, sure: Sequence[Salient], text: str, vector: TextVector | None
) -> list[Line]:
    """What answers a text beside its names, each with the phrase or the words that it holds."""
    own = [row for row in sure if row.view is view]
    found, is_about_somebody = list[Line](), WHO.search(text[:MAX_PHRASED])
    for answer in answers(view, text, strengths_of(own, view), vector):
        somebody = _somebody(view, answer) if is_about_somebody else None
        if somebody is not None and answer.words and answer.likelihood >= WHO_LIKELIHOOD:
            answer = answer._replace(likelihood=max(answer.likelihood, view.least()))
        if not answer.is_told(view):
            continue
        row = next((row for row in own if row.entity.id in answer.entity_ids), None)
        arm: ArmName = "text"
        phrase = " ".join(answer.words)
        if not phrase and row is not None:
            arm, phrase = row.arm, row.matched[0]
        elif not phrase:
            arm, phrase = "semantic", clip(" ".join(text.split()), PHRASE_CHARS)
        entity_id = somebody if row is None else row.entity.id
        how = phrase, answer.likelihood, arm, entity_id, answer.section
        found.append(Line(view, answer.artifact, *how, judged=answer))
    return found


def _somebody(view: View, answer: Candidate) -> str | None:
    """The person or the team that a reviewed claim is about."""
    if not isinstance(answer.artifact, Claim) or answer.kind != "worded":
        return None
    entities = map(view.entity, sorted(answer.entity_ids))
    return next((each.id for each in entities if each and each.type in _SOMEBODY), None)
