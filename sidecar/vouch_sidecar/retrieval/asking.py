"""What a text asks: its content words with their weights, without names and whoever is addressed.

docs/how-it-decides.md gives the rule, with the measurement behind the constants.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import pairwise
from math import fsum
from typing import NamedTuple

from vouch_sidecar.index.content import Needle, content_stems, needles
from vouch_sidecar.index.query import rarity
from vouch_sidecar.index.text import Unit, Units, fold, inflects, units
from vouch_sidecar.index.words import STOPWORDS, tier
from vouch_sidecar.kb.records import Entity, Kind
from vouch_sidecar.retrieval.constants import (
    ANSWER_WORDS,
    COMMONNESS,
    HIRAGANA,
    MAX_ASKED,
    NEARBY,
    OTHER_SHARE,
    OTHER_WEIGHT,
    QUESTION_SHARE,
    QUESTION_WEIGHT,
    SIGN_PAIR,
    SLIGHT,
)
from vouch_sidecar.retrieval.phrases import capitalised
from vouch_sidecar.retrieval.searchable import REFLEX_COMMANDS
from vouch_sidecar.retrieval.surroundings import ADDRESSING, SPEAKING, Passage
from vouch_sidecar.retrieval.view import View

__all__ = [
    "Asked",
    "Least",
    "Span",
    "asked_about",
    "asked_by",
    "in_a_row",
    "own_stems",
    "without_names",
]

Span = tuple[int, int]

_DATES = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april june july
    august september october november december one two three four five six seven eight nine ten
    """.split()
)
"""Times and numbers, which say what a text is about as little as digits do."""
_AMOUNTS = frozenset("big far fast large long many often old soon".split())
"""After “how” they ask, as “when” does."""
_ASKING = frozenset(
    """
    what whats when where which who whos whom whose why how is are does did was were has may should
    """.split()
)
_REQUESTING = frozenset({"can", "could", "will", "would"})
_GENERAL = frozenset(
    """
    anything aware background basics brief briefing bring catch context describe description detail
    details everything explain fact facts find gist give got guide help important info information
    intro introduce introduction know knowledge known learn list look main matter matters meaning
    need note notes overview pull quick read recall record remember remind say says show something
    stuff summarise summarize summary talk tell thing things understand want
    """.split()
)
"""Words that ask for whatever there is about something."""
_QUESTION_MARKS = "?？؟"
_CLAUSE_END = re.compile(r"[.!?;:\n]+(?:\s|$)|,\s+(?=(?:but|so|and)\b)")


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
    runs: Sequence[tuple[frozenset[Needle], str]]
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

    def enough(self, held: Sequence[Needle], least: Least) -> float | None:
        """The share of the text that these words are, if they are enough."""
        weight = self.weight_of(held)
        share = round(weight / self.whole, 3) if weight else 0.0
        if share < least.share or weight < least.weight or sum(map(_size, held)) < least.words:
            return None
        return share

    def held(self, stems: Sequence[str], always: Iterable[str] = ()) -> list[Needle]:
        """The words that stand together in a text, a longer proper name with all of its words.

        The stems of a heading are `always` near.
        """
        best: list[Needle] = []
        step, heading = NEARBY // 2, frozenset(always)
        for start in range(0, max(1, len(stems) - step), step):
            there = heading.union(stems[start : start + NEARBY])
            held = [w for w in self.weights if w not in self.mute and w.held_by(there)]
            broken = [run for run, _ in self.runs if not run.issubset(held)]
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


def asked_by(
    view: View, text: str, names: Sequence[Span] = (), known: frozenset[str] = frozenset()
) -> Asked:
    """What a text asks beside the names at some places, and beside words whose stems are `known`.

    The words of other names are no evidence: names decide about these.
    """
    rest = without_names(text, names) if names else text
    others = [m for m in view.mentions(text) if not _overlaps((m.start, m.end), names)]
    mute = frozenset(word for m in others for word in needles(text[m.start : m.end]))
    passage = Passage.of(rest)
    analysed = passage.analysed.units
    content = [u for u in analysed if u.folded not in STOPWORDS]
    proper = [rest[u.start : u.end] for u in content if passage.like_a_name(u)]
    runs = [rest[run[0].start : run[-1].end] for run in capitalised(rest, analysed)]
    how = {b.folded for a, b in pairwise(analysed) if a.folded == "how" and b.folded in _AMOUNTS}
    words = [w for w in needles(rest) if not w.held_by(known) and fold(w.word) not in how]
    weights = _heaviest({word: _worth(view, word) for word in words})
    return Asked(
        weights,
        mute,
        [(frozenset(needles(run)) & weights.keys(), in_a_row(run)) for run in runs],
        frozenset(needle for word in proper for needle in needles(word)),
        _asks(rest) if names else _is_question(passage.analysed),
    )


def asked_about(view: View, text: str, names: Sequence[Span]) -> Asked:
    """What a text asks about what it names: not the names, nor words that ask for whatever there
    is.
    """
    asked = asked_by(view, text, names)
    words = {w: n for w, n in asked.weights.items() if fold(w.word) not in _GENERAL}
    return asked._replace(weights=words)


def own_stems(entity: Entity) -> frozenset[str]:
    """The stems of an entity's name and aliases."""
    return frozenset(s for name in (entity.name, *entity.aliases) for s in content_stems(name))


def _heaviest(weights: Mapping[Needle, float]) -> Mapping[Needle, float]:
    if len(weights) <= MAX_ASKED:
        return weights
    first = sorted(weights, key=lambda word: -weights[word])[:MAX_ASKED]
    return {word: weights[word] for word in first}


def _overlaps(span: Span, others: Sequence[Span]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)


# Names and whoever is addressed


def without_names(text: str, names: Sequence[Span]) -> str:
    """A text with blanks for the names at some places, for whoever is addressed or reported
    (“tell X”, “X asks”), and for clauses that say next to nothing beside a name (“X is fine;”).
    """
    analysed = units(text)
    inside = {i for i, u in enumerate(analysed.units) if _overlaps((u.start, u.end), names)}
    gone = [*names, *(_span(u) for u in _telling(analysed, inside))]
    left = [i for i, u in enumerate(analysed.units) if not _overlaps(_span(u), gone)]
    content = [analysed.units[i] for i in left if analysed.units[i].folded not in STOPWORDS]
    for clause in _clauses(text):
        its = [unit for unit in content if _overlaps(_span(unit), [clause])]
        if len(its) <= 1 < len(content) - len(its) and _holds_one(clause, names):
            gone.append(clause)
    out = list(text)
    for start, end in gone:
        out[start:end] = " " * (end - start)
    return "".join(out)


def _span(unit: Unit) -> Span:
    return unit.start, unit.end


def _telling(analysed: Units, inside: Container[int]) -> Iterable[Unit]:
    """The words beside names that address somebody, or report what somebody says."""
    for i, unit in enumerate(analysed.units):
        if i in inside or unit.folded not in ADDRESSING | SPEAKING:
            continue
        if unit.folded in ADDRESSING and i + 1 in inside:
            yield unit
        before = i - 1
        while before >= 0 and not analysed.units[before + 1].gap and before not in inside:
            if analysed.units[before].folded not in STOPWORDS | SPEAKING:
                break
            before -= 1
        if unit.folded in SPEAKING and before in inside and not analysed.units[before + 1].gap:
            yield unit


def _clauses(text: str) -> Iterable[Span]:
    start = 0
    for end in [match.end() for match in _CLAUSE_END.finditer(text)] + [len(text)]:
        if end > start:
            yield start, end
        start = end


def _holds_one(clause: Span, names: Sequence[Span]) -> bool:
    return any(_overlaps(name, [clause]) for name in names)


# Questions


def _asks(rest: str) -> bool:
    """Whether any clause of a text without its names asks to be told something."""
    return any(_is_question(units(rest[start:end])) for start, end in _clauses(rest))


def _is_question(analysed: Units) -> bool:
    """Whether a text asks to be told something, and not to have something done."""
    first = [unit.folded for unit in analysed.units[:2]]
    if first[1:] == ["you"] and first[0] in _REQUESTING:
        return False
    asks = bool(first) and first[0] in _ASKING
    return asks or any(mark in analysed.text for mark in _QUESTION_MARKS)


# Weights


def _worth(view: View, word: Needle) -> float:
    """How much a word says, from 0 to 1: its rarity among claims and sections × how rare it is
    anyway.
    """
    search = view.search
    total = search.total(Kind.CLAIM) + search.total(Kind.PAGE)
    found = search.frequency(word, Kind.CLAIM) + search.frequency(word, Kind.PAGE)
    return rarity(total, found) / rarity(total, 1) * _commonness(word)


def _commonness(word: Needle) -> float:
    if _is_pair(word):
        return HIRAGANA if any("ぁ" <= sign <= "ん" for sign in word.word) else SIGN_PAIR
    folded = fold(word.word)
    if _is_number(folded) or folded in REFLEX_COMMANDS:
        return SLIGHT
    return COMMONNESS[tier(folded)]


def _is_number(folded: str) -> bool:
    return folded.isdigit() or folded in _DATES


def _is_pair(word: Needle) -> bool:
    return any(unit.spaceless for unit in units(word.word).units)


def _size(word: Needle) -> float:
    if _is_pair(word):
        return 0.5
    return 0.0 if _is_number(fold(word.word)) else 1.0


def in_a_row(text: str) -> str:
    """The words of a text, so that those of another may be looked for in it, side by side."""
    return f" {' '.join(unit.stem for unit in units(text).units)} "


def _is_written(word: Needle, forms: set[str]) -> bool:
    """Whether a word that is written like a name stands in a text as that name."""
    folded = fold(word.word)
    return len(word.alternatives) > 1 or any(
        inflects(form, folded) or inflects(folded, form) for form in forms
    )
