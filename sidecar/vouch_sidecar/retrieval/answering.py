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

from tantivy import Document
from vouch_sidecar.index.content import Needle, needles
from vouch_sidecar.index.query import rarity
from vouch_sidecar.index.schema import stems_in
from vouch_sidecar.index.text import Units, fold, inflects, units
from vouch_sidecar.index.words import STOPWORDS, tier
from vouch_sidecar.kb.records import Claim, Kind
from vouch_sidecar.retrieval.constants import (
    ANSWER_WORDS,
    COMMONNESS,
    HIRAGANA,
    NEARBY,
    OTHER_SHARE,
    OTHER_WEIGHT,
    QUESTION_SHARE,
    QUESTION_WEIGHT,
    RIVALS,
    SIGN_PAIR,
    SLIGHT,
)
from vouch_sidecar.retrieval.phrases import capitalised
from vouch_sidecar.retrieval.salience import Salient
from vouch_sidecar.retrieval.searchable import REFLEX_COMMANDS
from vouch_sidecar.retrieval.surroundings import Passage
from vouch_sidecar.retrieval.view import View, claim_in

__all__ = ["Answer", "answers", "asked_next", "in_a_row"]

_SHARE = {True: QUESTION_SHARE, False: OTHER_SHARE}
"""By whether a text is a question."""
_WEIGHT = {True: QUESTION_WEIGHT, False: OTHER_WEIGHT}
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
    hits = view.search.down_to(asked.weights, Kind.CLAIM, _SHARE[asked.question])
    documents = map(view.knowledge.snapshot.document, hits)
    found = [answer for document in documents if (answer := _answer(asked, document))]
    found.sort(key=lambda a: (-a.share, a.claim.id))
    rivals = sum(answer.share == found[0].share for answer in found) if found else 0
    return found if rivals <= RIVALS else []


def asked_next(row: Salient, text: str, claims: Iterable[Document]) -> Iterator[Answer]:
    """Those claims of an entity that hold most of what a text asks besides its name."""
    view, names = row.view, " \n".join((row.entity.name, *row.entity.aliases))
    known = frozenset(s for n in needles(names) for option in n.alternatives for s in option)
    words = [word for word in needles(text) if not word.held_by(known)]
    asked = _asked(view, text, words, frozenset())
    for claim in claims:
        if answer := _answer(asked, claim):
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


def _answer(asked: _Asked, document: Document) -> Answer | None:
    stems = stems_in(document)
    if _enough(asked, _held(asked, stems)) is None:
        return None
    claim = claim_in(document)
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
    if (
        share < _SHARE[question]
        or weight < _WEIGHT[question]
        or sum(map(_size, held)) < ANSWER_WORDS
    ):
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
