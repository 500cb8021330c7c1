"""How strongly a mention says that its entity is meant. The one place of thresholds.

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
from vouch_sidecar.retrieval.surroundings import Passage, has_signs, unpunctuated, with_signs
from vouch_sidecar.retrieval.view import View

__all__ = ["LISTED", "VOLUNTEERED", "Evidence", "weigh"]

LISTED = 0.20
"""Strength from which on an entity is listed."""
VOLUNTEERED = 0.60
"""Strength from which on it is volunteered."""
OUTSIDE = 10
"""Claims of others that use a word weigh as much as one claim of the entity that is named so."""

_WRITTEN_OUT = 0.5
"""Keyness at least, where name and text both have a capital that nothing else explains."""

_ARMS = {Arm.NAME: 1.0, Arm.ALIAS: 0.95, Arm.VARIANT: 0.9, Arm.PARTIAL: 0.75}
_INFLECTED = 0.75
"""The arm of a variant in another number or verb form; an identifier form keeps its words."""

# Specificity of a single word by its tier in English: 0 none, 3 ordinary, 2 common, 1 very common.
_WRITTEN_AS_NAME = {0: 1.0, 3: 0.9, 2: 0.8, 1: 0.7}
_AS_THE_ENTITY_HAS_IT = {0: 0.9, 3: 0.55, 2: 0.5, 1: 0.15}
_WITHOUT_ITS_CAPITAL = {0: 0.9, 3: 0.15, 2: 0.15, 1: 0.1}
_ONE_LETTER = 0.3
_TWO_LETTERS = 0.5
_SHORT_IN_ANOTHER_CASE = 0.1
_NO_CONTENT = 0.1
_PHRASE = 0.55
"""A word with its particle, such as a phrasal verb, or three stopwords in a given order."""
_CAPITALS = 0.5
"""A stopword in capitals amid words that are not."""
_ARTICLES = frozenset({"a", "an", "the"})
_SIGNED = 0.9
"""A word with signs that belong to its name, such as C# or @team, is no English word."""
_LONG_NAME = 256
_FEW_SIGNS = 0.6
"""A name of one or two signs in a script without spaces may be part of another word."""


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
            _SIGNED if signed else 0.0,
        ),
        1.0,
        passage.surroundings(mention, inside, person),
    )
    if len(content) == 1 and not spaceless and evidence.strength >= LISTED:
        shown = passage.like_a_name(content[0]) and mention.name != mention.name.lower()
        keyness = max(_keyness(view, mention, content[0]), _WRITTEN_OUT if shown else 0.0)
        return evidence._replace(keyness=keyness)
    return evidence


def _arm(mention: Mention, matched: str) -> float:
    if mention.arm is Arm.VARIANT and _letters(matched) != _letters(mention.name):
        return _INFLECTED
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
        return 1.0 if len(inside) > 2 else _FEW_SIGNS
    if len(content) > 1:
        return 1.0
    if not content:
        if len(inside) > 2:
            return _PHRASE
        return _CAPITALS if passage.in_capitals(inside[0]) else _NO_CONTENT
    if len(inside) > 1 and inside[0].folded not in _ARTICLES:
        return _PHRASE
    word = normalize("NFC", passage.text[content[0].start : content[0].end])
    if len(word) <= 2:
        return _short(word, normalize("NFC", mention.name))
    return _commonness(passage, content[0], mention.name, person)[tier(content[0].folded)]


def _short(word: str, name: str) -> float:
    if word not in name:
        return _SHORT_IN_ANOTHER_CASE
    if len(word) == 1:
        return _ONE_LETTER
    return _WRITTEN_AS_NAME[2] if word.isupper() else _TWO_LETTERS


def _commonness(passage: Passage, unit: Unit, name: str, person: bool) -> dict[int, float]:
    """Specificity by tier, for the way in which a word is written."""
    has_capital = name != name.lower()
    if passage.in_capitals(unit):
        return _WRITTEN_AS_NAME
    if (has_capital or person) and passage.like_a_name(unit):
        return _WRITTEN_AS_NAME
    if person and passage.speaks(unit):
        return _WRITTEN_AS_NAME
    if has_capital and passage.text[unit.start].islower():
        return _WITHOUT_ITS_CAPITAL
    return _AS_THE_ENTITY_HAS_IT


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
