"""Weighs mentions: how strongly each says that its entity is meant. strength = arm × specificity ×
keyness × place, each from 0 to 1. docs/how-it-decides.md explains them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from vouch_sidecar.kb.records import Entity
from vouch_sidecar.names.mentions import Mention
from vouch_sidecar.names.name_forms import FormKind, spelling
from vouch_sidecar.retrieval.constants import (
    ALIAS,
    DERIVED,
    FEW_SIGNS,
    IDENTIFIER_FORM,
    INFLECTED,
    LISTED,
    NAME,
    ONE_LETTER,
    OUTSIDE,
    PART,
    PLACES,
    SHARED,
    SIGNED,
    SPECIFICITY,
    STOPWORD,
    SURNAME,
    WRITTEN_OUT,
    PlaceKind,
)
from vouch_sidecar.retrieval.evidence.name_position import Placing, has_signs, with_signs
from vouch_sidecar.retrieval.score import Score
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.analysis import Unit, fold
from vouch_sidecar.text.content_words import terms
from vouch_sidecar.text.english_words import STOPWORDS, tier

_STRENGTHS = {
    FormKind.NAME: NAME,
    FormKind.ALIAS: ALIAS,
    FormKind.VARIANT: IDENTIFIER_FORM,
    FormKind.SURNAME: SURNAME,
    FormKind.PART: PART,
    FormKind.DERIVED: DERIVED,
}
_BY_FORM = {
    FormKind.ALIAS: "an alias",
    FormKind.VARIANT: "another form of the name",
    FormKind.SURNAME: "a surname",
    FormKind.PART: "a part of the name",
    FormKind.DERIVED: "nobody declared it",
}
"""What weakens a mention, for people, by its form, and below by its place."""
_BY_PLACE: dict[PlaceKind, str] = {
    "printed": "a machine printed it, maybe another's",
    "as it is": "it may be an ordinary word",
    "word": "written as an ordinary word",
    "code": "a part of code",
    "another's": "a part of another name",
}
_ARTICLES = frozenset({"a", "an", "the"})


class WeighedMention(NamedTuple):
    """A mention with the factors of its strength, and what its position says of it."""

    mention: Mention
    matched: str
    arm: float
    specificity: float
    keyness: float
    place: float
    placed: PlaceKind

    @property
    def strength(self) -> float:
        return round(self.arm * self.specificity * self.keyness * self.place, 3)

    @property
    def least(self) -> float:
        """The least strength at which the entity is listed; entities that share a part of a name
        divide it among them. What a machine printed is listed like what a person wrote.
        """
        is_shared = self.mention.form is FormKind.PART and self.mention.ambiguous
        least = LISTED * SHARED if is_shared else LISTED
        return least * PLACES["printed"] if self.placed == "printed" else least

    @property
    def is_listed(self) -> bool:
        """Whether it lists its entity."""
        return self.strength >= self.least

    def score(self, needs: float) -> Score:
        """The strength with its factors. Its reason is what keeps it below `needs`, the strength
        from which on the entity is volunteered.
        """
        terms = {
            "arm": self.arm,
            "specificity": self.specificity,
            "keyness": self.keyness,
            "place": self.place,
        }
        smallest = min(terms, key=lambda name: terms[name])
        reasons = {
            "arm": _BY_FORM.get(self.mention.form, ""),
            "specificity": "the words may mean something else",
            "keyness": "most claims with the word are about something else",
            "place": _BY_PLACE.get(self.placed, ""),
        }
        reason = reasons[smallest] if self.strength < needs else ""
        return Score(self.strength, terms, reason)


def weigh(view: View, text: str) -> list[WeighedMention]:
    """The weighed mentions of a text, one for each mention that is not inside a longer one."""
    return view.cached("evidence", text, lambda: _weigh(view, text))


def _weigh(view: View, text: str) -> list[WeighedMention]:
    parts = view.names.parts(text)
    mentions = [m for m in view.names.mentions(text) if not m.nested] + parts
    placing = Placing.of(text)
    topics = view.names.topic_mentions(text)
    mentions += [mention for mention in topics if not any(map(mention.overlaps, parts))]
    occurrences = (_Occurrence(view, placing, mention) for mention in mentions)
    return [_weighed(each) for each in occurrences if not each.lacks_signs]


@dataclass(frozen=True)
class _Occurrence:
    """A mention in its text, with the entity that it may mean."""

    view: View
    placing: Placing
    mention: Mention

    @cached_property
    def entity(self) -> Entity | None:
        return self.view.visible.entity(self.mention.entity_id)

    @cached_property
    def inside(self) -> list[Unit]:
        return self.placing.units_in(self.mention.start, self.mention.end)

    @cached_property
    def content(self) -> list[Unit]:
        """Its words that are no stopwords."""
        return [unit for unit in self.inside if unit.folded not in STOPWORDS]

    @property
    def written(self) -> str:
        return self.placing.text[self.mention.start : self.mention.end]

    @property
    def is_part(self) -> bool:
        return self.mention.form is FormKind.PART

    @property
    def lacks_signs(self) -> bool:
        """Whether the name has signs that do not stand here: 14089 is not #14089."""
        if self.is_part:
            return False
        name, text, start = self.mention.name, self.placing.text, self.mention.start
        is_topic = self.mention.form is FormKind.DERIVED and not name[0].isalnum()
        without = is_topic and not text.startswith(name[0], max(0, start - 1))
        return without or with_signs(text, self.mention) is None

    @property
    def is_person(self) -> bool:
        return self.entity is not None and self.entity.type == "person"

    @property
    def is_one_word(self) -> bool:
        """Whether there is at most one content word, of a script with spaces."""
        return len(self.content) < 2 and not any(unit.spaceless for unit in self.inside)

    @cached_property
    def tier(self) -> int:
        """How common the word is in English, also together with a stopword beside it."""
        if not self.content:
            return 1
        word = self.content[0].folded
        is_short = min(len(word), len(self.mention.name)) < 3
        common = 1 if word.isdigit() else tier(word) or (2 if is_short else 0)
        is_pair = len(self.inside) > 1 and self.inside[0].folded not in _ARTICLES
        return 3 if common and is_pair else common

    @cached_property
    def is_settled(self) -> bool:
        """Whether the settings say that these words always name an entity."""
        return spelling(self.written) in self.view.words.always

    @cached_property
    def by_position(self) -> PlaceKind:
        """What its letters and its neighbours say of it."""
        has_capital = self.mention.name != self.mention.name.lower()
        return self.placing.place(self.mention, self.is_person, has_capital)

    @property
    def place(self) -> PlaceKind:
        """What its position says of it, given what is known of its words and its entity."""
        place = self.in_its_line
        if place != "name" or not self.placing.is_printed(self.mention):
            return place
        is_identifier = len(self.inside) > 1 and " " not in self.written  # names one thing
        return "name" if is_identifier else "printed"

    @cached_property
    def in_its_line(self) -> PlaceKind:
        """Likewise, whoever wrote its line."""
        if self.by_position in ("alone", "another's"):
            return self.by_position
        if not self.is_one_word:
            return "name"
        if self.by_position == "code":
            return "code"
        if self.is_settled or not self.tier or self.by_position == "name":
            return "name"
        if self.is_part:
            return "as it is" if self.tier == 3 else "word"
        return "word" if self.tier == 1 else self.by_position


def _weighed(occurrence: _Occurrence) -> WeighedMention:
    mention, place = occurrence.mention, occurrence.place
    matched = with_signs(occurrence.placing.text, mention) or occurrence.written
    is_signed = not occurrence.is_part and has_signs(mention.name)
    if is_signed:
        mention = mention._replace(form=_own_form(occurrence, matched))
    if place == "alone" and not occurrence.is_part:
        return WeighedMention(mention, matched, _STRENGTHS[mention.form], 1.0, 1.0, 1.0, place)
    form, specific = (
        _form_strength(mention, matched),
        SIGNED if is_signed else _specificity(occurrence),
    )
    placed: PlaceKind = "name" if is_signed and place != "printed" else place
    weighed = WeighedMention(mention, matched, form, specific, 1.0, PLACES[placed], placed)
    is_sure = occurrence.is_settled or not occurrence.is_one_word or not occurrence.content
    if is_sure or not weighed.is_listed:
        return weighed
    return weighed._replace(keyness=_keyness(occurrence))


def _form_strength(mention: Mention, matched: str) -> float:
    if mention.form is FormKind.PART and mention.ambiguous:
        return PART * SHARED
    is_form = mention.form in (FormKind.VARIANT, FormKind.DERIVED)
    if is_form and _letters(matched) != _letters(mention.name):
        return min(INFLECTED, _STRENGTHS[mention.form])
    return _STRENGTHS[mention.form]


def _own_form(occurrence: _Occurrence, written: str) -> FormKind:
    """The form of a name that is written with its signs."""
    mention, entity = occurrence.mention, occurrence.entity
    if mention.form is FormKind.DERIVED:
        return mention.form
    if fold(written) != fold(mention.name.strip()):
        return mention.form
    is_name = entity is not None and entity.name == mention.name
    return min(mention.form, FormKind.NAME if is_name else FormKind.ALIAS)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, fold(text)))


def _specificity(occurrence: _Occurrence) -> float:
    """How little else the words could mean: by their number, and how common they are in English."""
    if occurrence.is_settled or len(occurrence.content) > 1:
        return 1.0
    if not occurrence.is_one_word:
        return 1.0 if len(occurrence.inside) > 2 else FEW_SIGNS
    if not occurrence.content:
        return STOPWORD
    unit = occurrence.content[0]
    return ONE_LETTER if len(unit.folded) == 1 else SPECIFICITY[occurrence.tier]


def _keyness(occurrence: _Occurrence) -> float:
    """Own claims against the claims of others that use the word: (own + 1) / (own + 1 + others/10).

    After the link probability of Mihalcea and Csomai (2007), with claims for links: where most who
    use a word speak of something else, it hardly names the entity.
    """
    words = terms(occurrence.content[0].folded)
    own = occurrence.view.counts.claims_of(occurrence.mention.entity_id)
    using = occurrence.view.counts.frequency(words[0]) if words else 0
    keyness = round((own + 1) / (own + 1 + max(0, using - own) / OUTSIDE), 2)
    shown = (
        occurrence.by_position == "name"
        and occurrence.mention.name != occurrence.mention.name.lower()
    )
    return max(keyness, WRITTEN_OUT if shown else 0.0)
