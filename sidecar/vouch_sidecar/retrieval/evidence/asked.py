"""What a text asks for: its content words and their weights, without the names in it; its
identifiers; and whether it is a command, asks for nothing but a name, or is worth searching.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import islice, pairwise
from math import fsum

from vouch_sidecar.index.query import rarity
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.retrieval.constants import (
    COMMONNESS,
    FEW,
    HIRAGANA,
    LEAST_WORDS,
    MANY,
    MAX_ASKED,
    MAX_PHRASED,
    MIN_NUMBER,
    SIGN_PAIR,
)
from vouch_sidecar.retrieval.evidence.name_strength import Placing, content_of
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.analysis import fold, units
from vouch_sidecar.text.content_words import Term, terms
from vouch_sidecar.text.english_words import DATES, VERY_COMMON, tier
from vouch_sidecar.text.prompt_text import (
    asked_sentences,
    asks,
    blanked,
    without_asking,
    without_printed,
)
from vouch_sidecar.text.sentences import Span

_ASKS_ABOUT = frozenset(
    """
    anything background basics brief context define definition describe description details
    everything explain facts give info information know learn mean meaning means notes overview
    quick recall remind say show something stuff summary tell things understand what whats who whos
    """.split()
)
"""Words that ask for everything there is about a name, or what it stands for."""
_BESIDE_A_NAME = frozenset(
    """
    a about an and any are can could did do does for have hello hey hi i is let lets me of on our
    please s tell the there to us was we were will would you
    """.split()
)
"""Words that may stand beside these and a name, and ask for nothing else."""
_REFLEX_COMMANDS = frozenset(
    """
    exit quit help status clear continue ok okay yes no thanks stop list ls list_tools tools resume
    retry undo
    """.split()
)
# What is an identifier by its looks alone; `workspace.names_in_text` also finds what may be one,
# such as `relay.py` or `and/or`, where a file of that name tells.
_EXACT = re.compile(
    r"(?<![\w#/.-])(?:"
    r"\#\d++|[A-Z][A-Z0-9]++-\d++|--[A-Za-z][\w-]++"  # tickets, standards, options
    r"|(?:\.{0,2}/)?(?:[\w-]++/)++[\w-]++(?:\.\w++(?![\w/]))++|(?:[\w.-]++/){2,}+[\w.-]*+"  # paths
    r"|[A-Za-z_]\w*+(?:(?:\.[A-Za-z_]\w?(?!\w))*+\.[A-Za-z_]\w{2,}+(?!/))++(?:\(\))?"  # dotted
    r"|[A-Za-z0-9]*+_[^\WA-Za-z0-9]*+[A-Za-z0-9]\w*+|[a-z][a-z0-9]*+(?:[A-Z][a-z0-9]*+)++"
    r"|[A-Z]++[a-z0-9]++(?:[A-Z][a-z0-9]*+)++"  # identifiers
    r")(?![\w/])"
)
_CODE = re.compile(
    r"(?<![\w#/.,-])(?:"
    r"0x[0-9A-F]++|[A-Z]{1,6}\d{3,6}"  # error codes
    r"|\d{1,4}(?:\.\d{1,5}){2,3}"  # versions and addresses
    r"|\d{4}-\d\d-\d\d|\d{1,2}:\d\d(?!:)|\d{1,2}(?::\d\d)? ?[ap]m"  # dates and times
    r"|(?:(?<=:)|(?<=port )|(?<=code )|(?<=error )|(?<=errno )|(?<=status ))\d{3,5}"
    r")(?![\w%/]|[.,:-]\d)"
    r"|(?:(?<=\bv)|(?<=version )|(?<=release ))\d{1,4}(?:\.\d{1,5}){1,3}(?![\w/]|[.,-]\d)",
    re.IGNORECASE,
)
"""Numbers that are the name of something."""
_NUMBER = re.compile(
    r"(?<![\w#/.,:-])(?<!http )(?!(?:19|20)\d\d\b)\d{1,3}(?!00\b)\d\d(?![\w%/]|[.,:-]\d)",
    re.IGNORECASE,
)
"""Other numbers of three to five digits, which are no year, no round number and no status of HTTP,
which means the same everywhere. They count only in a short question, or by themselves, as a text
may also give one by the way.
"""
_MAX_NUMBERED = 6
"""Words of such a question."""
_NUMBERS = DATES | frozenset(
    """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety
    hundred thousand
    """.split()
)
"""Words for times and numbers, which say as little of a text's subject as digits do."""
_JOINED = re.compile(r"(?<!\S)(?:[^\s/]*+/\S*+|[^\s.]*\d\.\d\S*+)")
"""Paths, versions and addresses."""


@dataclass(frozen=True)
class WeighedWords:
    """The words of a text without its names: their weights, from 0 to 1, and which of them are
    neighbours. `names` are the places of the names.
    """

    text: str
    names: tuple[Span, ...]
    weights: Mapping[Term, float]
    exact: tuple[tuple[str, frozenset[Term]], ...]
    """Each identifier, ticket, path, option and code, folded, and its words."""
    outside: frozenset[Term]
    """The words that stand outside of paths, versions and addresses, too."""
    proper: frozenset[str]
    """Words that are written like a name."""
    pairs: frozenset[tuple[str, str]]
    """Stems of neighbouring words, numbers left out."""
    sentences: tuple[frozenset[Term], ...]
    """The words of each sentence, once; a text without words has none."""

    def held_by(self, stems: frozenset[str]) -> tuple[Term, ...]:
        """The words of this text that another text with these stems holds."""
        return tuple(word for word in self.weights if word.held_by(stems))

    def meant_by(self, text: str, stems: frozenset[str]) -> tuple[Term, ...]:
        """Of the words that another text holds, those that mean the same there: one that is written
        like a name as it is written, and words of paths and versions alone only of those that the
        other text has, too. Nobody called Coppersmither is a coppersmith.
        """
        folded = fold(text)
        held = tuple(
            word
            for word in self.held_by(stems)
            if word.word not in self.proper or fold(word.word) in folded
        )
        return () if (self.outside | self.exactly_in(text)).isdisjoint(held) else held

    def best_sentences(self, held: Sequence[Term]) -> list[frozenset[Term]]:
        """The words of the few sentences whose held words weigh most, at least of one; the others
        hold a word.
        """
        heaviest = nlargest(FEW, self.sentences, key=lambda s: self.weight_of(s.intersection(held)))
        best, *others = heaviest or [frozenset()]
        return [best, *(words for words in others if not words.isdisjoint(held))]

    def exactly_in(self, text: str) -> frozenset[Term]:
        """The words of those identifiers, tickets, paths, options and codes that another text holds
        as they are written here.
        """
        folded = fold(text) if self.exact else ""
        held = (words for written, words in self.exact if written in folded)
        return frozenset[Term]().union(*held)

    def weight_of(self, words: Iterable[Term]) -> float:
        """The weight of some of the words."""
        return fsum(map(self.weights.__getitem__, words))


def asked_by(view: View, text: str, names: tuple[Span, ...] = ()) -> WeighedWords:
    """The words of a text without the names at some places."""
    return view.cached(f"asked {names}", text, lambda: _asked(view, text, names))


def _asked(view: View, text: str, names: tuple[Span, ...]) -> WeighedWords:
    rest = blanked(without_asking(without_printed(view.world.relative(text))), names)
    worths = worths_of(view, rest)
    words = [word for word in worths if fold(word.word) not in view.own_names]
    places = [*islice(exact_places(rest), MANY)]
    exact = tuple(
        (fold(rest[start:end]), frozenset(words).intersection(terms(rest[start:end])))
        for start, end in places
    )
    joined = [place for place in places if _JOINED.fullmatch(rest[slice(*place)])]
    outside = _found_in(blanked(rest, joined), words)
    numbers = {
        word
        for _, naming in exact
        for word in naming
        if word.word.isdigit() and len(word.word) >= MIN_NUMBER
    }
    weights = {word: _rarity(view, word) if word in numbers else worths[word] for word in words}
    if len(weights) > MAX_ASKED:
        weights = dict(nlargest(MAX_ASKED, weights.items(), key=lambda each: each[1]))
    placing = Placing(*units(rest))
    content = content_of(placing.units)
    proper = frozenset(rest[u.start : u.end] for u in content if placing.has_own_capital(u))
    pairs = frozenset(
        (left.stem, right.stem)
        for left, right in pairwise(content)
        if not (is_number(left.folded) or is_number(right.folded))
    )
    every = (_found_in(rest[start:end], weights) for start, end in asked_sentences(rest))
    sentences = tuple(dict.fromkeys(filter(None, every)))
    return WeighedWords(text, names, weights, exact, outside, proper, pairs, sentences)


def _found_in(part: str, words: Iterable[Term]) -> frozenset[Term]:
    """Those of some words of a text that stand in a part of it."""
    there = {word.alternatives for word in terms(part)}
    return frozenset(word for word in words if word.alternatives in there)


def worths_of(view: View, text: str) -> Mapping[Term, float]:
    """The weight of each word of a text, from 0 to 1: its rarity among claims and sections × its
    rarity in English.
    """
    return view.cached(
        "worths",
        text,
        lambda: {word: _rarity(view, word) * _commonness(word) for word in terms(text)},
    )


def _rarity(view: View, word: Term) -> float:
    search = view.search
    total = search.total(Kind.CLAIM) + search.total(Kind.PAGE)
    held = search.frequency(word, Kind.CLAIM) + search.frequency(word, Kind.PAGE)
    return rarity(total, held) / rarity(total, 1)


def _commonness(word: Term) -> float:
    if word.is_pair:
        return HIRAGANA if any("ぁ" <= sign <= "ん" for sign in word.word) else SIGN_PAIR
    folded = fold(word.word)
    is_letter = len(folded) == 1 and folded.isascii()  # such as the sign of a unit
    says_little = is_number(folded) or is_letter or is_command(folded)
    return COMMONNESS[VERY_COMMON if says_little else tier(folded)]


def is_number(folded: str) -> bool:
    """Whether a word is a number or a time."""
    return folded.isdigit() or folded in _NUMBERS


# What kind of text it is


def exact_places(text: str) -> Iterator[Span]:
    """Where the identifiers, tickets, paths, options and codes of a text stand."""
    text = text[:MAX_PHRASED]
    count = len(text.split(None, _MAX_NUMBERED))
    is_short = count < LEAST_WORDS or (count <= _MAX_NUMBERED and asks(text))
    patterns = (_EXACT, _CODE, _NUMBER) if is_short else (_EXACT, _CODE)
    return (match.span() for pattern in patterns for match in pattern.finditer(text))


def asks_only_about(text: str, names: Sequence[Span]) -> bool:
    """Whether a text is nothing but some names, or asks for them in general words: “Relay”, “what
    is Relay?”, “give me the basics on Relay”.
    """
    beside = {unit.folded for unit in units(blanked(text, names)).units}
    if not beside:
        return all(not is_command(text[start:end]) for start, end in names)
    return bool(beside & _ASKS_ABOUT) and beside <= _BESIDE_A_NAME | _ASKS_ABOUT


def is_command(text: str) -> bool:
    """Whether a text is the name of a command, such as `status`."""
    return fold(text.strip()) in _REFLEX_COMMANDS


def worth_searching(text: str) -> bool:
    """Whether a text is worth a full text search: it has three words, or an identifier, a ticket, a
    path, an option or a code, and is neither stopwords alone nor a command.
    """
    if any(exact_places(text)):
        return True
    signs = sum(unit.spaceless for unit in units(text[:MAX_PHRASED]).units)
    words = len(text.split())
    # two signs of a script without spaces are a word
    is_long = max(words, words - 1 + signs // 2) >= LEAST_WORDS
    return is_long and not _REFLEX_COMMANDS.issuperset(fold(term.word) for term in terms(text))
