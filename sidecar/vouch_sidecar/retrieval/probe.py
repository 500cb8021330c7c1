"""Finds what the knowledge bases know about a text before anybody asks, and explains what it brings
in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType
from typing import Literal

from vouch_sidecar.kb.records import Claim, Entity, Kind, Page, Relation, key_of
from vouch_sidecar.kb.sanitize import clip, count
from vouch_sidecar.names.matcher import Mention
from vouch_sidecar.retrieval.blocks.context import each_line_once, lines_for
from vouch_sidecar.retrieval.constants import (
    MANY,
    MAX_CONSIDERED,
    MAX_PHRASED,
    UNASKED_LEAST,
    WHO_LIKELIHOOD,
)
from vouch_sidecar.retrieval.evidence.asked import exact_places, worth_searching, worths_of
from vouch_sidecar.retrieval.evidence.name_strength import least_to_list, sentence, weigh, why
from vouch_sidecar.retrieval.line import ArmName, Given, Line
from vouch_sidecar.retrieval.people.experts import WHO, people_on
from vouch_sidecar.retrieval.salience import (
    NEVER_VOLUNTEERED,
    Salient,
    asked_by_name,
    named_in,
    strengths_of,
    surely_named,
    volunteered,
    volunteering_order,
    why_not_volunteered,
)
from vouch_sidecar.retrieval.statements.answers import answers
from vouch_sidecar.retrieval.statements.candidates import Candidate
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.semantic.vectors import TextVector

Verdict = Literal["volunteered", "listed", "refused"]
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
        named = (row.line(row.entity) for row in self.named)
        lines = sorted(
            [*named, *lines_for(self.rows, self.text, self.answers)],
            key=lambda h: (-h.similarity, key_of(h.artifact), h.view.collection),
        )
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
        found += (
            Line(
                who.view,
                who.entity,
                phrase=topic,
                similarity=1.0,
                arm="text",
                entity_id=None,
                people=count(len(who.contributions), "claim"),
            )
            for who in people
        )
        found += (
            line
            for view in searched
            if not view.deadline.has_passed()
            for line in _answering(view, sure, text, vector)
        )
    first = sorted(found, key=lambda line: (not line.people, -line.similarity))
    return Probe(views, text, named, asked, sure, first)


def _answering(
    view: View, sure: Sequence[Salient], text: str, vector: TextVector | None
) -> Iterator[Line]:
    """What answers a text beside its names, each with the phrase or the words that it holds."""
    own, asks_who = [row for row in sure if row.view is view], WHO.search(text[:MAX_PHRASED])
    for answer in answers(view, text, strengths_of(own, view), vector):
        somebody = _somebody(view, answer) if asks_who else None
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
        yield Line(view, answer.artifact, *how, judged=answer)


def _somebody(view: View, answer: Candidate) -> str | None:
    """The person or the team that a reviewed claim is about."""
    if not isinstance(answer.artifact, Claim) or answer.kind != "worded":
        return None
    entities = map(view.entity, sorted(answer.entity_ids))
    return next((each.id for each in entities if each and each.type in _SOMEBODY), None)


# Every candidate with its verdict, from what decides


def explained_names(
    view: View, probed: Probe, hits: Sequence[Line]
) -> Iterator[tuple[Entity, Mention, Verdict, str]]:
    """The entities that a text may name, each with its strongest mention, the verdict and its
    reason; strongest first. `hits` are the lines that are said.
    """
    text, rows = probed.text, {row.entity.id: row for row in probed.named if row.view is view}
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


def explained_texts(
    view: View, probed: Probe, hits: Sequence[Line], vector: TextVector | None = None
) -> list[tuple[Line, bool, str]]:
    """The claims, sections and relations that a text may bring in, and the claims with words of it
    that may enter no prompt, each with whether it is said and the reason; those that are said
    first. `hits` are the lines that are said.
    """
    said = {key_of(hit.artifact): hit for hit in hits if hit.view is view}
    lines = [(hit, True, _why_said(hit)) for hit in said.values()]
    others = (
        (Line(view, each.artifact, "", each.likelihood, "text", None, judged=each), each)
        for each in answers(view, probed.text, strengths_of(probed.sure, view), vector)
        if isinstance(each.artifact, Claim | Page | Relation) and key_of(each.artifact) not in said
    )
    lines += ((one, False, _why_unsaid(view, each, probed)) for one, each in islice(others, MANY))
    query = view.search.weighed(worths_of(view, probed.text[:MAX_PHRASED]), Kind.CLAIM)
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
