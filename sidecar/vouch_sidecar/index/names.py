"""Every entity name and alias in one trie, walked over a text at word borders.

Offsets are those of the original text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import compress, count
from typing import NamedTuple, TypeVar

from vouch_sidecar.index.forms import Arm, forms, is_gap, paths_without_gaps, surface, surfaces
from vouch_sidecar.index.lazy import Lazy
from vouch_sidecar.index.mentions import Mention, mark_nested, named_by
from vouch_sidecar.index.text import Units, units
from vouch_sidecar.index.trie import Node, readings, walk
from vouch_sidecar.index.words import STOPWORDS
from vouch_sidecar.kb.records import Entity

__all__ = ["Names"]

_MAX_PIECE = 64
_MAX_PIECES = 1 << 15
_new = tuple.__new__
T = TypeVar("T")


class _Begun(NamedTuple):
    """What begins in a piece, with offsets from its start, and the keys by which names go on after
    the text that was looked at.
    """

    mentions: Sequence[Mention]
    onward: AbstractSet[str]


class _Piece(NamedTuple):
    """A piece in which something begins: that, whether punctuation is one of the keys by which it
    goes on, and how many units the piece has.
    """

    mentions: Sequence[Mention]
    onward: AbstractSet[str]
    parted: bool
    size: int


class Names:
    """A matcher over entity names. Not safe for use by two threads at once.

    The attributes are what `frozen_names` keeps and brings back; nobody else uses them.
    """

    def __init__(self) -> None:
        self.root = Node()
        self.entities: dict[str, Entity] = {}
        self.paths: dict[str, list[tuple[str, ...]]] = {}
        self.by_surface: dict[str, set[str]] = defaultdict(set)
        self.by_key: dict[str, set[str]] = defaultdict(set)
        # What stands between two spaces is a piece. Few begin something; None of the others.
        self._pieces: _Looked[_Piece | None] = _Looked(self._piece)
        self._starts: _Looked[Sequence[str]] = _Looked(_start)
        self._begun: dict[str, _Begun] = {}

    def add(self, entity: Entity) -> None:
        """Learn an entity's names; one with the same id is replaced."""
        self.remove(entity.id)
        self._forget()
        self.entities[entity.id] = entity
        paths: list[tuple[str, ...]] = []
        for path, form in forms(entity):
            self.root.put(path, form)
            paths.append(path)
            if form.arm is not Arm.PARTIAL:
                for key in path:
                    self.by_key[key].add(entity.id)
        for text in surfaces(entity):
            self.by_surface[text].add(entity.id)
        self.paths[entity.id] = paths

    def remove(self, entity_id: str) -> None:
        """Forget an entity; unknown ids are fine."""
        entity = self.entities.pop(entity_id, None)
        if entity is None:
            return
        self._forget()
        for path in self.paths.pop(entity_id):
            self.root.prune(path, entity_id)
            for key in path:
                _discard(self.by_key, key, entity_id)
        for text in surfaces(entity):
            _discard(self.by_surface, text, entity_id)

    def ahead(self, texts: Iterable[str]) -> dict[str, Node]:
        """What `find` would have to make first to look through these texts. From any thread."""
        children = self.root.children
        if not isinstance(children, Lazy):
            return {}
        analysed = list(map(units, texts))
        words = {unit.stem for one in analysed for unit in one.units}
        words.update(whole.stem for one in analysed for whole, _ in one.wholes.values())
        return {word: node for word in words if (node := children.peek(word)) is not None}

    def hold(self, ahead: Mapping[str, Node]) -> None:
        """Keep what was made ahead, where nothing else stands by now."""
        children = self.root.children
        if isinstance(children, Lazy):
            for word, node in ahead.items():
                children.hold(word, node)

    def find(self, text: str) -> list[Mention]:
        """All mentions in a text, by position; covered ones are marked as nested.

        Goes from piece to piece between spaces: what one names by itself is remembered, and only
        where a name may go on in the next ones are they taken apart.
        """
        pieces = text.replace("\n", " ").replace("\t", " ").split(" ")
        found: list[Mention] = []
        at = passed = 0
        for i, piece, goes_on in self._beginnings(pieces):
            at += sum(map(len, pieces[passed:i])) + i - passed
            passed = i
            mentions = self._across(text, at, pieces, i, piece) if goes_on else piece.mentions
            found += [_new(Mention, (m[0] + at, m[1] + at, *m[2:])) for m in mentions]
        if len(self._pieces) + len(self._begun) > _MAX_PIECES:
            self._forget()
        return mark_nested(found)

    def _beginnings(self, pieces: Sequence[str]) -> Iterator[tuple[int, _Piece, bool]]:
        """The pieces in which something begins, and whether it may go on in the next one."""
        known = [*map(self._pieces.__getitem__, pieces)]
        starts = self._starts
        for i, piece, after in compress(zip(count(), known, (*pieces[1:], "")), known):
            assert piece is not None
            mentions, onward, parted, _ = piece
            goes_on = onward and (
                parted or not (start := starts[after]) or start[0] in onward or start[-1] in onward
            )
            if mentions or goes_on:
                yield i, piece, bool(goes_on)

    def _across(
        self, text: str, at: int, pieces: Sequence[str], first: int, piece: _Piece
    ) -> Sequence[Mention]:
        """What begins in the piece `first`, at a place in the text, and may end in later ones."""
        mentions, onward, _, size = piece
        until, end = first + 1, at + len(pieces[first])
        while onward and until < len(pieces):
            ahead = pieces[until : 2 * until - first]
            until += len(ahead)
            end += sum(map(len, ahead)) + len(ahead)
            mentions, onward = self._begin(text[at:end], size)
        return mentions

    def _begin(self, text: str, size: int) -> _Begun:
        """What begins in the first `size` units of a text, remembered if it is short."""
        if (begun := self._begun.get(text)) is None:
            begun = self._named_from(units(text), size)
            if len(text) <= _MAX_PIECE:
                self._begun[text] = begun
        return begun

    def _piece(self, piece: str) -> _Piece | None:
        analysed = units(piece)
        size = len(analysed.units)
        mentions, onward = self._named_from(analysed, size)
        if not mentions and not onward:
            return None
        return _Piece(mentions, onward, any(map(is_gap, onward)), size)

    def _forget(self) -> None:
        """Look at every piece again when it comes."""
        self._pieces.clear()
        self._starts.clear()
        self._begun.clear()

    def _named_from(self, analysed: Units, size: int) -> _Begun:
        """What begins in the first `size` units."""
        cut: list[Node] = []
        mentions = [
            mention
            for start in range(size)
            if (steps := [*walk(self.root, analysed, start, cut)])
            for mention in named_by(analysed, start, steps)
        ]
        onward = [node.children.keys() for node in cut]
        return _Begun(mentions, onward[0] if len(onward) == 1 else frozenset().union(*onward))

    def exactly(self, text: str) -> list[str]:
        """Ids of the entities that have the whole text, folded, as a name or alias; sorted."""
        return sorted(self.by_surface.get(surface(text), ()))

    def containing(self, text: str) -> list[str]:
        """Ids of the entities with a name or alias of which the text is a part; sorted.

        A part ends at word borders and is more than stopwords.
        """
        analysed = units(text)
        if all(u.folded in STOPWORDS for u in analysed.units):
            return []
        found: set[str] = set()
        for keys in paths_without_gaps(analysed):
            candidates = set.intersection(*(self.by_key.get(k, set()) for k in keys))
            found.update(c for c in candidates if any(_has_run(p, keys) for p in self.paths[c]))
        return sorted(found)


class _Looked(dict[str, T]):
    """Looks at a piece when it comes for the first time; long ones hardly come again."""

    def __init__(self, look: Callable[[str], T]) -> None:
        super().__init__()
        self._look = look

    def __missing__(self, piece: str) -> T:
        made = self._look(piece)
        if len(piece) <= _MAX_PIECE:
            self[piece] = made
        return made


def _start(piece: str) -> Sequence[str]:
    """The stems with which a piece may begin: of its first part, of its first word."""
    analysed = units(piece)
    return [unit.stem for unit, _ in readings(analysed, 0)] if analysed.units else ()


def _has_run(path: tuple[str, ...], keys: tuple[str, ...]) -> bool:
    n = len(keys)
    return any(path[i : i + n] == keys for i in range(len(path) - n + 1))


def _discard(index: dict[str, set[str]], key: str, entity_id: str) -> None:
    ids = index.get(key)
    if ids is not None:
        ids.discard(entity_id)
        if not ids:
            del index[key]
