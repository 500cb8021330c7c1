"""How strongly a mention says that its entity is meant. The one place of thresholds.

strength = arm × specificity × surroundings, from 0 to 1.
"""

from __future__ import annotations

from typing import NamedTuple

from sidecar.index.names import Arm, Mention
from sidecar.index.text import Unit, Units, units
from sidecar.index.words import STOPWORDS, tier
from sidecar.retrieval.view import View

__all__ = ["LISTED", "VOLUNTEERED", "Evidence", "weigh"]

LISTED = 0.30
"""Strength from which on an entity is listed."""
VOLUNTEERED = 0.60
"""Strength from which on it is volunteered."""

_ARMS = {Arm.NAME: 1.0, Arm.ALIAS: 0.95, Arm.VARIANT: 0.9, Arm.PARTIAL: 0.75}
_COMMONNESS = {0: 0.95, 3: 0.55, 2: 0.4, 1: 0.25}
"""Specificity of a single lower-case word by its tier in English."""
_CAPITAL = {0: 1.0, 3: 0.85, 2: 0.8, 1: 0.7}
"""The same where it is written like a name in the middle of a sentence."""
_PUNCTUATION = " \t\r\n.,;:!?'\"`“”‘’()[]{}<>*_#"
_TITLES = frozenset({"mr", "mrs", "ms", "mx", "dr", "prof", "sir", "the"})


class Evidence(NamedTuple):
    """A mention with its strength and the factors of it."""

    mention: Mention
    matched: str
    arm: float
    specificity: float
    surroundings: float

    @property
    def strength(self) -> float:
        return self.arm * self.specificity * self.surroundings

    @property
    def factors(self) -> str:
        return (
            f"{self.mention.arm.name.lower()} {self.arm:.2f}"
            f" × specificity {self.specificity:.2f} × surroundings {self.surroundings:.2f}"
        )


def weigh(view: View, text: str) -> list[Evidence]:
    """The evidence of a text: one entry for each mention that no longer one covers."""
    return view.once("evidence", text, lambda: _weigh(view, text))


def _weigh(view: View, text: str) -> list[Evidence]:
    mentions = [m for m in view.mentions(text) if not m.nested]
    if not mentions:
        return [_whole(e, text, view) for e in view.knowledge.names.exactly(text)]
    analysed = units(text)
    return [_weighed(analysed, m) for m in mentions]


def _whole(entity_id: str, text: str, view: View) -> Evidence:
    """A text that is a name which has no words, such as a lone sign."""
    shared = len(view.knowledge.names.exactly(text)) > 1
    mention = Mention(0, len(text), entity_id, Arm.NAME, text.strip(), shared, False)
    return Evidence(mention, text.strip(), 1.0, 1.0, 1.0)


def _weighed(analysed: Units, mention: Mention) -> Evidence:
    matched = analysed.text[mention.start : mention.end]
    if analysed.text.strip(_PUNCTUATION) == matched:
        return Evidence(mention, matched, _ARMS[mention.arm], 1.0, 1.0)
    inside = [u for u in analysed.units if mention.start <= u.start < mention.end]
    return Evidence(
        mention,
        matched,
        _ARMS[mention.arm],
        _specificity(analysed, inside, mention),
        _surroundings(analysed, inside, mention),
    )


def _specificity(analysed: Units, inside: list[Unit], mention: Mention) -> float:
    """How little else the words could mean."""
    content = [u for u in inside if u.folded not in STOPWORDS]
    if any(u.spaceless for u in inside):
        return 1.0 if len(inside) > 2 else 0.6
    if len(content) > 1:
        return 1.0
    if not content:
        return 0.2
    word = analysed.text[content[0].start : content[0].end]
    if len(word) <= 2 and word != mention.name:
        return 0.1
    commonness = tier(content[0].folded)
    written_as_name = word[0].isupper() and mention.name[0].isupper()
    if written_as_name and not _starts_sentence(analysed, inside[0]):
        return _CAPITAL[commonness]
    return _COMMONNESS[commonness]


def _surroundings(analysed: Units, inside: list[Unit], mention: Mention) -> float:
    """Low where a single word is part of a longer proper name, which names another thing."""
    if len(inside) > 1 or not analysed.text[mention.start].isupper():
        return 1.0
    first = analysed.units.index(inside[0])
    after = analysed.units[first + 1] if first + 1 < len(analysed.units) else None
    before = analysed.units[first - 1] if first else None
    if after and not after.gap and _capital(analysed, after):
        return 0.2
    if (
        before
        and not inside[0].gap
        and _capital(analysed, before)
        and not _starts_sentence(analysed, before)
    ):
        return 0.2
    return 1.0


def _capital(analysed: Units, unit: Unit) -> bool:
    word = analysed.text[unit.start : unit.end]
    return word[0].isupper() and unit.folded not in STOPWORDS and unit.folded not in _TITLES


def _starts_sentence(analysed: Units, unit: Unit) -> bool:
    before = analysed.text[: unit.start].rstrip(" \t\"'“‘(*_#>-")
    return not before or before[-1] in ".!?:\n"
