"""Ranks the entities in play: those that the texts of a session's window name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod

from vouch_sidecar.index.query import rarity
from vouch_sidecar.index.stored_artifacts import key_in, stems_in
from vouch_sidecar.kb.records import Entity, Kind
from vouch_sidecar.names.mentions import Mention
from vouch_sidecar.names.name_forms import FormKind
from vouch_sidecar.retrieval.constants import (
    DESCRIBED_SHARE,
    FADING,
    FAINTEST,
    FOUND,
    FOUND_WITHOUT_CLAIMS,
    MAX_NAMED,
    NAMED,
    NAMED_WITHOUT_CLAIMS,
    TOPICS,
    VOLUNTEERED,
    Band,
)
from vouch_sidecar.retrieval.evidence.name_position import with_signs
from vouch_sidecar.retrieval.evidence.name_strength import WeighedMention, weigh
from vouch_sidecar.retrieval.evidence.text_kinds import asks_only_about, worth_searching
from vouch_sidecar.retrieval.line import ArmName
from vouch_sidecar.retrieval.score import Score
from vouch_sidecar.retrieval.statements.answers import best_claim_id
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.content_words import terms

AMBIGUOUS = "the same words name another entity"
_SENTENCE_END = re.compile(r"(?<=[.!?。])\s++|\n[^\S\n]*+\n")
_ARM_OF_FORM: dict[FormKind, ArmName] = {
    FormKind.NAME: "name",
    FormKind.ALIAS: "alias",
    FormKind.VARIANT: "variant",
    FormKind.SURNAME: "partial",
    FormKind.PART: "partial",
    FormKind.DERIVED: "derived",
}


@dataclass(frozen=True, slots=True)
class Salient:
    """An entity in play. `strength` is that of its evidence, from 0 to 1; `score` is the strength
    within the range of its kind (see `constants.NAMED`).
    """

    view: View
    entity: Entity
    claim_count: int
    score: float
    strength: float
    arm: ArmName
    matched: tuple[str, ...]
    why: str
    ambiguous: bool
    text: str
    """The newest text that names it."""
    last: tuple[int, int]
    """Where it was named last: the age of that text, and the offset there, negated."""
    place: int = 0
    """Where `text` first names it."""
    is_newest: bool = False
    """Whether the last sentence of the newest text names it."""
    top_claim_id: str | None = None
    """The entity's best claim for that text; None before it was looked up."""

    def with_claim(self) -> Salient:
        """The entity with its best claim."""
        return replace(self, top_claim_id=best_claim_id(self.view, self.entity.id, self.text))

    @property
    def is_sure(self) -> bool:
        """Whether a text means it for sure: names from here on are volunteered, and no words."""
        return self.strength >= VOLUNTEERED


def _last_sentence(text: str) -> int:
    """Where the last sentence of a text begins."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text.rstrip())]
    return ends[-1] if ends else 0


def rank(views: Sequence[View], texts: Sequence[str], top_k: int) -> list[Salient]:
    """At most `top_k` entities that texts (newest first) name or clearly describe, each with its
    best claim; of equal scores, the one that was written last first.
    """
    rows = [row for view in views for row in _in_play(view, list(enumerate(texts)))]
    rows.sort(key=lambda row: (-row.score, row.last, row.entity.id, row.view.collection))
    return sorted((row.with_claim() for row in rows[:top_k]), key=ranking_order)


def ranking_order(row: Salient) -> tuple[float, str, str]:
    """Highest score first."""
    return (-row.score, row.entity.id, row.view.collection)


def _in_play(view: View, texts: Sequence[tuple[int, str]]) -> list[Salient]:
    """The entities that texts, each with its age in the window, name or clearly describe."""
    rows = _named_by(view, texts)
    entity_ids = {row.entity.id for row in rows}
    return [*rows, *(row for row in _described_by(view, texts) if row.entity.id not in entity_ids)]


def volunteered_by(views: Sequence[View], texts: Sequence[str]) -> list[Salient]:
    """The entities that texts (newest first) name strongly enough to be volunteered, strongest
    first.
    """
    rows = [row for view in views for row in named_in(view, texts, parts=False)]
    return sorted((row for row in rows if is_volunteered(row)), key=volunteering_order)


def is_volunteered(row: Salient) -> bool:
    """Whether an entity that is named in full is volunteered."""
    return row.strength >= row.view.name_threshold and why_unsaid(row) is None


def asked_by_name(view: View, text: str) -> list[Salient]:
    """The entities and topics whose names are all that a text holds, each as strong as the name
    alone. Nobody declared a topic, but somebody who writes its name and nothing else means it.
    """
    mentions = [
        mention
        for mention in (*view.names.mentions(text), *view.names.topic_mentions(text))
        if not mention.nested
    ]
    names = [with_signs(text, mention) for mention in mentions]
    if not mentions or not asks_only_about(
        text, ((mention.start, mention.end) for mention in mentions)
    ):
        return []
    rows: dict[str, Salient] = {}
    for mention, name in zip(mentions, names, strict=True):
        alone = named_in(view, [name]) if name is not None else []
        row = next((row for row in alone if row.entity.id == mention.entity_id), None)
        if row is not None and view.names.is_topic(row.entity.id):
            row = replace(row, strength=max(row.strength, view.name_threshold))
        if row is not None and not row.ambiguous and row.strength >= view.name_threshold:
            rows[row.entity.id] = replace(row, text=text, place=mention.start)
    return list(rows.values())


def why_unsaid(row: Salient) -> str | None:
    """Why an entity is not volunteered, however strongly it is named; None if it may be."""
    if row.ambiguous:
        return AMBIGUOUS
    is_known = row.claim_count or row.view.visible.pages_about((Kind.ENTITY, row.entity.id))
    return None if is_known else "nothing is known of it"


def volunteering_order(row: Salient) -> tuple[float, int, str, str]:
    """A key to sort by: strongest first; of equals, the one that the text names first, as texts
    lead with their subject.
    """
    return (-row.strength, row.place, row.entity.id, row.view.collection)


def listed_topics(view: View, text: str) -> list[Mention]:
    """The mentions of topics that are strong enough to list them."""
    if not view.names.topic_mentions(text):
        return []
    topics = (topic for topic in weigh(view, text) if view.names.is_topic(topic.mention.entity_id))
    return [topic.mention for topic in topics if topic.is_listed]


def arm_of(mention: Mention) -> ArmName:
    """The way in which a mention names its entity."""
    return _ARM_OF_FORM[mention.form]


def named_in(view: View, texts: Sequence[str], parts: bool = True) -> list[Salient]:
    """The entities that texts (newest first) name in full or, with `parts`, in part; in no
    particular order, at most `MAX_NAMED`.
    """
    rows = _named_by(view, list(enumerate(texts)), parts)
    rows.sort(key=lambda row: (-row.strength, row.entity.id))
    return rows[:MAX_NAMED]


def surely_named(rows: Iterable[Salient]) -> list[Salient]:
    """The entities whose names are no words of a text, as they are named strongly enough. Names of
    topics are words.
    """
    sure = (row for row in rows if row.is_sure and not row.ambiguous)
    return [row for row in sure if not row.view.names.is_topic(row.entity.id)]


def _named_by(view: View, texts: Sequence[tuple[int, str]], parts: bool = True) -> list[Salient]:
    """The entities that texts, each with its age, name."""
    evidence: dict[str, list[tuple[int, str, WeighedMention]]] = {}
    newest = set()
    for age, text in texts:
        last_sentence = _last_sentence(text) if age == 0 else len(text)
        for weighed in weigh(view, text):
            entity_id = weighed.mention.entity_id
            is_part = weighed.mention.form in (FormKind.PART, FormKind.DERIVED)
            if (parts or not is_part) and weighed.is_listed:
                evidence.setdefault(entity_id, []).append((age, text, weighed))
                if weighed.mention.start >= last_sentence:
                    newest.add(entity_id)
    return [
        _named(view, entity, several, is_newest=entity_id in newest)
        for entity_id, several in evidence.items()
        if (entity := view.visible.entity(entity_id)) is not None
    ]


def _named(
    view: View,
    entity: Entity,
    evidence: Sequence[tuple[int, str, WeighedMention]],
    is_newest: bool,
) -> Salient:
    """An entity that texts name. Each piece of `evidence` is the age of a text in the window (0 for
    the newest), the text, and the mention in it; newest first. The strengths of different texts
    combine like independent chances: 1 − Π(1 − s·fading).
    """
    newest, text, _ = evidence[0]
    strongest: dict[int, float] = {}
    for age, _, weighed in evidence:
        strongest[age] = max(weighed.strength, strongest.get(age, 0.0))
    strength = round(1 - prod(1 - s * FADING**age for age, s in strongest.items()), 3)
    # Of equally strong mentions the newest, then the first.
    *_, best = min(evidence, key=lambda e: (-e[2].strength, e[0], e[2].mention.start))
    score = best.score(view.name_threshold)
    why = f"“{best.matched}” names “{best.mention.name}”: {score.sentence()}"
    return Salient(
        view=view,
        entity=entity,
        claim_count=view.counts.claims_of(entity.id),
        score=_scored(view, entity, strength, (NAMED, NAMED_WITHOUT_CLAIMS)),
        strength=strength,
        arm=arm_of(best.mention),
        matched=tuple(dict.fromkeys(weighed.matched for _, _, weighed in evidence)),
        why=f"{why}; {AMBIGUOUS}" if best.mention.ambiguous else why,
        ambiguous=best.mention.ambiguous,
        text=text,
        last=min((age, -weighed.mention.start) for age, _, weighed in evidence),
        place=min(weighed.mention.start for age, _, weighed in evidence if age == newest),
        is_newest=is_newest,
    )


def _described_by(view: View, texts: Sequence[tuple[int, str]]) -> list[Salient]:
    """The entities that the texts describe, each once, for the text that does it most."""
    best: dict[str, Salient] = {}
    for at, (age, text) in enumerate(texts):
        if text in (following for _, following in texts[at + 1 : at + 2]):
            continue
        for entity, held, share in view.cached("described", text, partial(_holding, view, text)):
            strength = round(round(share, 3) * FADING**age, 3)
            if entity.id not in best or strength > best[entity.id].strength:
                best[entity.id] = _described(view, entity, text, held, strength, age)
    return list(best.values())


def _described(
    view: View, entity: Entity, text: str, held: Sequence[str], strength: float, age: int
) -> Salient:
    """An entity that a text of this age describes without naming it. `held`: the words of it that
    its name, aliases and description hold.
    """
    score = Score(strength, {}, f"its description holds “{' '.join(held)}”")
    return Salient(
        view=view,
        entity=entity,
        claim_count=view.counts.claims_of(entity.id),
        score=_scored(view, entity, strength, (FOUND, FOUND_WITHOUT_CLAIMS)),
        strength=strength,
        arm="text",
        matched=tuple(held),
        why=score.sentence(),
        ambiguous=False,
        text=text,
        last=(age, 0),
        is_newest=age == 0,
    )


def _scored(view: View, entity: Entity, strength: float, bands: tuple[Band, Band]) -> float:
    """The strength within the range of an entity's kind; `bands` are those with and without
    claims.
    """
    is_topic = view.names.is_topic(entity.id)
    low, width = TOPICS if is_topic else bands[0 if view.counts.claims_of(entity.id) else 1]
    return round(max(low + width * strength, 0.0 if is_topic else FAINTEST), 6)


def _holding(view: View, text: str) -> list[tuple[Entity, list[str], float]]:
    """The entities whose name, aliases and description hold most of a text's words; of each those
    words, and their part of the text's weight.
    """
    if not worth_searching(text):
        return []
    search, snapshot = view.search, view.knowledge.snapshot
    words = terms(text)
    total = search.total(Kind.ENTITY)
    weights = {n: rarity(total, search.frequency(n, Kind.ENTITY)) for n in words}
    whole = sum(weights.values())
    rows = []
    for hit in search.down_to(weights, Kind.ENTITY, DESCRIBED_SHARE):
        document = snapshot.document(hit)
        stems = frozenset(stems_in(document))
        held = [n for n in words if n.held_by(stems)]
        entity = view.visible.entity(key_in(document)[1])
        share = sum(weights[n] for n in held) / whole
        if entity is not None and len(held) > 1 and share >= DESCRIBED_SHARE:
            rows.append((entity, [n.word for n in held], share))
    return rows
