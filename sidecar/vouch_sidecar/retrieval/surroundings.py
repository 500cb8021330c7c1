"""What stands around a mention: whether the words are written like a name, and whose name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from unicodedata import combining

from vouch_sidecar.index.mentions import Mention
from vouch_sidecar.index.text import Unit, Units, fold, units
from vouch_sidecar.index.words import STOPWORDS, tier
from vouch_sidecar.retrieval.constants import (
    ADDRESS,
    BARE,
    HEADING_SHARE,
    JOINED,
    MAX_AROUND,
    PART_OF_LONGER_NAME,
)
from vouch_sidecar.retrieval.grammar import acts, stands_as_a_name

__all__ = ["ADDRESSING", "DATES", "SPEAKING", "Passage", "has_signs", "unpunctuated", "with_signs"]

_PUNCTUATION = " \t\r\n.,;:!?'\"`“”‘’()[]{}<>*_#"
_OPENING, _CLOSING = " ([{\"'“‘", " .,;:!?…)]}\"'”’"
_ENDING = frozenset(".!?;:\n")
_JOINING = frozenset("-‐‑–./\\_@:=")
_TITLES = frozenset("mr mrs ms mx dr prof sir the".split())
DATES = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april june july
    august september october november december
    """.split()
)
_LEGAL_FORMS = frozenset("inc ltd llc corp co gmbh ag plc sa bv".split())
ADDRESSING = frozenset("ask cc dm email inform mail message ping remind slack tell text".split())
"""Words before a name that address whoever has it."""
SPEAKING = frozenset(
    """
    asked asking asks know mentioned mentions reported said saying says suggested suggests
    thinks thought told wanted wants wondered wondering wonders writes wrote
    """.split()
)
"""Words after a name that report what whoever has it says."""


@dataclass(frozen=True)
class Passage:
    """A text taken apart, asked about places in it."""

    analysed: Units

    @classmethod
    def of(cls, text: str) -> Passage:
        return cls(units(text))

    @property
    def text(self) -> str:
        return self.analysed.text

    @cached_property
    def _position(self) -> dict[int, int]:
        return {u.start: i for i, u in enumerate(self.analysed.units)}

    @cached_property
    def _is_title(self) -> bool:
        """Whether capitals say nothing: most words have one, as in a heading."""
        content = [u for u in self.analysed.units if u.folded not in STOPWORDS]
        capitals = sum(self.has_capital(u) for u in content)
        heading = len(content) > 3 and capitals >= HEADING_SHARE * len(content)
        return heading or self.in_capitals_throughout

    @cached_property
    def in_capitals_throughout(self) -> bool:
        """Whether several words have nothing but capitals, so that those say nothing."""
        content = [u for u in self.analysed.units if u.folded not in STOPWORDS]
        return len(content) > 1 and self.text.isupper()

    def is_nothing_but(self, matched: str) -> bool:
        """Whether the text is these words alone, punctuation aside."""
        return unpunctuated(self.text) == unpunctuated(matched)

    def units_in(self, start: int, end: int) -> list[Unit]:
        """The units between two offsets."""
        found, first = self.analysed.units, self._position[start]
        last = first
        while last < len(found) and found[last].start < end:
            last += 1
        return found[first:last]

    def like_a_name(self, unit: Unit) -> bool:
        """A capital that neither the start of a sentence nor a heading explains."""
        return self.has_capital(unit) and not self._is_title and not self._starts_sentence(unit)

    def in_capitals(self, unit: Unit) -> bool:
        """A word in capitals amid words that are not."""
        return self.text[unit.start : unit.end].isupper() and not self._is_title

    def acts(self, unit: Unit) -> bool:
        """Whether a word is what somebody does."""
        return not self._owns(unit) and acts(self.analysed.units, self._position[unit.start])

    def stands_as_a_name(self, unit: Unit) -> bool:
        """Whether a word stands where a name does."""
        at = self._position[unit.start]
        return stands_as_a_name(self.analysed.units, at, self._owns(unit))

    def _owns(self, unit: Unit) -> bool:
        return self.text[unit.end : unit.end + 2] in ("'s", "’s")

    def around(self, unit: Unit) -> tuple[list[Unit], list[Unit]]:
        """A few words of the sentence before and after one."""
        found, at = self.analysed.units, self._position[unit.start]
        first = last = at
        while first > max(0, at - MAX_AROUND) and not _ENDING.intersection(found[first].gap):
            first -= 1
        end = min(len(found), at + 1 + MAX_AROUND)
        while last + 1 < end and not _ENDING.intersection(found[last + 1].gap):
            last += 1
        return found[first:at], found[at + 1 : last + 1]

    def is_modified(self, unit: Unit) -> bool:
        """Whether a word with an article before it goes before one: “the bug tracker”."""
        before, _ = self.around(unit)
        if len(before) < 2 or unit.gap or before[-1].gap:
            return False
        return before[-1].folded not in STOPWORDS and before[-2].folded in STOPWORDS

    def speaks(self, unit: Unit) -> bool:
        """Whether the next word is what people do, which makes a bare word someone's name."""
        after = self._neighbour(unit, 1)
        return after is not None and not after.gap and after.folded in SPEAKING

    def surroundings(self, mention: Mention, inside: list[Unit], person: bool) -> float:
        """The factor for what stands around a mention of a person or of something else."""
        if with_signs(self.text, mention) is None:
            return BARE
        if len(inside) > 1:
            return 1.0
        if self._in_longer_name(inside[0], person):
            return PART_OF_LONGER_NAME
        if self._in_address(mention):
            return ADDRESS
        return JOINED ** self._joints(mention)

    def _in_longer_name(self, unit: Unit, person: bool) -> bool:
        if not self.has_capital(unit) or self._is_title:
            return False
        before, after = self._neighbour(unit, -1), self._neighbour(unit, 1)
        if after and not after.gap and self._belongs_to_name(after):
            return True
        if before is None or unit.gap or not self._belongs_to_name(before):
            return False
        if self._starts_sentence(before):  # a verb, or the first name of someone else
            return person and tier(before.folded) == 0 and before.folded not in ADDRESSING
        return True

    def _in_address(self, mention: Mention) -> bool:
        text = self.text
        first = max(text.rfind(space, 0, mention.start) for space in " \t\n") + 1
        token = text[first:].split(maxsplit=1)[0]
        return "://" in token or "@" in token[1:]

    def _joints(self, mention: Mention) -> int:
        """On how many sides a sign joins the mention to another word."""
        start, end, text = mention.start, mention.end, self.text
        left = start > 1 and text[start - 1] in _JOINING and text[start - 2].isalnum()
        right = end + 1 < len(text) and text[end] in _JOINING and text[end + 1].isalnum()
        return left + right

    def _belongs_to_name(self, unit: Unit) -> bool:
        little = unit.folded in STOPWORDS or unit.folded in _TITLES or unit.folded in _LEGAL_FORMS
        dated = unit.folded in DATES
        return self.has_capital(unit) and not little and not dated

    def _neighbour(self, unit: Unit, step: int) -> Unit | None:
        at = self._position[unit.start] + step
        return self.analysed.units[at] if 0 <= at < len(self.analysed.units) else None

    def has_capital(self, unit: Unit) -> bool:
        """Whether a word begins with a capital."""
        return self.text[unit.start].isupper()

    def _starts_sentence(self, unit: Unit) -> bool:
        before = self.text[: unit.start].rstrip(" \t\"'“‘(*_#>-")
        return not before or before[-1] in ".!?:\n"


def unpunctuated(text: str) -> str:
    """A text without the punctuation and white space around it."""
    return text.strip(_PUNCTUATION)


def with_signs(text: str, mention: Mention) -> str | None:
    """A mention with the signs that begin or end its name; None where the text lacks some."""
    name, written = mention.name.strip(), text[mention.start : mention.end]
    before, after = _edges(name)
    if fold(written) == fold(name) or not (before or after):
        return written
    if text[: mention.start].endswith(before) and text[mention.end :].startswith(after):
        return before + written + after
    return None


def has_signs(name: str) -> bool:
    """Whether a name begins or ends with signs that a sentence does not put there: C#, @team."""
    before, after = _edges(name.strip())
    return bool(before.strip(_OPENING) or after.strip(_CLOSING))


def _edges(name: str) -> tuple[str, str]:
    return _edge(name), _edge(name[::-1])[::-1]


def _edge(name: str) -> str:
    for i, char in enumerate(name):
        if char.isalnum() or combining(char):
            return name[:i]
    return ""
