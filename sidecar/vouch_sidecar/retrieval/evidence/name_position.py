"""Says from a mention's position in its text whether the word is a name there. Capitals decide, and
at the beginning of a sentence what follows; the sentence is not parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from unicodedata import combining

from vouch_sidecar.names.mentions import Mention
from vouch_sidecar.names.name_forms import unpunctuated
from vouch_sidecar.retrieval.constants import HEADING_SHARE, PlaceKind
from vouch_sidecar.text.analysis import Unit, Units, fold, is_acronym
from vouch_sidecar.text.english_words import DATES, STOPWORDS, tier
from vouch_sidecar.text.prompt_text import printed_lines

_OPENING, _CLOSING = " ([{\"'“‘", " .,;:!?…)]}\"'”’"
_LITTLE = STOPWORDS | frozenset(
    "mr mrs ms mx dr prof sir inc ltd llc corp co gmbh ag plc sa bv".split()
)
"""Words with a capital that may stand beside a name without being a part of it."""
ADDRESSING = frozenset("ask cc dm email inform mail message ping remind slack tell text".split())
"""Words before a name that address whoever has it."""

_OBJECT = re.compile(
    r"\s++(?:an?|the|my|your|our|their|his|her|its|this|that|these|those|it|me|us|him|them|all|any"
    r"|some|every|each|no)\b",
    re.IGNORECASE,
)
"""What stands behind a verb that begins a sentence: “Relay the message”."""
_PREDICATE = re.compile(
    r"['’]s\b|[:,]\s"
    r"|(?:\s(?:and\s\w++|in\s\w++|also|always|just|never|now|only|often|sometimes|still)){0,2}+\s(?:"
    r"(?:are|ca|could|did|do(?:es)?|ha[ds]|is|may|might|must|shall|should|was|were|wo|would)"
    r"(?:n['’]?t)?+|can(?:['’]?t|not)?+|will|(?!need)\w{2,40}ed"
    r"|answers|breaks|crashes|drops|exposes|fails|freezes|gets|gives|goes|hangs|keeps|knows|lags"
    r"|logs|looks|loses|needs|reads|receives|rejects|returns|runs|says|seems|sends|shows|starts"
    r"|stops|stores|takes|throws|times|uses|wants|works|writes"
    r"|came|fell|froze|got|hung|kept|knew|lost|ran|sent|stuck|took|went"
    r"|\w{2,40}s\s(?:an?|the|my|your|our|its|it|me|us|them|every\w*+|all|some|when|what|\d++))\b",
    re.IGNORECASE,
)
"""What stands behind a name that begins a sentence: “Relay is down”, “Relay's log”."""
_WITHOUT_ARTICLE = re.compile(
    r"(?:^|[.!?:;\n][ \t]*+)(?!(?:an?|the|this|that|my|our|your|any|def|class|func)\b)\w++[ ]$"
    r"|\b(?:are|can|could|did|do|does|had|has|is|may|might|must|should|was|were|will|would)[ ]$"
    r"|(?<!\d,[ ])\b(?:about|and|at|behind|from|in|into|of|on|or|than|to|via|with)[ ]$",
    re.IGNORECASE,
)
"""What stands before a name in lower case, such as a sentence's first word. English has no bare
singular nouns: “is the beacon slow” asks about some beacon, “is beacon slow” about Beacon.
"""
_MAX_BEFORE = 40
"""Characters before a name in which that is looked for."""
_TOKEN = re.compile(r"[\w./\\:@-]+")
_TOKEN_BEFORE = re.compile(r"(?<![\w./\\:@-])[\w./\\:@-]*+$")
_MAX_TOKEN = 200
_FILE_BELOW = re.compile(r"/[\w-]+\.[a-z]{1,5}")
_FOREIGN = re.compile(r"://|@|\b(?:com|dev|edu|example|io|java|javax|net|org)\b")
"""Hosts, and packages that are named after hosts, belong to somebody else."""
_JOINED_BEFORE = re.compile(r"(?:[^\W_]|\w_|::|\w\.|^\.\.?/.*)$")
_JOINED_AFTER = re.compile(r"[^\W_]|_\w|::|\.[^\W\d]")


@dataclass(frozen=True)
class Placing:
    """A text split into units, to decide what a mention at some place of it is worth."""

    analysis: Units

    @property
    def text(self) -> str:
        return self.analysis.text

    def place(self, mention: Mention, is_person: bool, has_capital: bool) -> PlaceKind:
        """The place of a mention. `has_capital` says whether the entity's name is written with a
        capital.
        """
        written = with_signs(self.text, mention) or self.text[mention.start : mention.end]
        if unpunctuated(self.text) == unpunctuated(written):
            return "alone"
        inside = self.units_in(mention.start, mention.end)
        words = [u for u in inside if u.folded not in STOPWORDS and not u.folded.isdigit()]
        unit = (words or inside)[0]
        if not is_person and unit.end - unit.start > 2 and in_code(self.text, *mention[:2]):
            return "code"
        if len(inside) == 1 and self._is_anothers(unit, is_person):
            return "another's"
        is_word = has_capital and self.text[unit.start].islower()
        like_a_name = (has_capital or is_person) and self.like_a_name(unit)
        if like_a_name or self._in_capitals(unit):
            return "name"
        has_object = _OBJECT.match(self.text, unit.end) is not None
        if is_word:
            before = self.text[max(0, unit.start - _MAX_BEFORE) : unit.start]
            return "as it is" if _WITHOUT_ARTICLE.search(before) and not has_object else "word"
        if has_object and self._starts_sentence(unit):
            return "word"
        return "name" if has_capital and _PREDICATE.match(self.text, unit.end) else "as it is"

    def is_printed(self, mention: Mention) -> bool:
        """Whether a mention stands in a line that a machine printed."""
        return any(start <= mention.start < end for start, end in self._printed)

    @cached_property
    def _printed(self) -> list[tuple[int, int]]:
        return printed_lines(self.text)

    @cached_property
    def _position(self) -> dict[int, int]:
        return {u.start: i for i, u in enumerate(self.analysis.units)}

    @cached_property
    def _is_title(self) -> bool:
        """Whether capitals say nothing: most words have one, as in a heading."""
        content = [u for u in self.analysis.units if u.folded not in STOPWORDS]
        capitals = sum(self._has_capital(u) for u in content)
        heading = len(content) > 3 and capitals >= HEADING_SHARE * len(content)
        return heading or (len(content) > 1 and self.text.isupper())

    def units_in(self, start: int, end: int) -> list[Unit]:
        """The units between two offsets."""
        units, first = self.analysis.units, self._position[start]
        last = first
        while last < len(units) and units[last].start < end:
            last += 1
        return units[first:last]

    def like_a_name(self, unit: Unit) -> bool:
        """Whether a word has a capital that neither the start of a sentence nor a heading
        explains.
        """
        return self._has_capital(unit) and not self._is_title and not self._starts_sentence(unit)

    def _in_capitals(self, unit: Unit) -> bool:
        """Whether a word is in capitals while the words around it are not."""
        return is_acronym(self.text[unit.start : unit.end]) and not self._is_title

    def _is_anothers(self, unit: Unit, person: bool) -> bool:
        """Whether a word is a part of an address or of a longer proper name."""
        if _FOREIGN.search(" ".join(_token_around(self.text, unit.start, unit.end))):
            return True
        if not self._has_capital(unit) or self._is_title:
            return False
        at, units = self._position[unit.start], self.analysis.units
        if at + 1 < len(units) and not units[at + 1].gap and self._belongs_to_name(units[at + 1]):
            return True
        if at == 0 or unit.gap or not self._belongs_to_name(before := units[at - 1]):
            return False
        if self._starts_sentence(before):  # a verb, or the first name of someone else
            return person and tier(before.folded) == 0 and before.folded not in ADDRESSING
        return True

    def _belongs_to_name(self, unit: Unit) -> bool:
        return self._has_capital(unit) and not (unit.folded in _LITTLE or unit.folded in DATES)

    def _has_capital(self, unit: Unit) -> bool:
        return self.text[unit.start].isupper()

    def _starts_sentence(self, unit: Unit) -> bool:
        before = self.text[: unit.start].rstrip(" \t\"'“‘(*_#>-")
        return not before or before[-1] in ".!?:\n"


def in_code(text: str, start: int, end: int) -> bool:
    """Whether the words at a place are a part of `beacon_client`, `BeaconClient`, `beacon.write()`
    or `services/beacon/app.py`.
    """
    before, rest = _token_around(text, start, end)
    if _FOREIGN.search(f"{before} {rest}"):
        return False
    if _JOINED_BEFORE.search(before) or _JOINED_AFTER.match(rest) or _FILE_BELOW.fullmatch(rest):
        return True
    return sum((before + rest).count(slash) for slash in "/\\") > 1


def _token_around(text: str, start: int, end: int) -> tuple[str, str]:
    """The characters before and after a place, up to white space."""
    before = _TOKEN_BEFORE.search(text[max(0, start - _MAX_TOKEN) : start])
    after = _TOKEN.match(text, end, end + _MAX_TOKEN)
    return before[0] if before else "", after[0].rstrip(".:") if after else ""


def with_signs(text: str, mention: Mention) -> str | None:
    """A mention widened to the signs that begin or end its name; None if the text lacks some of
    them.
    """
    name, written = mention.name.strip(), text[mention.start : mention.end]
    before, after = _edges(name)
    if fold(written) == fold(name) or not (before or after):
        return written
    if text[: mention.start].endswith(before) and text[mention.end :].startswith(after):
        return before + written + after
    return None


def has_signs(name: str) -> bool:
    """Whether a name begins or ends with signs that are no punctuation of a sentence: C#, @team."""
    before, after = _edges(name.strip())
    return bool(before.strip(_OPENING) or after.strip(_CLOSING))


def _edges(name: str) -> tuple[str, str]:
    return _edge(name), _edge(reversed(name))[::-1]


def _edge(signs: Iterable[str]) -> str:
    return "".join(takewhile(lambda sign: not (sign.isalnum() or combining(sign)), signs))
