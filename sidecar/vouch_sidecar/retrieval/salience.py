"""Ranks the entities in play: those that the texts of a session's window name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

from vouch_sidecar.index.query import rarity
from vouch_sidecar.index.schema import TITLE, stems_in
from vouch_sidecar.kb.records import SESSION_PAGE, Entity, Kind, Page, Told
from vouch_sidecar.kb.sanitize import clip, one_line
from vouch_sidecar.names.matcher import Mention
from vouch_sidecar.names.name_forms import FormKind
from vouch_sidecar.retrieval.constants import (
    BANDS,
    DESCRIBED_SHARE,
    FADING,
    FAINTEST,
    FEW,
    MANY,
    VOLUNTEERED,
)
from vouch_sidecar.retrieval.evidence.asked import asks_only_about, worth_searching
from vouch_sidecar.retrieval.evidence.name_strength import is_listed, weigh, why
from vouch_sidecar.retrieval.line import ArmName, Given, Line
from vouch_sidecar.retrieval.statements.answers import best_claim_id
from vouch_sidecar.retrieval.statements.candidates import Candidate
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.content_words import terms

AMBIGUOUS = "the same words name another entity"
NEVER_VOLUNTEERED = {
    FormKind.PART: "part of a name is listed, not said",
    FormKind.DERIVED: "a topic is listed, not said",
}
CLAIM_CHARS = 200
"""Characters of the claim that a row has."""
Fields = Mapping[str, Any]
"""A row, by field."""
ARM_OF_FORM: dict[FormKind, ArmName] = {
    FormKind.NAME: "name",
    FormKind.ALIAS: "alias",
    FormKind.VARIANT: "variant",
    FormKind.SURNAME: "partial",
    FormKind.PART: "partial",
    FormKind.DERIVED: "derived",
}


@dataclass(frozen=True)
class Salient:
    """An entity in play. `strength` is that of its evidence, from 0 to 1."""

    view: View
    entity: Entity
    claim_count: int
    strength: float
    matched: tuple[str, ...]
    why: str
    text: str
    """The newest text that names it."""
    form: FormKind | None = None
    """The form of the name in its strongest mention; None where it is only described."""
    ambiguous: bool = False
    place: int = 0
    """Where `text` first names it."""

    @property
    def score(self) -> float:
        """The strength within the range of an entity's kind (see `constants.BANDS`)."""
        if self.view.is_topic(self.entity.id):
            return round(FAINTEST * self.strength, 6)
        low, width = BANDS[self.form is not None, self.claim_count > 0]
        return round(low + width * self.strength, 6)

    @property
    def arm(self) -> ArmName:
        return "text" if self.form is None else ARM_OF_FORM[self.form]

    @property
    def identity(self) -> tuple[Hashable, str]:
        """The entity among those of all knowledge bases."""
        return self.view.identity, self.entity.id

    @property
    def fields(self) -> Fields:
        """All that a row of an answer or a push says of it."""
        return {
            "entity_id": self.entity.id,
            "name": self.entity.name,
            "type": self.entity.type,
            "claim_count": self.claim_count,
            "top_claim_id": self.top_claim_id,
            "claim": self.claim,
            "arm": self.arm,
            "matched": [*self.matched],
            "why": self.why,
            "ambiguous": self.ambiguous,
            "collection": self.view.shown_collection,
            "score": self.score,
        }

    @property
    def gives(self) -> Given:
        """What is given with it, as of a line: its state changes with the entity, its claims or its
        pages.
        """
        view, key = self.view, (Kind.ENTITY, self.entity.id)
        ids = sorted(view.search.ids(view.search.claims_of([self.entity.id])))
        claims, pages = map(view.knowledge.claim, ids), view.pages_about(key)
        return {(view.identity, *key): hash((self.entity, *claims, *pages))}

    def was_given(self, given: Given) -> bool:
        """Whether it was given before, and has not changed."""
        return bool(given) and self.gives.items() <= given.items()

    def gone_since(self, given: Given) -> list[Line]:
        """The line of its best claim, if that was given before in another state."""
        claim = self.view.claim(self.top_claim_id or "")
        lines = [] if claim is None else [self.line(claim)]
        return [
            one for one in lines if any(given.get(k, now) != now for k, now in one.gives.items())
        ]

    @cached_property
    def top_claim_id(self) -> str | None:
        """The entity's best claim for `text`."""
        return best_claim_id(self.view, self.entity.id, self.text)

    @property
    def claim(self) -> str | None:
        """That claim in words, without the heading above; None without one."""
        claim = self.view.claim(self.top_claim_id or "")
        said = "" if claim is None else one_line(self.view.shown(claim).fact)
        return clip(said, CLAIM_CHARS) or None

    def line(self, artifact: Told, judged: Candidate | None = None) -> Line:
        """The line that tells an artifact for its name."""
        how = self.matched[0], self.strength, self.arm, self.entity.id
        return Line(self.view, artifact, *how, judged=judged)


def rank(view: View, texts: Sequence[str], top_k: int) -> list[Salient]:
    """At most `top_k` entities that texts (newest first) name, or that the newest one clearly
    describes.
    """
    described = _described_by(view, texts[0]) if texts else []
    rows = {row.entity.id: row for row in (*described, *named_in(view, texts))}
    return sorted(rows.values(), key=ranking_order)[:top_k]


def pages_told(view: View, entity: Entity) -> list[Page]:
    """The pages that list an entity, then those with its name in their title. They have no date;
    notes of a session are not yet knowledge.
    """
    if view.since is not None:
        return []
    titled = view.found(view.search.holding(terms(entity.name), TITLE), FEW)
    about = [*view.pages_about((Kind.ENTITY, entity.id)), *(page for page, _ in titled)]
    return [
        page
        for page in about
        if isinstance(page, Page) and page.type != SESSION_PAGE and view.may_enter(page)
    ]


def ranking_order(row: Salient) -> tuple[float, str, str]:
    """Highest score first."""
    return (-row.score, row.entity.id, row.view.collection)


def volunteered(rows: Iterable[Salient]) -> list[Salient]:
    """Those of the named entities that may be volunteered, strongest first: nothing is in the way,
    and they are named as strongly as the settings ask for.
    """
    return [
        row
        for row in sorted(rows, key=volunteering_order)
        if row.strength >= row.view.name_threshold and not why_not_volunteered(row)
    ]


def asked_by_name(view: View, text: str) -> list[Salient]:
    """The entities and topics whose names are all that a text holds, each as strong as the name
    alone. Nobody declared a topic, but somebody who writes its name and nothing else means it.
    """
    mentions = [m for m in weigh(view, text) if m.form is not FormKind.PART]
    if not mentions or not asks_only_about(text, [(m.start, m.end) for m in mentions]):
        return []
    alone = [
        (0, m._replace(factors={"arm": m.factors["arm"]}, placed="alone"))
        for m in mentions
        if not m.ambiguous
    ]
    least = view.name_threshold
    return [
        replace(row, strength=max(row.strength, least))
        for row in _rows(view, [text], alone)
        if row.strength >= least or row.form is FormKind.DERIVED
    ]


def why_not_volunteered(row: Salient) -> str | None:
    """Why an entity is not volunteered, however strongly it is named; None if it may be."""
    if row.form in NEVER_VOLUNTEERED:
        return NEVER_VOLUNTEERED[row.form]
    if row.ambiguous:
        return AMBIGUOUS
    is_known = row.claim_count or row.view.pages_about((Kind.ENTITY, row.entity.id))
    return None if is_known else "nothing is known of it"


def volunteering_order(row: Salient) -> tuple[float, int, str, str]:
    """A key to sort by: strongest first; of equals, the one that the text names first, as texts
    lead with their subject.
    """
    return (-row.strength, row.place, row.entity.id, row.view.collection)


def listed_topics(view: View, text: str) -> list[Mention]:
    """The mentions of topics that are strong enough to list them."""
    return [m for m in weigh(view, text) if view.is_topic(m.entity_id) and is_listed(m)]


def named_in(view: View, texts: Sequence[str]) -> list[Salient]:
    """The entities that texts (newest first) name in full or in part, strongest first, at most
    `MANY`.
    """
    listed = [
        (age, mention)
        for age, text in enumerate(texts)
        for mention in weigh(view, text)
        if is_listed(mention)
    ]
    return sorted(_rows(view, texts, listed), key=volunteering_order)[:MANY]


def surely_named(rows: Iterable[Salient]) -> list[Salient]:
    """The entities whose names are no words of a text, whatever may be volunteered. Names of topics
    are words.
    """
    return [
        row
        for row in rows
        if row.strength >= VOLUNTEERED
        and not row.ambiguous
        and not row.view.is_topic(row.entity.id)
    ]


def strengths_of(rows: Iterable[Salient], view: View) -> dict[str, float]:
    """How strongly the entities of one knowledge base are named, by id."""
    return {row.entity.id: row.strength for row in rows if row.view is view}


def _rows(
    view: View, texts: Sequence[str], evidence: Iterable[tuple[int, Mention]]
) -> Iterator[Salient]:
    """The entities that texts name. Each piece of `evidence` is the age of a text in the window (0
    for the newest) and a mention in it, newest first. The strengths of different texts combine like
    independent chances: 1 − Π(1 − s·fading).
    """
    by_entity = defaultdict[str, list[tuple[int, Mention]]](list)
    for age, mention in evidence:
        by_entity[mention.entity_id].append((age, mention))
    for entity in filter(None, map(view.entity, by_entity)):
        several = by_entity[entity.id]
        strongest = defaultdict[int, float](float)
        for age, mention in several:
            strongest[age] = max(mention.strength, strongest[age])
        strength = round(1 - prod(1 - s * FADING**age for age, s in strongest.items()), 3)
        # Of equally strong mentions the newest, then the first.
        _, best = min(several, key=lambda each: (-each[1].strength, each[0], each[1].start))
        newest = several[0][0]
        named = why(best, view.name_threshold)
        yield Salient(
            view=view,
            entity=entity,
            claim_count=view.search.claim_count(entity.id),
            strength=strength,
            matched=tuple(dict.fromkeys(mention.matched for _, mention in several)),
            why=f"{named}; {AMBIGUOUS}" if best.ambiguous else named,
            text=texts[newest],
            form=best.form,
            ambiguous=best.ambiguous,
            place=min(mention.start for age, mention in several if age == newest),
        )


def _described_by(view: View, text: str) -> Iterator[Salient]:
    """The entities whose name, aliases and description hold most of a text's words."""
    if not worth_searching(text):
        return
    words, total = terms(text), view.search.total(Kind.ENTITY)
    weights = {word: rarity(total, view.search.frequency(word, Kind.ENTITY)) for word in words}
    for entity, document in view.of_hits(
        view.search.down_to(weights, Kind.ENTITY, DESCRIBED_SHARE)
    ):
        stems = frozenset(stems_in(document))
        held = [word for word in words if word.held_by(stems)]
        strength = round(sum(map(weights.__getitem__, held)) / sum(weights.values()), 3)
        if isinstance(entity, Entity) and len(held) > 1 and strength >= DESCRIBED_SHARE:
            matched = tuple(word.word for word in held)
            yield Salient(
                view,
                entity,
                view.search.claim_count(entity.id),
                strength,
                matched,
                why=f"{strength:.2f}: its description holds “{' '.join(matched)}”",
                text=text,
            )
