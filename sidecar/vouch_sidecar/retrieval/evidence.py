"""How strongly a mention says that its entity is meant.

strength = arm × specificity × keyness × surroundings, each from 0 to 1. docs/how-it-decides.md
explains them, with worked examples and the measurement behind the constants.
"""

from __future__ import annotations

from collections.abc import Container
from math import prod
from typing import NamedTuple
from unicodedata import normalize

from vouch_sidecar.index.content import needles
from vouch_sidecar.index.forms import Arm
from vouch_sidecar.index.mentions import Mention
from vouch_sidecar.index.text import Unit, fold
from vouch_sidecar.index.words import STOPWORDS, tier
from vouch_sidecar.retrieval.constants import (
    ALIAS,
    AS_THE_ENTITY_HAS_IT,
    FEW_SIGNS,
    IDENTIFIER_FORM,
    INFLECTED,
    LISTED,
    NAME,
    ONE_LETTER,
    OUTSIDE,
    SHORT_IN_ANOTHER_CASE,
    SIGNED,
    STOPWORD_IN_CAPITALS,
    STOPWORDS_ALONE,
    SURNAME,
    TWO_CAPITALS,
    TWO_LETTERS,
    WITH_PARTICLE,
    WITHOUT_ITS_CAPITAL,
    WRITTEN_AS_NAME,
    WRITTEN_OUT,
)
from vouch_sidecar.retrieval.surroundings import Passage, has_signs, unpunctuated, with_signs
from vouch_sidecar.retrieval.view import View

__all__ = ["Evidence", "weigh"]

_ARMS = {Arm.NAME: NAME, Arm.ALIAS: ALIAS, Arm.VARIANT: IDENTIFIER_FORM, Arm.PARTIAL: SURNAME}
_ARTICLES = frozenset({"a", "an", "the"})
_LONG_NAME = 256


class Evidence(NamedTuple):
    """A mention with its strength and the factors of it."""

    mention: Mention
    matched: str
    arm: float
    specificity: float
    keyness: float
    surroundings: float

    @property
    def strength(self) -> float:
        return round(prod(self[2:]), 3)

    @property
    def factors(self) -> str:
        """The product, written out."""
        return (
            f"{self.mention.arm.name.lower()} {self.arm:g} × specificity {self.specificity:g}"
            f" × keyness {self.keyness:g} × surroundings {self.surroundings:g}"
            f" = {self.strength:g}"
        )


def weigh(view: View, text: str) -> list[Evidence]:
    """The evidence of a text: one entry for each mention that no longer one covers."""
    return view.once("evidence", text, lambda: _weigh(view, text))


def _weigh(view: View, text: str) -> list[Evidence]:
    mentions = [m for m in view.mentions(text) if not m.nested]
    named = {m.entity_id for m in mentions}
    unseen = [] if mentions and len(text) > _LONG_NAME else _unseen(view, text, named)
    if not mentions:
        return unseen
    passage = Passage.of(text)
    return [*(_weighed(view, passage, m) for m in mentions), *unseen]


def _unseen(view: View, text: str, named: Container[str]) -> list[Evidence]:
    """Names that are all of a text, though no words of it show them: those without words, such as
    a lone sign, and those whose words without their signs are the name of something else.
    """
    names = view.knowledge.names
    written = text.strip() if names.exactly(text) else unpunctuated(text)
    found = names.exactly(written) if written else []
    start, shared = text.find(written), len(found) > 1
    return [
        Evidence(
            Mention(start, start + len(written), entity_id, Arm.NAME, written, shared, False),
            written,
            *(1.0, 1.0, 1.0, 1.0),
        )
        for entity_id in found
        if entity_id not in named
    ]


def _weighed(view: View, passage: Passage, mention: Mention) -> Evidence:
    bare = passage.text[mention.start : mention.end]
    whole = with_signs(passage.text, mention)
    matched = whole or bare
    signed = whole is not None and has_signs(mention.name)
    if signed:
        mention = mention._replace(arm=_own_arm(view, mention, matched))
    if passage.is_nothing_but(matched):
        return Evidence(mention, matched, _ARMS[mention.arm], 1.0, 1.0, 1.0)
    inside = passage.units_in(mention.start, mention.end)
    content = [u for u in inside if u.folded not in STOPWORDS]
    spaceless = any(u.spaceless for u in inside)
    entity = view.entity(mention.entity_id)
    person = entity is not None and entity.type == "person"
    evidence = Evidence(
        mention,
        matched,
        _arm(mention, matched),
        max(
            _specificity(passage, mention, inside, content, person),
            SIGNED if signed else 0.0,
        ),
        1.0,
        passage.surroundings(mention, inside, person),
    )
    if len(content) == 1 and not spaceless and evidence.strength >= LISTED:
        shown = passage.like_a_name(content[0]) and mention.name != mention.name.lower()
        keyness = max(_keyness(view, mention, content[0]), WRITTEN_OUT if shown else 0.0)
        return evidence._replace(keyness=keyness)
    return evidence


def _arm(mention: Mention, matched: str) -> float:
    if mention.arm is Arm.VARIANT and _letters(matched) != _letters(mention.name):
        return INFLECTED
    return _ARMS[mention.arm]


def _own_arm(view: View, mention: Mention, written: str) -> Arm:
    """The arm of a name that is written with its signs."""
    if fold(written) != fold(mention.name.strip()):
        return mention.arm
    entity = view.entity(mention.entity_id)
    is_name = entity is not None and entity.name == mention.name
    return min(mention.arm, Arm.NAME if is_name else Arm.ALIAS)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, fold(text)))


def _specificity(
    passage: Passage, mention: Mention, inside: list[Unit], content: list[Unit], person: bool
) -> float:
    """How little else the words could mean."""
    if any(u.spaceless for u in inside):
        return 1.0 if len(inside) > 2 else FEW_SIGNS
    if len(content) > 1:
        return 1.0
    if not content:
        if len(inside) > 2:
            return WITH_PARTICLE
        return STOPWORD_IN_CAPITALS if passage.in_capitals(inside[0]) else STOPWORDS_ALONE
    if len(inside) > 1 and inside[0].folded not in _ARTICLES:
        return WITH_PARTICLE
    word = normalize("NFC", passage.text[content[0].start : content[0].end])
    if len(word) <= 2:
        return _short(word, normalize("NFC", mention.name))
    return _commonness(passage, content[0], mention.name, person)[tier(content[0].folded)]


def _short(word: str, name: str) -> float:
    if word not in name:
        return SHORT_IN_ANOTHER_CASE
    if len(word) == 1:
        return ONE_LETTER
    return TWO_CAPITALS if word.isupper() else TWO_LETTERS


def _commonness(passage: Passage, unit: Unit, name: str, person: bool) -> dict[int, float]:
    """Specificity by tier, for the way in which a word is written."""
    has_capital = name != name.lower()
    if passage.in_capitals(unit):
        return WRITTEN_AS_NAME
    if (has_capital or person) and passage.like_a_name(unit):
        return WRITTEN_AS_NAME
    if person and passage.speaks(unit):
        return WRITTEN_AS_NAME
    if has_capital and passage.text[unit.start].islower():
        return WITHOUT_ITS_CAPITAL
    return AS_THE_ENTITY_HAS_IT


def _keyness(view: View, mention: Mention, unit: Unit) -> float:
    """Own claims against the claims of others that use the word: (own + 1) / (own + 1 + others/10).

    After the link probability of Mihalcea and Csomai (2007), with claims for links: where most who
    use a word speak of something else, it hardly names the entity.
    """
    words = needles(unit.folded)
    own = view.claim_count(mention.entity_id)
    using = view.frequency(words[0]) if words else 0
    others = max(0, using - own)
    return round((own + 1) / (own + 1 + others / OUTSIDE), 2)
