"""Every entity name and alias in one trie, walked over a text at word borders.

The trie's edges are stems, so that inflections and identifier forms share a way through it; what
stands at its end is then compared word by word. Offsets are those of the original text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from sidecar.index.text import Unit, Units, always_content, fold, inflects, units
from sidecar.index.words import STOPWORDS
from sidecar.kb.records import Entity

__all__ = ["Arm", "Mention", "Names"]

MIN_SURNAME = 3
_GAP = "\0"
"""Begins the keys that are punctuation."""
_MAX_PIECE = 64
_MAX_PIECES = 1 << 14


class Arm(IntEnum):
    """How a text names an entity, best first."""

    NAME = 0
    ALIAS = 1
    VARIANT = 2
    PARTIAL = 3


class Mention(NamedTuple):
    """A place in a text that names an entity."""

    start: int
    end: int
    entity_id: str
    arm: Arm
    name: str
    """The name or alias that was recognised, as the entity has it."""
    ambiguous: bool
    """Whether the same words name another entity as well."""
    nested: bool
    """Whether a longer mention covers it."""


class _Form(NamedTuple):
    """One name of one entity, as the trie holds it."""

    entity_id: str
    arm: Arm
    name: str
    surface: str
    words: tuple[str, ...]


@dataclass(slots=True)
class _Node:
    children: dict[str, _Node] = field(default_factory=dict)
    forms: list[_Form] = field(default_factory=list)


class _Step(NamedTuple):
    """An end that the walk from one unit reached."""

    end: int
    node: _Node
    words: tuple[str, ...]


class _Piece(NamedTuple):
    """What stands between two spaces: what it names by itself, with offsets in it; the keys by
    which names that begin in it may go on after it, and whether punctuation is one of them; how
    many units it has, and the stems with which it may begin: of its first part, of its first word.
    """

    mentions: Sequence[Mention]
    onward: AbstractSet[str]
    parted: bool
    size: int
    part: str
    word: str


_NO_PIECE = _Piece((), frozenset(), False, 0, _GAP, _GAP)


class Names:
    """A matcher over entity names. Not safe for use by two threads at once."""

    def __init__(self) -> None:
        self._root = _Node()
        self._paths: dict[str, list[tuple[str, ...]]] = {}
        self._exact: defaultdict[str, set[str]] = defaultdict(set)
        self._containing: defaultdict[str, set[str]] = defaultdict(set)
        self._entities: dict[str, Entity] = {}
        self._pieces = _Pieces(self._piece)

    def add(self, entity: Entity) -> None:
        """Learn an entity's names; one with the same id is replaced."""
        self.remove(entity.id)
        self._pieces.clear()
        self._entities[entity.id] = entity
        paths: list[tuple[str, ...]] = []
        for path, form in _forms(entity):
            node = self._root
            for key in path:
                node = node.children.setdefault(key, _Node())
            node.forms.append(form)
            paths.append(path)
            if form.arm is not Arm.PARTIAL:
                for key in path:
                    self._containing[key].add(entity.id)
        for surface in _surfaces(entity):
            self._exact[surface].add(entity.id)
        self._paths[entity.id] = paths

    def remove(self, entity_id: str) -> None:
        """Forget an entity; unknown ids are fine."""
        entity = self._entities.pop(entity_id, None)
        if entity is None:
            return
        self._pieces.clear()
        for path in self._paths.pop(entity_id):
            self._prune(self._root, path, entity_id)
            for key in path:
                _discard(self._containing, key, entity_id)
        for surface in _surfaces(entity):
            _discard(self._exact, surface, entity_id)

    def _prune(self, node: _Node, path: tuple[str, ...], entity_id: str) -> None:
        if not path:
            node.forms = [f for f in node.forms if f.entity_id != entity_id]
            return
        child = node.children.get(path[0])
        if child is None:
            return
        self._prune(child, path[1:], entity_id)
        if not child.forms and not child.children:
            del node.children[path[0]]

    def find(self, text: str) -> list[Mention]:
        """All mentions in a text, by position; covered ones are marked as nested.

        Goes from piece to piece between spaces: what one names by itself is remembered, and only
        where a name may go on in the next ones are they taken apart.
        """
        pieces = text.replace("\n", " ").replace("\t", " ").split(" ")
        lengths = list(accumulate(map(len, pieces), initial=0))
        known = [self._pieces[piece] for piece in pieces]
        found: list[Mention] = []
        for i, (here, after) in enumerate(zip(known, [*known[1:], _NO_PIECE], strict=True)):
            mentions, onward, parted, size, _, _ = here
            if onward and (
                parted or not after.part or after.part in onward or after.word in onward
            ):
                mentions = self._across(text, lengths, i, size)
            if mentions:
                at = lengths[i] + i
                found += [Mention(m[0] + at, m[1] + at, *m[2:]) for m in mentions]
        if len(self._pieces) > _MAX_PIECES:
            self._pieces.clear()
        return _mark_nested(found)

    def _piece(self, piece: str) -> _Piece:
        analysed = units(piece)
        count = len(analysed.units)
        mentions, onward = self._named_from(analysed, count)
        parted = any(key.startswith(_GAP) for key in onward)
        first = [unit.stem for unit, _ in _readings(analysed, 0)] if count else [""]
        return _Piece(mentions, onward, parted, count, first[0], first[-1])

    def _across(
        self, text: str, lengths: Sequence[int], first: int, count: int
    ) -> Sequence[Mention]:
        """What begins in the piece `first`, which has `count` units, and may end in later ones.

        `lengths` are those of all pieces before each one.
        """
        last = len(lengths) - 1
        until = min(first + 2, last)
        while True:
            analysed = units(text[lengths[first] + first : lengths[until] + until])
            mentions, onward = self._named_from(analysed, count)
            if not onward or until == last:
                return mentions
            until = min(first + 2 * (until - first), last)

    def _named_from(
        self, analysed: Units, count: int
    ) -> tuple[Sequence[Mention], AbstractSet[str]]:
        """What begins in the first `count` units, and the keys by which names go on at the end."""
        cut: list[_Node] = []
        mentions = [
            mention
            for start in range(count)
            for step in self._walk(analysed, start, cut)
            for mention in _mentions(analysed, start, step)
        ]
        onward = [node.children.keys() for node in cut]
        return mentions, onward[0] if len(onward) == 1 else frozenset().union(*onward)

    def exactly(self, text: str) -> list[str]:
        """Ids of the entities that have the whole text, folded, as a name or alias; sorted."""
        return sorted(self._exact.get(_surface(text), ()))

    @staticmethod
    def required(entity: Entity) -> set[tuple[str, ...]]:
        """Stems of full text, all those of one of which a text holds if it names an entity.

        An empty one stands for a name that full text can't look for.
        """
        return {
            tuple(sorted({k for k in path if not k.startswith(_GAP) and always_content(k)}))
            for path, _ in _forms(entity)
        }

    def containing(self, text: str) -> list[str]:
        """Ids of the entities with a name or alias of which the text is a part; sorted.

        A part ends at word borders and is more than stopwords.
        """
        analysed = units(text)
        words = [u.stem for u in analysed.units]
        if not words or all(u.folded in STOPWORDS for u in analysed.units):
            return []
        wholes = _whole_stems(analysed)
        found: set[str] = set()
        for keys in {tuple(words), tuple(wholes)}:
            candidates = set.intersection(*(self._containing.get(k, set()) for k in keys))
            found.update(c for c in candidates if any(_has_run(p, keys) for p in self._paths[c]))
        return sorted(found)

    def _walk(self, analysed: Units, start: int, cut: list[_Node]) -> Iterator[_Step]:
        """Every end in the trie that the units from `start` on reach.

        Adds to `cut` where ways that go on are when the text ends.
        """
        todo: list[tuple[int, _Node, tuple[str, ...]]] = [(start, self._root, ())]
        while todo:
            i, node, words = todo.pop()
            if node.forms:
                yield _Step(i, node, words)
            if i == len(analysed.units):
                if node.children:
                    cut.append(node)
                continue
            gap = analysed.units[i].gap
            if gap and i > start:
                between = node.children.get(_gap_key(gap))
                if between is None:
                    continue
                node, words = between, (*words, gap)
            for unit, after in _readings(analysed, i):
                child = node.children.get(unit.stem)
                if child is not None:
                    todo.append((after, child, (*words, unit.folded)))


class _Pieces(dict[str, "_Piece"]):
    """Looks at a piece when it comes for the first time; long ones hardly come again."""

    def __init__(self, look: Callable[[str], _Piece]) -> None:
        super().__init__()
        self._look = look

    def __missing__(self, piece: str) -> _Piece:
        made = self._look(piece)
        if len(piece) <= _MAX_PIECE:
            self[piece] = made
        return made


def _readings(analysed: Units, i: int) -> Iterator[tuple[Unit, int]]:
    yield analysed.units[i], i + 1
    if i in analysed.wholes:
        yield analysed.wholes[i]


def _gap_key(gap: str) -> str:
    return _GAP + gap


def _whole_stems(analysed: Units) -> list[str]:
    out: list[str] = []
    i = 0
    while i < len(analysed.units):
        unit, i = analysed.wholes.get(i, (analysed.units[i], i + 1))
        out.append(unit.stem)
    return out


def _has_run(path: tuple[str, ...], keys: tuple[str, ...]) -> bool:
    n = len(keys)
    return any(path[i : i + n] == keys for i in range(len(path) - n + 1))


@lru_cache(maxsize=1 << 14)
def _surface(text: str) -> str:
    """A text folded, with white space collapsed and without apostrophes."""
    folded = fold(text)
    return " ".join("".join(c for c in folded if c not in "'’ʼ＇").split())


def _surfaces(entity: Entity) -> set[str]:
    return {s for name in (entity.name, *entity.aliases) if (s := _surface(name))}


def _discard(index: defaultdict[str, set[str]], key: str, entity_id: str) -> None:
    ids = index.get(key)
    if ids is not None:
        ids.discard(entity_id)
        if not ids:
            del index[key]


def _forms(entity: Entity) -> Iterator[tuple[tuple[str, ...], _Form]]:
    """The ways through the trie that end at this entity."""
    seen: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
    for arm, name in _names(entity):
        analysed = units(name)
        for path, words in _paths(analysed):
            if path and (path, words) not in seen:
                seen.add((path, words))
                yield path, _Form(entity.id, arm, name, _surface(name), words)


def _names(entity: Entity) -> Iterator[tuple[Arm, str]]:
    yield Arm.NAME, entity.name
    for alias in entity.aliases:
        yield Arm.ALIAS, alias
    words = entity.name.split()
    surname = words[-1] if words else ""
    if entity.type == "person" and len(words) > 1 and len(surname) >= MIN_SURNAME:
        yield Arm.PARTIAL, surname


def _paths(analysed: Units) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Keys and words of a name: with its punctuation, without, and with identifiers whole."""
    for whole in (False, True):
        for punctuation in (True, False):
            keys: list[str] = []
            words: list[str] = []
            i = 0
            while i < len(analysed.units):
                unit, after = analysed.units[i], i + 1
                if whole and i in analysed.wholes:
                    unit, after = analysed.wholes[i]
                if punctuation and unit.gap and i:
                    keys.append(_gap_key(unit.gap))
                    words.append(unit.gap)
                keys.append(unit.stem)
                words.append(unit.folded)
                i = after
            yield tuple(keys), tuple(words)


def _mentions(analysed: Units, start: int, step: _Step) -> Iterable[Mention]:
    first, last = analysed.units[start], analysed.units[step.end - 1]
    if not _at_borders(analysed, start, step.end):
        return
    written = analysed.text[first.start : last.end]
    best: dict[str, tuple[Arm, _Form]] = {}
    for form in step.node.forms:
        arm = _arm(form, written, step.words)
        if arm is not None and (form.entity_id not in best or arm < best[form.entity_id][0]):
            best[form.entity_id] = (arm, form)
    known = [e for e, (arm, _) in best.items() if arm is not Arm.PARTIAL]
    if not known and len(best) > 1:
        return  # a part that two entities share names nobody
    # Written just as one entity has it, the words are no inflection of another's name.
    exact = [e for e in known if best[e][0] is not Arm.VARIANT]
    named = exact or known or list(best)
    ambiguous = len(named) > 1
    for entity_id in sorted(named):
        arm, form = best[entity_id]
        yield Mention(first.start, last.end, entity_id, arm, form.name, ambiguous, False)


def _arm(form: _Form, written: str, words: tuple[str, ...]) -> Arm | None:
    """How these words name the form, None when equal stems are all that they share."""
    if form.arm is Arm.PARTIAL:
        return Arm.PARTIAL if form.words == words else None
    if _surface(written) == form.surface:
        return form.arm
    if len(form.words) == len(words) and all(map(inflects, form.words, words)):
        return Arm.VARIANT
    return None


def _at_borders(analysed: Units, start: int, end: int) -> bool:
    """Whether no katakana word is cut: katakana is written without spaces, but in whole words."""
    before = analysed.units[start - 1] if start else None
    after = analysed.units[end] if end < len(analysed.units) else None
    first, last = analysed.units[start], analysed.units[end - 1]
    return not (before and _one_katakana_word(before, first)) and not (
        after and _one_katakana_word(last, after)
    )


def _one_katakana_word(left: Unit, right: Unit) -> bool:
    return left.end == right.start and _katakana(left.folded) and _katakana(right.folded)


def _katakana(char: str) -> bool:
    return "\u30a1" <= char <= "\u30fc" and char != "\u30fb"


def _mark_nested(found: list[Mention]) -> list[Mention]:
    """Sort by position; mark what a longer mention, or an earlier one that overlaps, covers."""
    out: list[Mention] = []
    start = end = -1
    for mention in sorted(set(found), key=lambda m: (m.start, -m.end, m.entity_id, m.arm)):
        if mention.start >= end:
            start, end = mention.start, mention.end
        nested = (mention.start, mention.end) != (start, end)
        out.append(mention._replace(nested=nested))
    return out
