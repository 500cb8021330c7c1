"""How strongly a mention says that its entity is meant.

strength = arm × specificity × keyness × surroundings, each from 0 to 1. docs/how-it-decides.md
explains them, with worked examples and the measurement behind the constants.
"""

from __future__ import annotations

from collections.abc import Container
from math import prod
from typing import NamedTuple

from vouch_sidecar.index.content import needles
from vouch_sidecar.index.forms import Arm, surface
from vouch_sidecar.index.mentions import Mention
from vouch_sidecar.index.text import fold
from vouch_sidecar.retrieval.constants import (
    ALIAS,
    BESIDE_ITS_TRADE,
    IDENTIFIER_FORM,
    IN_CODE,
    INFLECTED,
    LISTED,
    MODIFIED,
    NAME,
    OUTSIDE,
    PART,
    SHARED,
    SIGNED,
    SURNAME,
    WRITTEN_OUT,
)
from vouch_sidecar.retrieval.specificity import (
    Place,
    meant_by_its_place,
    specificity,
    specificity_of_part,
)
from vouch_sidecar.retrieval.surroundings import Passage, has_signs, unpunctuated, with_signs
from vouch_sidecar.retrieval.view import View

__all__ = ["Evidence", "weigh"]

_ARMS = {Arm.NAME: NAME, Arm.ALIAS: ALIAS, Arm.VARIANT: IDENTIFIER_FORM, Arm.SURNAME: SURNAME}
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
    def least(self) -> float:
        """The strength from which on it lists the entity; for a part that several share, what is
        left of that once it is shared.
        """
        is_shared = self.mention.arm is Arm.PART and self.mention.ambiguous
        return LISTED * SHARED if is_shared else LISTED

    @property
    def factors(self) -> dict[str, float]:
        """The factors by name."""
        return dict(zip(self._fields[2:], self[2:], strict=True))

    @property
    def written_out(self) -> str:
        """The product: `name 1 × specificity 0.8 × keyness 1 × surroundings 1 = 0.8`."""
        arm, *others = self.factors.items()
        told = [f"{self.mention.arm.name.lower()} {arm[1]:g}", *(f"{n} {v:g}" for n, v in others)]
        return f"{' × '.join(told)} = {self.strength:g}"


def weigh(view: View, text: str) -> list[Evidence]:
    """The evidence of a text: one entry for each mention that no longer one covers."""
    return view.once("evidence", text, lambda: _weigh(view, text))


def _weigh(view: View, text: str) -> list[Evidence]:
    mentions = [m for m in view.mentions(text) if not m.nested]
    named = {m.entity_id for m in mentions}
    unseen = [] if mentions and len(text) > _LONG_NAME else _unseen(view, text, named)
    parts = view.parts(text)
    if not mentions and not parts:
        return unseen
    passage = Passage.of(text)
    found = [_weighed(Place.of(view, passage, m)) for m in mentions]
    found += [_weighed_part(Place.of(view, passage, m)) for m in parts]
    return [*found, *unseen]


def _unseen(view: View, text: str, named: Container[str]) -> list[Evidence]:
    """Names that are all of a text, though no words of it show them: those without words, such as
    a lone sign, and those whose words without their signs are the name of something else.
    """
    names = view.knowledge.names
    written = text.strip() if names.exactly(text) else unpunctuated(text)
    unknown = not written or surface(written) in view.words.never
    found = [] if unknown else names.exactly(written)
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


def _weighed(place: Place) -> Evidence:
    passage, mention = place.passage, place.mention
    bare = passage.text[mention.start : mention.end]
    whole = with_signs(passage.text, mention)
    matched = whole or bare
    signed = whole is not None and has_signs(mention.name)
    if signed:
        mention = mention._replace(arm=_own_arm(place.view, mention, matched))
    if passage.is_nothing_but(matched):
        return Evidence(mention, matched, _ARMS[mention.arm], 1.0, 1.0, 1.0)
    specific, meant = specificity(place), meant_by_its_place(place)
    around = passage.surroundings(mention, place.inside, place.is_person)
    if place.heads_another_name:
        around *= MODIFIED
    specific = max(specific, meant, SIGNED if signed else 0.0)
    if meant == IN_CODE and (specific * around < IN_CODE or place.is_ordinary):
        specific, around = IN_CODE, 1.0
    factors = (specific, 1.0, around)
    evidence = Evidence(mention, matched, _arm(mention, matched), *factors)
    if place.is_one_word and not place.is_settled and evidence.strength >= LISTED:
        return evidence._replace(keyness=_keyness(place) if meant < BESIDE_ITS_TRADE else 1.0)
    return evidence


def _weighed_part(place: Place) -> Evidence:
    passage, mention = place.passage, place.mention
    matched = passage.text[mention.start : mention.end]
    around = passage.surroundings(mention, place.inside, place.is_person)
    arm = PART * SHARED if mention.ambiguous else PART
    found = Evidence(mention, matched, arm, specificity_of_part(place), 1.0, around)
    if place.is_one_word and not place.is_settled and found.strength >= found.least:
        return found._replace(keyness=_keyness(place))
    return found


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


def _keyness(place: Place) -> float:
    """Own claims against the claims of others that use the word: (own + 1) / (own + 1 + others/10).

    After the link probability of Mihalcea and Csomai (2007), with claims for links: where most who
    use a word speak of something else, it hardly names the entity.
    """
    view, unit, name = place.view, place.content[0], place.mention.name
    words = needles(unit.folded)
    own = view.claim_count(place.mention.entity_id)
    using = view.frequency(words[0]) if words else 0
    others = max(0, using - own)
    keyness = round((own + 1) / (own + 1 + others / OUTSIDE), 2)
    shown = place.passage.like_a_name(unit) and name != name.lower()
    return max(keyness, WRITTEN_OUT if shown else 0.0)
