"""Every entity name and alias in one trie, walked over a text at word borders.

Offsets are those of the original text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate, compress
from operator import itemgetter
from typing import NamedTuple

from sidecar.index.forms import Arm, forms, gap_key, is_gap, paths_without_gaps, surface, surfaces
from sidecar.index.lazy import Lazy
from sidecar.index.mentions import Mention, mark_nested, named_by
from sidecar.index.text import Units, units
from sidecar.index.trie import Node, readings, walk
from sidecar.index.words import STOPWORDS
from sidecar.kb.records import Entity

__all__ = ["Names"]

_MAX_PIECE = 64
_MAX_PIECES = 1 << 15


class _Piece(NamedTuple):
    """What stands between two spaces: what it names by itself, with offsets in it; the keys by
    which names that begin in it may go on after it, and whether punctuation is one of them; how
    many units it has, and the stems with which it may begin: of its first part, of its first word.
    Few are `busy`: name something, or may together with what follows.
    """

    busy: bool
    mentions: Sequence[Mention]
    onward: AbstractSet[str]
    parted: bool
    size: int
    part: str
    word: str


_NO_PIECE = _Piece(False, (), frozenset(), False, 0, gap_key(""), gap_key(""))
_is_busy = itemgetter(0)


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
        self._pieces = _Pieces(self._piece)

    def add(self, entity: Entity) -> None:
        """Learn an entity's names; one with the same id is replaced."""
        self.remove(entity.id)
        self._pieces.clear()
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
        self._pieces.clear()
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
        lengths = list(accumulate(map(len, pieces), initial=0))
        known = [self._pieces[piece] for piece in pieces]
        found: list[Mention] = []
        busy = compress(range(len(known)), map(_is_busy, known))
        known.append(_NO_PIECE)
        for i in busy:
            _, mentions, onward, parted, size, _, _ = known[i]
            after = known[i + 1]
            if onward and (
                parted or not after.part or after.part in onward or after.word in onward
            ):
                mentions = self._across(text, lengths, i, size)
            if mentions:
                at = lengths[i] + i
                found += [Mention(m[0] + at, m[1] + at, *m[2:]) for m in mentions]
        if len(self._pieces) > _MAX_PIECES:
            self._pieces.clear()
        return mark_nested(found)

    def _piece(self, piece: str) -> _Piece:
        analysed = units(piece)
        count = len(analysed.units)
        mentions, onward = self._named_from(analysed, count)
        parted = any(map(is_gap, onward))
        first = [unit.stem for unit, _ in readings(analysed, 0)] if count else [""]
        busy = bool(mentions or onward)
        return _Piece(busy, mentions, onward, parted, count, first[0], first[-1])

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
        cut: list[Node] = []
        mentions = [
            mention
            for start in range(count)
            if (steps := [*walk(self.root, analysed, start, cut)])
            for mention in named_by(analysed, start, steps)
        ]
        onward = [node.children.keys() for node in cut]
        return mentions, onward[0] if len(onward) == 1 else frozenset().union(*onward)

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


def _has_run(path: tuple[str, ...], keys: tuple[str, ...]) -> bool:
    n = len(keys)
    return any(path[i : i + n] == keys for i in range(len(path) - n + 1))


def _discard(index: dict[str, set[str]], key: str, entity_id: str) -> None:
    ids = index.get(key)
    if ids is not None:
        ids.discard(entity_id)
        if not ids:
            del index[key]
