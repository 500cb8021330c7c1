"""Claims that hold most of what a text asks: for a text that names nothing, and for what is asked
next of an entity that was spoken of before.

docs/how-it-decides.md gives the rule, with the measurement behind the constants.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from math import fsum
from typing import NamedTuple

from vouch_sidecar.index.content import Needle, needles
from vouch_sidecar.index.search import fewest, rarity
from vouch_sidecar.index.text import Units, fold, inflects, units
from vouch_sidecar.index.words import STOPWORDS, tier
from vouch_sidecar.kb.records import Claim, Kind
from vouch_sidecar.retrieval.phrases import capitalised
from vouch_sidecar.retrieval.salience import Salient
from vouch_sidecar.retrieval.searchable import REFLEX_COMMANDS
from vouch_sidecar.retrieval.surroundings import Passage
from vouch_sidecar.retrieval.view import View

__all__ = ["Answer", "answers", "asked_next", "in_a_row"]

COVERAGE = {True: 0.6, False: 0.7}
"""Share of a text, by weight, that a claim must hold: of a question, of anything else."""
WEIGHT = {True: 0.55, False: 0.75}
"""What these words weigh at least, together; 1 is a word of one claim that is not English."""
WORDS = 2.0
"""Words that it holds at least; a pair of signs of a script without spaces is half a word."""
RIVALS = 3
"""Where more claims than these hold as much, none of them is meant."""
NEARBY = 40
"""Content words of a claim among which they must stand: a long one holds anything."""

_COMMONNESS = {0: 1.0, 3: 0.8, 2: 0.6, 1: 0.3}
"""By tier in English: what is rare in a small knowledge base may be in every other prompt."""
_SLIGHT = 0.3
_PAIR = 0.5
_KANA = 0.15
"""Endings and particles in Japanese are in hiragana."""
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
_QUESTION_MARKS = "?？؟"


class Answer(NamedTuple):
    """A claim, the words of the text that it holds, and their share of the text from 0 to 1."""

    claim: Claim
    words: tuple[str, ...]
    share: float


class _Asked(NamedTuple):
    """What a text asks: its words with their weights, and what it writes like names."""

    weights: Mapping[Needle, float]
    mute: frozenset[Needle]
    """Words that are no evidence: those of the names that the text holds."""
    runs: Sequence[tuple[frozenset[Needle], str]]
    """Longer proper names: their words, and these in a row."""
    proper: frozenset[Needle]
    question: bool


def answers(view: View, text: str) -> list[Answer]:
    """The claims that hold most of a text, best first; none where too many do."""
    return view.once("answers", text, partial(_answers, view, text))


def _answers(view: View, text: str) -> list[Answer]:
    mentioned = [text[m.start : m.end] for m in view.mentions(text)]
    mute = frozenset(word for name in mentioned for word in needles(name))
    asked = _asked(view, text, needles(text), mute)
    if not asked.weights:
        return []
    at_least = max(2, fewest(asked.weights.values(), COVERAGE[asked.question]))
    words = list(asked.weights)
    ordinals = view.knowledge.search.holding(words, Kind.CLAIM, view.gates, at_least)
    found = []
    for ordinal in ordinals:
        ref, document = view.knowledge.document(ordinal)
        if _enough(asked, _held(asked, document.stems)) is None:
            continue
        claim = view.claim(ref.key[1])
        if claim and (answer := _answer(asked, claim, document.stems)):
            found.append(answer)
    found.sort(key=lambda a: (-a.share, a.claim.id))
    rivals = sum(answer.share == found[0].share for answer in found) if found else 0
    return found if rivals <= RIVALS else []


def asked_next(row: Salient, text: str, claims: Iterable[Claim]) -> Iterator[Answer]:
    """Those claims of an entity that hold most of what a text asks besides its name."""
    view, names = row.view, " \n".join((row.entity.name, *row.entity.aliases))
    known = frozenset(s for n in needles(names) for option in n.alternatives for s in option)
    words = [word for word in needles(text) if not word.held_by(known)]
    asked = _asked(view, text, words, frozenset())
    for claim in claims:
        for document in view.knowledge.documents_of((Kind.CLAIM, claim.id)):
            if answer := _answer(asked, claim, document.stems):
                yield answer


def _asked(view: View, text: str, words: Sequence[Needle], mute: frozenset[Needle]) -> _Asked:
    passage = Passage.of(text)
    content = [u for u in passage.analysed.units if u.folded not in STOPWORDS]
    proper = [text[u.start : u.end] for u in content if passage.like_a_name(u)]
    runs = [text[run[0].start : run[-1].end] for run in capitalised(text, passage.analysed.units)]
    how = {
        after.folded
        for before, after in pairwise(passage.analysed.units)
        if before.folded == "how" and after.folded in _AMOUNTS
    }
    weights = {word: _worth(view, word) for word in words if fold(word.word) not in how}
    return _Asked(
        weights,
        mute,
        [(frozenset(needles(run)) & weights.keys(), in_a_row(run)) for run in runs],
        frozenset(needle for word in proper for needle in needles(word)),
        _is_question(passage.analysed),
    )


def _is_question(analysed: Units) -> bool:
    """Whether a text asks to be told something, and not to have something done."""
    first = [unit.folded for unit in analysed.units[:2]]
    if first[1:] == ["you"] and first[0] in _REQUESTING:
        return False
    asks = bool(first) and first[0] in _ASKING
    return asks or any(mark in analysed.text for mark in _QUESTION_MARKS)


def _worth(view: View, word: Needle) -> float:
    """How much a word says, from 0 to 1: its rarity among the claims × how rare it is anyway."""
    total = view.claim_total
    return rarity(total, view.frequency(word)) / rarity(total, 1) * _commonness(word)


def _commonness(word: Needle) -> float:
    if _is_pair(word):
        return _KANA if any("ぁ" <= sign <= "ん" for sign in word.word) else _PAIR
    folded = fold(word.word)
    if _is_number(folded) or folded in REFLEX_COMMANDS:
        return _SLIGHT
    return _COMMONNESS[tier(folded)]


def _is_number(folded: str) -> bool:
    return folded.isdigit() or folded in _DATES


def _is_pair(word: Needle) -> bool:
    return any(unit.spaceless for unit in units(word.word).units)


def _size(word: Needle) -> float:
    if _is_pair(word):
        return 0.5
    return 0.0 if _is_number(fold(word.word)) else 1.0


def _answer(asked: _Asked, claim: Claim, stems: Sequence[str]) -> Answer | None:
    text = " ".join((claim.text, *claim.tags))
    forms, row = {unit.folded for unit in units(text).units}, in_a_row(text)
    apart = {word for run, words in asked.runs if words not in row for word in run}
    held = [
        word
        for word in _held(asked, stems)
        if word not in apart and (word not in asked.proper or _is_written(word, forms))
    ]
    share = _enough(asked, held)
    return Answer(claim, tuple(word.word for word in held), share) if share else None


def _enough(asked: _Asked, held: Sequence[Needle]) -> float | None:
    """The share of the text that these words are, if they are enough."""
    weight, whole = fsum(asked.weights[word] for word in held), fsum(asked.weights.values())
    share, question = round(weight / whole, 3) if whole else 0.0, asked.question
    if share < COVERAGE[question] or weight < WEIGHT[question] or sum(map(_size, held)) < WORDS:
        return None
    return share


def _held(asked: _Asked, stems: Sequence[str]) -> list[Needle]:
    """The words that stand together in a text, a longer proper name with all of its words."""
    best: list[Needle] = []
    step = NEARBY // 2
    for start in range(0, max(1, len(stems) - step), step):
        there = frozenset(stems[start : start + NEARBY])
        held = [w for w in asked.weights if w not in asked.mute and w.held_by(there)]
        broken = [run for run, _ in asked.runs if not run.issubset(held)]
        held = [word for word in held if not any(word in run for run in broken)]
        if fsum(map(asked.weights.__getitem__, held)) > fsum(map(asked.weights.__getitem__, best)):
            best = held
    return best


def in_a_row(text: str) -> str:
    """The words of a text, so that those of another may be looked for in it, side by side."""
    return f" {' '.join(unit.stem for unit in units(text).units)} "


def _is_written(word: Needle, forms: set[str]) -> bool:
    """Whether a word that is written like a name stands in a text as that name."""
    folded = fold(word.word)
    return len(word.alternatives) > 1 or any(
        inflects(form, folded) or inflects(folded, form) for form in forms
    )
