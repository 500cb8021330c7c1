"""The content words of a text and their weights, without the names in it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import fsum
from typing import NamedTuple

from vouch_sidecar.index.document_schema import SENTENCE_STEMS
from vouch_sidecar.index.query import rarity
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.retrieval.constants import (
    COMMONNESS,
    HIRAGANA,
    LEAST_WORDS,
    MAX_ASKED,
    MAX_EXACT,
    MAX_PHRASED,
    SIGN_PAIR,
    SLIGHT,
)
from vouch_sidecar.retrieval.evidence.name_position import Placing
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.analysis import fold, inflects, units
from vouch_sidecar.text.content_words import Term, terms
from vouch_sidecar.text.english_words import DATES, STOPWORDS, tier
from vouch_sidecar.text.prompt_text import (
    asked_sentences,
    without_asking,
    without_printed,
    without_steering,
)

Span = tuple[int, int]

_NUMBERS = DATES | frozenset(
    """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety
    hundred thousand
    """.split()
)
"""Words for times and numbers, which say as little of a text's subject as digits do."""
GENERAL = frozenset(
    """
    anything background basics brief context describe description details everything explain facts
    give info information know learn notes overview quick recall remind say show something stuff
    summary tell things understand
    """.split()
)
"""Words that ask for everything there is about a name."""
_ASKS_ABOUT = frozenset("define definition mean meaning means what whats who whos".split())
"""Other words that ask what a name stands for."""
_BESIDE_A_NAME = frozenset(
    """
    a about an and any are can could did do does for have hello hey hi i is let lets me of on our
    please s tell the there to us was we were will would you
    """.split()
)
"""Words that may stand beside these and a name, and ask for nothing else."""
_MAX_BESIDE = 12
"""Words beside a name: a longer text asks for more."""
_REFLEX_COMMANDS = frozenset(
    """
    exit quit help status clear continue ok okay yes no thanks stop list ls list_tools tools resume
    retry undo
    """.split()
)
_EXACT = re.compile(
    r"(?<![\w#/.-])(?:"
    r"\#\d++|[A-Z][A-Z0-9]++-\d++|--[A-Za-z][\w-]++"  # tickets and options
    r"|(?:\.{0,2}/)?(?:[\w-]++/)++[\w-]++(?:\.\w++(?![\w/]))++|(?:[\w.-]++/){2,}+[\w.-]*+"  # paths
    r"|[A-Za-z_]\w*+(?:(?:\.[A-Za-z_]\w?(?!\w))*+\.[A-Za-z_]\w{2,}+(?!/))++(?:\(\))?"  # dotted
    r"|[A-Za-z0-9]*+_[^\WA-Za-z0-9]*+[A-Za-z0-9]\w*+|[a-z][a-z0-9]*+(?:[A-Z][a-z0-9]*+)++"
    r"|[A-Z]++[a-z0-9]++(?:[A-Z][a-z0-9]*+)++"  # identifiers
    r")(?![\w/])"
)
_JOINTS = re.compile(r"[./]")


class Exact(NamedTuple):
    """An identifier, a ticket, a path or an option in a text, which candidates must hold exactly as
    it is written.
    """

    words: frozenset[Term]
    written: re.Pattern[str]
    """A pattern that finds it as it is written, in any case."""


@dataclass(frozen=True)
class WeighedWords:
    """The words of a text without its names: their weights, from 0 to 1, and which of them are
    neighbours. `names` are the places of the names.
    """

    text: str
    names: tuple[Span, ...]
    weights: Mapping[Term, float]
    rarities: Mapping[Term, float]
    """The weights by rarity alone, not reduced for common English words."""
    sizes: Mapping[Term, float]
    """As how many words each one counts: a pair of signs of a script without spaces as half."""
    exact: tuple[Exact, ...]
    proper: frozenset[Term]
    """Words that are written like a name."""
    pairs: frozenset[tuple[str, str]]
    """Stems of neighbouring words, numbers left out."""
    sentences: tuple[frozenset[Term], ...]
    """The words of each sentence; a text without words has none."""

    @property
    def total_weight(self) -> float:
        """The sum of the weights of all words."""
        return fsum(self.weights.values())

    def held_by(self, stems: frozenset[str]) -> tuple[Term, ...]:
        """The words of this text that another text with these stems holds."""
        words, by_stem, others = self._words
        places = [at for stem in stems & by_stem.keys() for at in by_stem[stem]]
        places += [at for at in others if words[at].held_by(stems)]
        return tuple(words[at] for at in sorted(places))

    @cached_property
    def _words(self) -> tuple[list[Term], Mapping[str, Sequence[int]], Sequence[int]]:
        """The words, with the places of those that have one stem, and of the others."""
        words, by_stem, others = list(self.weights), defaultdict[str, list[int]](list), list[int]()
        for at, word in enumerate(words):
            stem = word.only_stem
            (others if stem is None else by_stem[stem]).append(at)
        return words, by_stem, others

    def best_sentence(self, held: Sequence[Term], exactly: Container[Term]) -> frozenset[Term]:
        """The words of the sentence whose held words weigh most. Of equal sentences, the one whose
        other words weigh least; then the first.
        """
        if len(self.sentences) < 2:
            return self.sentences[0] if self.sentences else frozenset()
        return max(
            self.sentences,
            key=lambda words: (
                self.weight_of(words.intersection(held), exactly),
                -self.weight_of(words, exactly),
            ),
        )

    def exactly_in(self, text: str) -> frozenset[Term]:
        """The words of those identifiers, tickets, paths and options that another text holds
        exactly as they are written here.
        """
        return frozenset(
            word for exact in self.exact if exact.written.search(text) for word in exact.words
        )

    def weight_of(self, held: Iterable[Term], exactly: Container[Term]) -> float:
        """The weight of some of the words; a word that the other text holds exactly weighs its
        rarity.
        """
        weights, rarities = self.weights, self.rarities
        return fsum((rarities if word in exactly else weights)[word] for word in held)

    def words_in(self, held: Iterable[Term]) -> float:
        """The number of words that some words count as: a pair of signs of a script without spaces
        counts half.
        """
        return fsum(self.sizes[word] for word in held)

    def as_written(self, held: Iterable[Term], text: str) -> tuple[Term, ...]:
        """Those `held` words that another text really means: a word that is written like a name
        here must be written so there.
        """
        forms = {unit.folded for unit in units(text).units}
        return tuple(word for word in held if word not in self.proper or _is_written(word, forms))


def asked_by(view: View, text: str, names: Iterable[Span] = ()) -> WeighedWords:
    """The words of a text without the names at some places."""
    spans = tuple(names)
    return view.cached(f"asked {spans}", text, lambda: _asked(view, text, spans))


def _asked(view: View, text: str, names: tuple[Span, ...]) -> WeighedWords:
    rest = without_steering(without_asking(without_printed(blanked(text, names))))
    own = view.names.project_names
    words = [
        word
        for word in terms(rest)
        if fold(word.word) not in own and not (names and fold(word.word) in GENERAL)
    ]
    rarities = {word: _rarity(view, word) for word in words}
    weights = {word: rarities[word] * _commonness(word) for word in words}
    if len(weights) > MAX_ASKED:
        first = sorted(weights, key=lambda word: -weights[word])[:MAX_ASKED]
        weights = {word: weights[word] for word in first}
    placing = Placing.of(rest)
    content = [unit for unit in placing.analysis.units if unit.folded not in STOPWORDS]
    proper = [rest[u.start : u.end] for u in content if placing.like_a_name(u)]
    pairs = frozenset(
        (left.stem, right.stem)
        for left, right in pairwise(content)
        if not (is_number(left.folded) or is_number(right.folded))
    )
    proper_words = frozenset(word for each in proper for word in terms(each))
    sizes = {word: 0.5 if _is_pair(word) else 1.0 for word in weights}
    exact = _exact_in(rest)
    sentences = tuple(_by_sentence(rest, weights))
    return WeighedWords(
        text, names, weights, rarities, sizes, exact, proper_words, pairs, sentences
    )


def _by_sentence(text: str, words: Iterable[Term]) -> Iterator[frozenset[Term]]:
    """Which of some words of a text each of its sentences holds, where it holds any."""
    by_alternatives = {word.alternatives: word for word in words}
    for start, end in asked_sentences(text):
        held = (by_alternatives.get(word.alternatives) for word in terms(text[start:end]))
        if there := frozenset(word for word in held if word is not None):
            yield there


def _exact_in(text: str) -> tuple[Exact, ...]:
    """The identifiers, tickets, paths and options of a text, and the identifiers within them:
    `get_all` of `Cache.get_all`.
    """
    wholes = dict.fromkeys(match[0] for match in _EXACT.finditer(text[:MAX_PHRASED]))
    parts = (part for whole in wholes for part in _JOINTS.split(whole) if _EXACT.search(part))
    tokens = [token.removesuffix("()") for token in dict.fromkeys([*wholes, *parts])]
    return tuple(
        Exact(
            frozenset(terms(token)),
            re.compile(rf"(?<!\w){re.escape(token)}(?!\w)", re.IGNORECASE),
        )
        for token in tokens[:MAX_EXACT]
    )


def blanked(text: str, names: Iterable[Span]) -> str:
    """The text with the given places blanked out."""
    out = list(text)
    for start, end in names:
        out[start:end] = " " * (end - start)
    return "".join(out)


def holds_exact(text: str) -> bool:
    """Whether a text holds an identifier, a ticket, a path or an option."""
    return _EXACT.search(text) is not None


def asks_only_about(text: str, names: Iterable[Span]) -> bool:
    """Whether a text is nothing but some names, or asks for them in general words: “Relay”, “what
    is Relay?”, “give me the basics on Relay”. “What is” before a very common word does not count:
    it asks for another thing of that name.
    """
    spans = tuple(names)
    beside = [unit.folded for unit in units(blanked(text, spans)).units]
    if not beside:
        return all(not is_command(text[start:end]) for start, end in spans)
    general = GENERAL.intersection(beside)
    asking = general or _ASKS_ABOUT.intersection(beside)
    if not asking or len(beside) > _MAX_BESIDE:
        return False
    plain = not general and any(tier(fold(text[start:end])) == 1 for start, end in spans)
    return not plain and (_BESIDE_A_NAME | _ASKS_ABOUT | GENERAL).issuperset(beside)


def is_command(text: str) -> bool:
    """Whether a text is the name of a command, such as `status`."""
    return fold(text.strip()) in _REFLEX_COMMANDS


def worth_searching(text: str) -> bool:
    """Whether a text is worth a full text search: it has three words, or an identifier, a ticket, a
    path or an option, and is neither stopwords alone nor a command.
    """
    if holds_exact(text):
        return True
    if _word_count(text) < LEAST_WORDS:
        return False
    first = text.split(maxsplit=1)[0]
    if first.startswith("/") and first.strip("/!:").casefold() in _REFLEX_COMMANDS:
        return False
    return not _REFLEX_COMMANDS.issuperset(fold(term.word) for term in terms(text))


def _word_count(text: str) -> int:
    """Words between spaces; of a script without spaces, two signs are one."""
    count = len(text.split())
    if count >= LEAST_WORDS or text.isascii():
        return count
    signs = sum(unit.spaceless for unit in units(text).units)
    return count - 1 + signs // 2 if signs else count


def worths_of(view: View, text: str) -> Mapping[Term, float]:
    """The weight of each word of a text, from 0 to 1."""
    return view.cached("worths", text, lambda: {w: worth_of(view, w) for w in terms(text)})


def worth_of(view: View, word: Term) -> float:
    """The weight of a word, from 0 to 1: its rarity among claims and sections × its rarity in
    English.
    """
    return _rarity(view, word) * _commonness(word)


def _rarity(view: View, word: Term) -> float:
    search = view.search
    total = search.total(SENTENCE_STEMS) + search.total(Kind.PAGE)
    held = search.frequency(word, SENTENCE_STEMS) + search.frequency(word, Kind.PAGE)
    return rarity(total, held) / rarity(total, 1)


def _commonness(word: Term) -> float:
    if _is_pair(word):
        return HIRAGANA if any("ぁ" <= sign <= "ん" for sign in word.word) else SIGN_PAIR
    folded = fold(word.word)
    if is_number(folded) or _is_letter(folded) or folded in _REFLEX_COMMANDS:
        return SLIGHT
    return COMMONNESS[tier(folded)]


def is_number(folded: str) -> bool:
    """Whether a word is a number or a time."""
    return folded.isdigit() or folded in _NUMBERS


def _is_pair(word: Term) -> bool:
    return any(unit.spaceless for unit in units(word.word).units)


def _is_letter(folded: str) -> bool:
    """Whether a word is a letter, such as the sign of a unit."""
    return len(folded) == 1 and folded.isascii()


def _is_written(word: Term, forms: set[str]) -> bool:
    folded = fold(word.word)
    return len(word.alternatives) > 1 or any(
        inflects(form, folded) or inflects(folded, form) for form in forms
    )
