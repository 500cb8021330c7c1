"""Weighs mentions: how strongly each says that its entity is meant. strength = arm × specificity ×
keyness × place, each from 0 to 1. docs/how-it-decides.md explains them.

Of a place capitals decide, and at the beginning of a sentence what follows; the sentence is not
parsed.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property
from unicodedata import combining

from vouch_sidecar.kb.records import PERSON, Kind
from vouch_sidecar.names.matcher import Mention, outside
from vouch_sidecar.names.name_forms import FormKind, spelling, unpunctuated
from vouch_sidecar.retrieval.constants import (
    ARMS,
    LISTED,
    OUTSIDE,
    PLACES,
    SPECIFICITY,
    WRITTEN_OUT,
)
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.analysis import Unit, Units, fold, is_acronym, units
from vouch_sidecar.text.content_words import terms
from vouch_sidecar.text.english_words import (
    COMMON,
    DATES,
    ORDINARY,
    STOPWORDS,
    VERY_COMMON,
    tier,
)
from vouch_sidecar.text.prompt_text import blanked, printed_lines

_BY_FORM = {
    FormKind.ALIAS: "an alias",
    FormKind.VARIANT: "another form of the name",
    FormKind.SURNAME: "a surname",
    FormKind.PART: "a part of the name",
    FormKind.DERIVED: "nobody declared it",
}
"""What weakens a mention, for people, by its form, and below by its place."""
_BY_PLACE = {
    "printed": "a machine printed it, maybe another's",
    "as it is": "it may be an ordinary word",
    "word": "written as an ordinary word",
    "code": "a part of code",
    "another's": "a part of another name",
}
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
_NEAR = 200
"""Characters before and behind a name that are looked at."""
_TOKEN = re.compile(r"[\w./\\:@-]+")
_TOKEN_BEFORE = re.compile(r"(?<![\w./\\:@-])[\w./\\:@-]*+$")
_FOREIGN = re.compile(r"://|@|\b(?:com|dev|edu|example|io|java|javax|net|org)\b")
"""Hosts, and packages that are named after hosts, belong to somebody else."""
_FILE_BELOW = re.compile(r"/[\w-]+\.[a-z]{1,5}")
_JOINED_BEFORE = re.compile(r"(?:[^\W_]|\w_|::|\w\.|^\.\.?/.*)$")
_JOINED_AFTER = re.compile(r"[^\W_]|_\w|::|\.[^\W\d]")
"""With these a word is a part of code: `services/beacon/app.py`, `BeaconClient`, `beacon.write()`.
"""


def weigh(view: View, text: str) -> list[Mention]:
    """The weighed mentions of a text, without those inside a longer one."""
    return view.cached("evidence", text, lambda: _weigh(view, text))


def _weigh(view: View, text: str) -> list[Mention]:
    parts = view.name_parts(text)
    mentions = [m for m in view.mentions(text) if not m.nested] + parts
    mentions += outside(view.topic_mentions(text), parts)
    placing = Placing(*units(text))
    weighed = (_weighed(view, placing, mention) for mention in mentions)
    return [mention for mention in weighed if mention is not None]


def is_listed(mention: Mention) -> bool:
    """Whether a mention lists its entity."""
    return mention.strength >= least_to_list(mention)


def least_to_list(mention: Mention) -> float:
    """The least strength at which a mention lists its entity. What a machine printed is listed like
    what a person wrote.
    """
    return LISTED * PLACES["printed"] if mention.placed == "printed" else LISTED


def why(mention: Mention, threshold: float, needs: float = 0.0) -> str:
    """How a mention names its entity, in a sentence for people. Below `threshold`, from which on
    the entity is volunteered, it gives what weakens the mention most.
    """
    reasons = {
        "arm": _BY_FORM.get(mention.form, ""),
        "specificity": "the words may mean something else",
        "keyness": "most claims with the word are about something else",
        "place": _BY_PLACE.get(mention.placed, ""),
        "never": "`names.never` has it",
    }
    smallest = min(mention.factors, key=mention.factors.__getitem__)
    reason = reasons[smallest] if mention.strength < threshold else ""
    said = sentence(mention.strength, reason, needs)
    return f"“{mention.matched}” names “{mention.name}”: {said}"


def sentence(value: float, reason: str = "", needs: float = 0.0) -> str:
    """A value from 0 to 1 for people: `0.21, needs 0.40: only “rounding” in common`. `needs` is the
    least value at which there would have been a result.
    """
    short = value < needs
    digits = 3 if short and f"{value:.2f}" == f"{needs:.2f}" else 2
    limit = f", needs {needs:.{digits}f}" if short else ""
    return f"{value:.{digits}f}{limit}" + (f": {reason}" if reason else "")


def _weighed(view: View, placing: Placing, mention: Mention) -> Mention | None:
    """A mention with its factors; None if it lacks signs of the name: 14089 is not #14089."""
    written = placing.text[mention.start : mention.end]
    is_part = mention.form is FormKind.PART
    matched = written if is_part else with_signs(placing.text, mention)
    if matched is None:
        return None
    # with its signs it may be the name itself
    is_name = mention.form is FormKind.VARIANT and fold(matched) == fold(mention.name.strip())
    mention = mention._replace(matched=matched, form=FormKind.NAME if is_name else mention.form)
    entity = view.entity(mention.entity_id)
    is_person = entity is not None and entity.type == PERSON
    inside = placing.units_in(mention.start, mention.end)
    is_signed = not is_part and has_signs(mention.name)
    is_settled = is_signed or not is_word(inside) or spelling(written) in view.always
    content = content_of(inside)
    common = 0 if is_settled else _tier(mention, content)
    place = placing.place(mention, is_person, common)
    factors = {
        "arm": ARMS[mention.form],
        "specificity": 1.0 if place == "alone" and not is_part else SPECIFICITY[common],
        "keyness": 1.0,
        "place": PLACES[place],
    }
    mention = mention._replace(placed=place, factors=factors)
    if is_settled or place == "alone" or not content or not is_listed(mention):
        return mention
    in_small_letters = mention.name.islower() or written.islower()
    least = WRITTEN_OUT if place in ("name", "printed") and not in_small_letters else 0.0
    keyness = max(_keyness(view, mention, content[0].folded), least)
    return mention._replace(factors=factors | {"keyness": keyness})


def _keyness(view: View, mention: Mention, word: str) -> float:
    """Own claims against the claims of others that use the word: (own + 1) / (own + 1 + others/10).

    After the link probability of Mihalcea and Csomai (2007), with claims for links: where most who
    use a word speak of something else, it hardly names the entity.
    """
    own = view.search.claim_count(mention.entity_id)
    using = max([own, *(view.search.frequency(term, Kind.CLAIM) for term in terms(word)[:1])])
    return round((own + 1) / (own + 1 + (using - own) / OUTSIDE), 2)


def _tier(mention: Mention, content: Sequence[Unit]) -> int:
    """How common a word is in English; numbers count as very common, two letters as common."""
    if not content or content[0].folded.isdigit():
        return VERY_COMMON
    word = content[0].folded
    return tier(word) or (COMMON if min(len(word), len(mention.name)) < 3 else 0)


class Placing(Units):
    """A text split into units, to decide what a mention at some place of it is worth."""

    def place(self, mention: Mention, is_person: bool, common: int) -> str:
        """The place of a mention. `common` says how common an English word its name is: 0 for what
        is none, and for what is a name wherever it stands by itself.
        """
        if unpunctuated(self.text) == unpunctuated(mention.matched):
            return "alone"
        inside = self.units_in(mention.start, mention.end)
        is_part, is_one = mention.form is FormKind.PART, is_word(inside)
        unit = next((u for u in content_of(inside) if not u.folded.isdigit()), inside[0])
        left, right = token_around(self.text, mention.start, mention.end)
        is_foreign = _FOREIGN.search(f"{left} {right}") is not None
        may_be_code = is_one and not is_person and not is_foreign and unit.end - unit.start > 2
        if may_be_code and (
            _JOINED_BEFORE.search(left)
            or _JOINED_AFTER.match(right)
            or _FILE_BELOW.fullmatch(right)
        ):
            return "code"
        is_anothers = is_foreign or self._is_anothers(unit, is_person)
        if len(inside) == 1 and is_anothers and (is_part or not has_signs(mention.name)):
            return "another's"
        # an identifier of several words names one thing, whoever wrote it
        is_several = len(inside) > 1 and " " not in self.text[mention.start : mention.end]
        name = "printed" if not is_several and self._typed[mention.start].isspace() else "name"
        has_capital = mention.name != mention.name.lower()
        is_written = (has_capital or is_person) and self.has_own_capital(unit)
        is_shouted = is_acronym(self.text[unit.start : unit.end]) and not self._is_title
        if not common or is_written or is_shouted:
            return name
        is_small = has_capital and self.text[unit.start].islower()
        has_object = _OBJECT.match(self.text, unit.end) is not None
        is_verb = has_object and (is_small or self._starts_sentence(unit))
        may_be_subject = has_capital and not is_small and not is_verb
        if may_be_subject and _PREDICATE.match(self.text, unit.end):
            return name
        if is_part:
            return "as it is" if common == ORDINARY else "word"
        before = self.text[max(0, unit.start - _NEAR) : unit.start]
        is_bare = not is_small or _WITHOUT_ARTICLE.search(before) is not None
        return "as it is" if common > VERY_COMMON and is_bare and not is_verb else "word"

    @cached_property
    def _is_title(self) -> bool:
        """Whether capitals say nothing: every word has one, as in a heading."""
        content = content_of(self.units)
        is_long = len(content) > (1 if self.text.isupper() else 3)
        return is_long and all(map(self._has_capital, content))

    @cached_property
    def _typed(self) -> str:
        """The text with blanks in place of the lines that a machine printed."""
        return blanked(self.text, printed_lines(self.text))

    def units_in(self, start: int, end: int) -> list[Unit]:
        """The units between two offsets."""
        return self.units[self._number(start) : self._number(end)]

    def _number(self, start: int) -> int:
        """The number of the unit that begins at an offset, or of the next one."""
        return bisect_left(self.units, start, key=lambda unit: unit.start)

    def has_own_capital(self, unit: Unit) -> bool:
        """Whether a word has a capital that neither the start of a sentence nor a heading
        explains.
        """
        return self._has_capital(unit) and not self._is_title and not self._starts_sentence(unit)

    def _is_anothers(self, unit: Unit, person: bool) -> bool:
        """Whether a word is a part of a longer proper name."""
        if not self._has_capital(unit) or self._is_title:
            return False
        at, every = self._number(unit.start), self.units
        if at + 1 < len(every) and not every[at + 1].gap and self._belongs_to_name(every[at + 1]):
            return True
        if at == 0 or unit.gap or not self._belongs_to_name(before := every[at - 1]):
            return False
        # what begins a sentence is a verb, or the first name of someone else
        is_first_name = person and tier(before.folded) == 0 and before.folded not in ADDRESSING
        return is_first_name or not self._starts_sentence(before)

    def _belongs_to_name(self, unit: Unit) -> bool:
        return self._has_capital(unit) and not (unit.folded in _LITTLE or unit.folded in DATES)

    def _has_capital(self, unit: Unit) -> bool:
        return self.text[unit.start].isupper()

    def _starts_sentence(self, unit: Unit) -> bool:
        before = self.text[max(0, unit.start - _NEAR) : unit.start].rstrip(" \t\"'“‘(*_#>-")
        return not before or before[-1] in ".!?:\n"


def content_of(units: Iterable[Unit]) -> list[Unit]:
    """Some units without stopwords."""
    return [unit for unit in units if unit.folded not in STOPWORDS]


def is_word(units: Sequence[Unit]) -> bool:
    """Whether some units are one word of a script with spaces, stopwords aside."""
    return len(content_of(units)) < 2 and not any(unit.spaceless for unit in units)


def token_around(text: str, start: int, end: int) -> tuple[str, str]:
    """The characters before and after a place, up to white space."""
    before = _TOKEN_BEFORE.search(text[max(0, start - _NEAR) : start])
    after = _TOKEN.match(text, end, end + _NEAR)
    return before[0] if before else "", after[0].rstrip(".:") if after else ""


def with_signs(text: str, mention: Mention) -> str | None:
    """A mention widened to the signs that begin or end its name; None if the text lacks some of
    them.
    """
    name, written = mention.name.strip(), text[mention.start : mention.end]
    before, after = _edges(name)
    if fold(written) == fold(name) or not (before or after):
        return written
    is_here = text.endswith(before, 0, mention.start) and text.startswith(after, mention.end)
    return before + written + after if is_here else None


def has_signs(name: str) -> bool:
    """Whether a name begins or ends with signs that are no punctuation of a sentence: C#, @team."""
    before, after = _edges(name.strip())
    return bool(before.strip(_OPENING) or after.strip(_CLOSING))


def _edges(name: str) -> tuple[str, str]:
    """The signs that begin a name, and those that end it."""
    letters = [at for at, sign in enumerate(name) if sign.isalnum() or combining(sign)]
    return (name[: letters[0]], name[letters[-1] + 1 :]) if letters else (name, name)
