"""How little else the words of a mention could mean: the factor `specificity` of its strength."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from unicodedata import normalize

from vouch_sidecar.index.content import content_stems
from vouch_sidecar.index.forms import Arm, surface
from vouch_sidecar.index.mentions import Mention
from vouch_sidecar.index.schema import stems_in
from vouch_sidecar.index.text import Unit, fold
from vouch_sidecar.index.words import STOPWORDS, tier
from vouch_sidecar.kb.records import Entity
from vouch_sidecar.retrieval.asking import worths_of
from vouch_sidecar.retrieval.code import in_code
from vouch_sidecar.retrieval.constants import (
    AS_THE_ENTITY_HAS_IT,
    BARE_NOUN,
    BESIDE_ITS_TRADE,
    FEW_SIGNS,
    IN_CODE,
    OF_A_NAME,
    ONE_LETTER,
    SHORT_IN_ANOTHER_CASE,
    SIGNED,
    STOPWORD_IN_CAPITALS,
    STOPWORDS_ALONE,
    TRADE_WEIGHT,
    TRADE_WORDS,
    TWO_CAPITALS,
    TWO_LETTERS,
    WITH_PARTICLE,
    WITHOUT_ITS_CAPITAL,
    WRITTEN_AS_NAME,
)
from vouch_sidecar.retrieval.surroundings import DATES, Passage
from vouch_sidecar.retrieval.view import View

__all__ = ["Place", "meant_by_its_place", "specificity", "specificity_of_part"]

_ARTICLES = frozenset({"a", "an", "the"})
_OWNERS = frozenset({"my", "your", "his", "her", "their"})
_SYSTEMS = frozenset("api framework language library runtime service system tool".split())
_SOFTWARE = frozenset(
    """
    api app backend binary bug build builds cache cli client code compile compiled compiler config
    container crash crate crates database dependency deploy deployment docker endpoint error errors
    exception extension framework function functions goroutine goroutines handler image job
    language latency library lint linter log logs macro metrics migration module modules package
    packages parser plugin pod process program queries query queue release repo repository request
    requests runtime schema script sdk server servers service services socket syntax test tests
    thread threads tool toolchain traits type types upgrade version worker workers
    """.split()
)
"""What is said of any software. Some of it is too new for the list of English words."""
_NUMBERED = re.compile(r"[A-Z]+-\d+")
"""A ticket or an incident whose letters are a word: OUT-77."""


@dataclass(frozen=True)
class Place:
    """A mention in its text, with the entity that it may mean."""

    view: View
    passage: Passage
    mention: Mention
    inside: list[Unit]
    entity: Entity | None

    @classmethod
    def of(cls, view: View, passage: Passage, mention: Mention) -> Place:
        inside = passage.units_in(mention.start, mention.end)
        return cls(view, passage, mention, inside, view.entity(mention.entity_id))

    @cached_property
    def content(self) -> list[Unit]:
        """Its words that are no stopwords."""
        return [unit for unit in self.inside if unit.folded not in STOPWORDS]

    @property
    def is_person(self) -> bool:
        return self.entity is not None and self.entity.type == "person"

    @property
    def is_one_word(self) -> bool:
        """Whether there is one content word, of a script with spaces."""
        return len(self.content) == 1 and not any(unit.spaceless for unit in self.inside)

    @property
    def is_ordinary(self) -> bool:
        """Whether that word is an English one."""
        return self.is_one_word and tier(self.content[0].folded) > 0

    @cached_property
    def is_settled(self) -> bool:
        """Whether the knowledge base says that these words always name an entity."""
        written = self.passage.text[self.mention.start : self.mention.end]
        return surface(written) in self.view.words.always

    @property
    def has_capital(self) -> bool:
        """Whether the name that was recognised has one."""
        return self.mention.name != self.mention.name.lower()

    @property
    def is_in_lower_case(self) -> bool:
        return self.passage.text[self.content[0].start].islower()

    @property
    def heads_another_name(self) -> bool:
        """Whether an alias that is the last word of the name has another word before it: “the bug
        tracker” beside a Delivery Tracker.
        """
        words = self.entity.name.split() if self.entity is not None else []
        if self.mention.arm is not Arm.ALIAS or len(words) < 2 or len(self.inside) > 1:
            return False
        if fold(words[-1]) != fold(self.mention.name):
            return False
        return self.passage.is_modified(self.inside[0])


def specificity(place: Place) -> float:
    """By how many words there are, how common they are in English, and how they are written."""
    passage, inside, content = place.passage, place.inside, place.content
    if place.is_settled:
        return 1.0
    if any(u.spaceless for u in inside):
        return 1.0 if len(inside) > 2 else FEW_SIGNS
    if len(content) > 1:
        return 1.0
    if not content:
        if len(inside) > 2:
            return WITH_PARTICLE
        return STOPWORD_IN_CAPITALS if passage.in_capitals(inside[0]) else STOPWORDS_ALONE
    if len(inside) > 1 and inside[0].folded not in _ARTICLES:
        if _is_full_name(place):
            return 1.0
        written = passage.text[inside[0].start : inside[-1].end]
        return SIGNED if _NUMBERED.fullmatch(written) else WITH_PARTICLE
    word = normalize("NFC", passage.text[content[0].start : content[0].end])
    if len(word) <= 2:
        return _short(word, normalize("NFC", place.mention.name))
    return _commonness(place)[tier(content[0].folded)]


def _is_full_name(place: Place) -> bool:
    """Whether the words are all of a person's name, of which one is a stopword: Will Chen."""
    has_capitals = all(place.passage.has_capital(unit) for unit in place.inside)
    return place.is_person and (has_capitals or tier(place.content[0].folded) == 0)


def _short(word: str, name: str) -> float:
    if word not in name:
        return SHORT_IN_ANOTHER_CASE
    if len(word) == 1:
        return ONE_LETTER
    return TWO_CAPITALS if word.isupper() else TWO_LETTERS


def _commonness(place: Place) -> dict[int, float]:
    """Specificity by tier, for the way in which a word is written."""
    passage, unit, person = place.passage, place.content[0], place.is_person
    if passage.in_capitals(unit):
        return WRITTEN_AS_NAME
    if (place.has_capital or person) and passage.like_a_name(unit):
        return WRITTEN_AS_NAME
    if person and passage.speaks(unit):
        return WRITTEN_AS_NAME
    as_verb = passage.in_capitals_throughout and passage.acts(unit)
    if place.has_capital and (place.is_in_lower_case or as_verb):
        return WITHOUT_ITS_CAPITAL
    return AS_THE_ENTITY_HAS_IT


def meant_by_its_place(place: Place) -> float:
    """Specificity of a single word by where it stands: in code, as a name, or beside words of the
    trade of the entity; 0 where that says nothing.
    """
    if not place.is_one_word or place.is_person or place.entity is None:
        return 0.0
    passage, mention, unit = place.passage, place.mention, place.content[0]
    if unit.end - unit.start > 2 and in_code(passage.text, mention.start, mention.end):
        return IN_CODE
    if passage.acts(unit):
        return 0.0
    stands = passage.stands_as_a_name(unit)
    if stands and passage.in_capitals_throughout:
        return BESIDE_ITS_TRADE
    written = not (place.has_capital and place.is_in_lower_case)
    before, after = passage.around(unit)
    beside, following = [*before, *after], after[0] if after else None
    if _beside_its_trade(place.view, place.entity, passage.text, beside):
        return BESIDE_ITS_TRADE if written or stands else BARE_NOUN
    named = place.has_capital and (passage.like_a_name(unit) or (stands and written))
    if named and place.entity.type in _SYSTEMS and _in_software(following, beside, stands):
        return BESIDE_ITS_TRADE
    return BARE_NOUN if stands and tier(unit.folded) != 1 else 0.0


def _beside_its_trade(view: View, entity: Entity, text: str, beside: Iterable[Unit]) -> bool:
    """Whether one of an entity's claims, with its description, holds several of the words that
    stand beside its name in a text.
    """
    worths = worths_of(view, text)
    by_stem = view.once("by stem", text, lambda: {word.only_stem: word for word in worths})
    words = [word for unit in beside if (word := by_stem.get(unit.stem)) is not None]
    weights = {word: worths[word] for word in words}
    described = frozenset(content_stems(entity.description or ""))
    hits = view.search.nearest(entity.id, weights, 1) if len(weights) >= TRADE_WORDS else []
    claims = [frozenset(stems_in(view.knowledge.snapshot.document(hit))) for hit in hits]
    for said in claims or [frozenset[str]()]:
        held = [word for word in weights if word.held_by(said | described)]
        if len(held) >= TRADE_WORDS and fsum(weights[word] for word in held) >= TRADE_WEIGHT:
            return True
    return False


def _in_software(after: Unit | None, others: Iterable[Unit], stands: bool) -> bool:
    """Whether words are those of software: the one right after a name, or two others; one, if the
    name `stands` where names do.
    """
    if after is not None and not after.gap and after.folded in _SOFTWARE:
        return True
    found = {unit.stem for unit in others if unit.folded in _SOFTWARE}
    return len(found) >= (1 if stands else TRADE_WORDS)


def specificity_of_part(place: Place) -> float:
    """The same of a part of a name: an ordinary word, written as such, hardly ever means it."""
    passage, content = place.passage, place.content
    if len(content) > 1 or place.is_settled:
        return 1.0
    unit = content[0]
    word = passage.text[unit.start : unit.end]
    if not any(map(str.isalpha, word)) or (len(word) <= 2 and not word.isupper()):
        return 0.0
    before, after = passage.around(unit)
    if unit.folded in DATES or (after and not after[0].gap and after[0].folded[0].isdigit()):
        return 0.0  # INC of INC-119 is no part of INC-118
    common = 1 if unit.folded in _SOFTWARE else tier(unit.folded)
    if passage.in_capitals(unit) or passage.like_a_name(unit):
        return WRITTEN_AS_NAME[common]
    if common and before and not unit.gap and before[-1].folded in _OWNERS:
        return 0.0
    return OF_A_NAME[common]
