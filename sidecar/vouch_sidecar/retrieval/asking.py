"""What a text asks: its content words with their weights, without names and whoever is addressed.

docs/how-it-decides.md gives the rule, with the measurement behind the constants.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from math import fsum
from typing import NamedTuple

from vouch_sidecar.index.content import Needle, content_stems, needles
from vouch_sidecar.index.query import rarity
from vouch_sidecar.index.text import fold, inflects, units
from vouch_sidecar.index.words import STOPWORDS, tier
from vouch_sidecar.kb.records import Entity, Kind
from vouch_sidecar.retrieval.clauses import Reading, Span
from vouch_sidecar.retrieval.constants import (
    ANSWER_WORDS,
    COMMONNESS,
    HIRAGANA,
    LEAST_WORDS,
    MAX_ASKED,
    MUCH_OTHER,
    MUCH_QUESTION,
    MUCH_SHARE,
    NEARBY,
    OTHER_SHARE,
    OTHER_WEIGHT,
    QUESTION_SHARE,
    QUESTION_WEIGHT,
    SIGN_PAIR,
    SLIGHT,
)
from vouch_sidecar.retrieval.phrases import capitalised
from vouch_sidecar.retrieval.surroundings import ADDRESSING, DATES, SPEAKING, Passage
from vouch_sidecar.retrieval.view import View

__all__ = [
    "Asked",
    "Least",
    "asked_about",
    "asked_by",
    "in_a_row",
    "own_stems",
    "worth_searching",
    "worths_of",
]

_NUMBERS = DATES | frozenset(
    """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety
    hundred thousand
    """.split()
)
"""Times and numbers, which say what a text is about as little as digits do."""
_AMOUNTS = frozenset("big far fast large long many much often old soon".split())
_KINDS = frozenset(
    """
    date day days hour hours minute minutes month months number people percent percentage person
    place reason second seconds time times way week weeks year years
    """.split()
)
_WANTED = {"how": _AMOUNTS, "what": _KINDS, "which": _KINDS, "many": _KINDS, "much": _KINDS}
"""“what time”, “how many seconds” ask as “when” does, by two words or three."""
_GENERAL = frozenset(
    """
    anything aware background basics brief briefing catch context describe description detail
    details everything explain fact facts gist give got info information inherit inherited intro
    introduction join joined joining know knowledge known learn learned month new next note
    notes over overview quick recall remember remind say says show something stuff summarise
    summarize summary take takes taking talk tell thing things today tomorrow took understand
    week
    """.split()
).union(ADDRESSING, SPEAKING)
"""Words that ask for whatever there is about something."""


_REFLEX_COMMANDS = frozenset(
    """
    exit quit help status clear continue ok okay yes no thanks stop list ls list_tools tools resume
    retry undo
    """.split()
)


class Least(NamedTuple):
    """How much of what is asked an artifact must hold to answer it."""

    share: float
    weight: float
    words: float


class Asked(NamedTuple):
    """The words of a text with their weights, and what it writes like names."""

    weights: Mapping[Needle, float]
    mute: frozenset[Needle]
    """Words that are no evidence: those of other names that the text holds."""
    runs: Sequence[tuple[AbstractSet[Needle], str]]
    """Longer proper names: their words, and these in a row."""
    proper: frozenset[Needle]
    question: bool

    @property
    def whole(self) -> float:
        """The weight of all words."""
        return fsum(self.weights.values())

    def weight_of(self, words: Iterable[Needle]) -> float:
        """The weight of some of them."""
        return fsum(self.weights[word] for word in words)

    @property
    def least(self) -> Least:
        """What answers the text holds so much of it."""
        if self.question:
            return Least(QUESTION_SHARE, QUESTION_WEIGHT, ANSWER_WORDS)
        return Least(OTHER_SHARE, OTHER_WEIGHT, ANSWER_WORDS)

    @property
    def much(self) -> Least:
        """What answers where nothing does by `least`, and nothing else holds nearly as much."""
        return Least(MUCH_SHARE, *(MUCH_QUESTION if self.question else MUCH_OTHER))

    def share_of(self, held: Sequence[Needle]) -> float:
        """The share of the text that some of its words are."""
        weight = self.weight_of(held)
        return round(weight / self.whole, 3) if weight else 0.0

    def lacks(self, held: Sequence[Needle], least: Least) -> str | None:
        """What these words lack to be enough, for people; None where they are."""
        share, weight, words = self.share_of(held), self.weight_of(held), sum(map(_size, held))
        if share < least.share:
            return f"holds {share:g} of what is asked; {least.share:g} is needed"
        if weight < least.weight:
            return f"what it holds weighs {weight:.2f}; {least.weight:g} is needed"
        if words < least.words:
            return f"holds {words:g} words of it; {least.words:g} are needed"
        return None

    def held(self, stems: Sequence[str], always: Iterable[str] = ()) -> list[Needle]:
        """The words that stand together in a text, a longer proper name with all of its words.

        The stems of a heading are `always` near.
        """
        best: list[Needle] = []
        step, heading = NEARBY // 2, frozenset(always)
        for start in range(0, max(1, len(stems) - step), step):
            there = heading.union(stems[start : start + NEARBY])
            held = [w for w in self.weights if w not in self.mute and w.held_by(there)]
            known = frozenset(held)
            broken = [run for run, _ in self.runs if not run <= known]
            held = [word for word in held if not any(word in run for run in broken)]
            if self.weight_of(held) > self.weight_of(best):
                best = held
        return best

    def as_written(self, held: Sequence[Needle], text: str) -> list[Needle]:
        """Those of the words that mean in a text what the question means by them: of a proper name
        all words in a row, in the form of that name.
        """
        forms, row = {unit.folded for unit in units(text).units}, in_a_row(text)
        apart = {word for run, words in self.runs if words not in row for word in run}
        return [
            word
            for word in held
            if word not in apart and (word not in self.proper or _is_written(word, forms))
        ]


def asked_by(view: View, text: str, reading: Reading, kinds: bool = False) -> Asked:
    """What a text asks, read in one way; with `kinds` also the words that say what kind of answer
    is wanted: “what time”.

    The words of names that are left in it are no evidence: names decide about these. Of ambiguous
    ones they don't.
    """
    rest = reading.text
    mentioned = [m for m in view.mentions(text) if not m.ambiguous and reading.holds(m.start)]
    mute = frozenset(word for m in mentioned for word in needles(text[m.start : m.end]))
    passage = Passage.of(rest)
    analysed = passage.analysed.units
    content = [u for u in analysed if u.folded not in STOPWORDS]
    proper = [rest[u.start : u.end] for u in content if passage.like_a_name(u)]
    runs = [rest[run[0].start : run[-1].end] for run in capitalised(rest, analysed)]
    wanted = {b.folded for a, b in pairwise(analysed) if b.folded in _WANTED.get(a.folded, ())}
    words = [word for word in needles(rest) if kinds or fold(word.word) not in wanted]
    worths = worths_of(view, text)
    weights = _heaviest({w: worths[w] if w in worths else _worth(view, w) for w in words})
    return Asked(
        weights,
        mute,
        [(known, in_a_row(r)) for r in runs if (known := weights.keys() & needles(r))],
        frozenset(needle for word in proper for needle in needles(word)),
        reading.question,
    )


def asked_about(view: View, text: str, names: Sequence[Span]) -> Asked:
    """What a text asks about what it names at some places: not the words that stand there alone,
    nor words that report, address, or ask for whatever there is.
    """

    def find() -> tuple[Asked, Mapping[str, list[int]]]:
        places: dict[str, list[int]] = {}
        for unit in units(text).units:
            places.setdefault(unit.stem, []).append(unit.start)
        return asked_by(view, text, Reading(text, True), kinds=True), places

    asked, places = view.once("asked about", text, find)

    def stands_elsewhere(word: Needle) -> bool:
        starts = [
            at for option in word.alternatives for one in option for at in places.get(one, ())
        ]
        return not starts or any(all(not a <= at < b for a, b in names) for at in starts)

    weights = {
        word: weight
        for word, weight in asked.weights.items()
        if fold(word.word) not in _GENERAL and stands_elsewhere(word)
    }
    runs = [run for run in asked.runs if run[0] <= weights.keys()]
    return asked._replace(weights=weights, runs=runs)


def worths_of(view: View, text: str) -> Mapping[Needle, float]:
    """What each word of a text says, from 0 to 1."""
    return view.once("worths", text, lambda: {w: _worth(view, w) for w in needles(text)})


def own_stems(entity: Entity) -> frozenset[str]:
    """The stems of an entity's name and aliases."""
    return frozenset(s for name in (entity.name, *entity.aliases) for s in content_stems(name))


def _heaviest(weights: Mapping[Needle, float]) -> Mapping[Needle, float]:
    if len(weights) <= MAX_ASKED:
        return weights
    first = sorted(weights, key=lambda word: -weights[word])[:MAX_ASKED]
    return {word: weights[word] for word in first}


def worth_searching(text: str) -> bool:
    """Whether full text may speak about a text: three words, of which two are no stopwords, or one
    is no English word; no command.
    """
    if _word_count(text) < LEAST_WORDS:
        return False
    first = text.split(maxsplit=1)[0]
    if first.startswith("/") and first.strip("/!:").casefold() in _REFLEX_COMMANDS:
        return False
    words = [fold(needle.word) for needle in needles(text)]
    telling = len(words) > 1 or any(tier(word) == 0 for word in words)
    return telling and not _REFLEX_COMMANDS.issuperset(words)


def _word_count(text: str) -> int:
    """Words between spaces; of a script without spaces, two signs are one."""
    count = len(text.split())
    if count >= LEAST_WORDS or text.isascii():
        return count
    signs = sum(unit.spaceless for unit in units(text).units)
    return count - 1 + signs // 2 if signs else count


# Weights


def _worth(view: View, word: Needle) -> float:
    """How much a word says, from 0 to 1: its rarity among claims and sections × in English."""
    search = view.search
    total = search.total(Kind.CLAIM) + search.total(Kind.PAGE)
    found = search.frequency(word, Kind.CLAIM) + search.frequency(word, Kind.PAGE)
    return rarity(total, found) / rarity(total, 1) * _commonness(word)


def _commonness(word: Needle) -> float:
    if _is_pair(word):
        return HIRAGANA if any("ぁ" <= sign <= "ん" for sign in word.word) else SIGN_PAIR
    folded = fold(word.word)
    if _is_number(folded) or folded in _REFLEX_COMMANDS:
        return SLIGHT
    return COMMONNESS[tier(folded)]


def _is_number(folded: str) -> bool:
    return folded.isdigit() or folded in _NUMBERS


def _is_pair(word: Needle) -> bool:
    return any(unit.spaceless for unit in units(word.word).units)


def _size(word: Needle) -> float:
    """How many words it counts as; a number, or the sign of a unit behind it, as none."""
    if _is_pair(word):
        return 0.5
    folded = fold(word.word)
    return 0.0 if _is_number(folded) or (len(folded) == 1 and folded.isascii()) else 1.0


def in_a_row(text: str) -> str:
    """The words of a text, so that those of another may be looked for in it, side by side."""
    return f" {' '.join(unit.stem for unit in units(text).units)} "


def _is_written(word: Needle, forms: set[str]) -> bool:
    """Whether a word that is written like a name stands in a text as that name."""
    folded = fold(word.word)
    return len(word.alternatives) > 1 or any(
        inflects(form, folded) or inflects(folded, form) for form in forms
    )
