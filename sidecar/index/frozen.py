"""Knowledge as plain values, and back without building anything anew: for a process that asks
once. What comes back answers as what was frozen did; it can't be changed.
"""

from __future__ import annotations

import marshal
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from sidecar.index.knowledge import DocumentRef, Knowledge, Links
from sidecar.index.names import Mention, Names
from sidecar.index.postings import Document, Postings
from sidecar.index.rows import decoded, encoded
from sidecar.index.search import Search
from sidecar.index.text import Needle, units
from sidecar.kb.access import OPEN, gate_of
from sidecar.kb.records import Entity, Kind

__all__ = ["freeze", "thaw"]

K = TypeVar("K")
V = TypeVar("V")
_INDEXES = ("_pages_listing", "_pages_about", "_relations_of")
"""The reverse indexes that questions use; the others serve changes alone."""


def freeze(knowledge: Knowledge) -> dict[str, Any]:
    """Everything that questions need, out of values that `marshal` takes."""
    keys, rows, firsts = {}, [], []
    refs: dict[int, tuple[int, int]] = {}
    for number, (key, prepared) in enumerate(knowledge._artifacts.items()):
        keys[key[0].value, key[1]] = number
        rows.append(marshal.dumps(encoded(prepared)))
        documents = knowledge._documents[key]
        firsts.append(tuple(document.ordinal for document in documents))
        refs |= {document.ordinal: (number, i) for i, document in enumerate(documents)}
    search = knowledge.search
    return {
        "keys": keys,
        "rows": rows,
        "firsts": firsts,
        "refs": refs,
        "beginnings": _beginnings(knowledge.names),
        "links": {ordinal: tuple(links) for ordinal, links in knowledge._links.items()},
        "counting": {
            entity: {gate: array("I", sorted(o)).tobytes() for gate, o in by_gate.items()}
            for entity, by_gate in knowledge._counting.items()
        },
        "postings": {
            (str(kind), gate): {stem: held.tobytes() for stem, held in lists.items()}
            for (kind, gate), lists in search.postings._lists.items()
        },
        "totals": {(str(k), gate): n for (k, gate), n in search._totals.items()},
        "lengths": {(str(k), gate): n for (k, gate), n in search._lengths.items()},
        **{
            name: {key: tuple(held) for key, held in getattr(knowledge, name).items() if held}
            for name in _INDEXES
        },
    }


def thaw(frozen: Mapping[str, Any]) -> Knowledge:
    """Knowledge that makes of `frozen` only what it is asked for."""
    rows, keys, refs = frozen["rows"], frozen["keys"], frozen["refs"]
    by_number = list(keys)
    artifacts = _Lazy(keys, lambda number: decoded(marshal.loads(rows[number])))

    def documents(number: int) -> tuple[Document, ...]:
        artifact, stems = artifacts[by_number[number]]
        gate = gate_of(artifact) or OPEN
        kind = Kind(by_number[number][0])
        ordinals = frozen["firsts"][number]
        return tuple(Document(o, kind, gate, s) for o, s in zip(ordinals, stems, strict=True))

    def ref(place: tuple[int, int]) -> DocumentRef:
        kind, artifact_id = by_number[place[0]]
        return DocumentRef((Kind(kind), artifact_id), place[1])

    knowledge = Knowledge(_FrozenSearch(frozen))
    knowledge._artifacts = artifacts
    knowledge._documents = _Lazy(keys, documents)
    knowledge._refs = _Lazy(refs, ref)
    knowledge._claims = _Lazy(refs, lambda place: artifacts[by_number[place[0]]].artifact)
    counting: Any = _Lazy(frozen["counting"], _ordinals)
    knowledge._counting = counting
    knowledge._links = _Lazy(frozen["links"], lambda links: Links(*links))
    for name in _INDEXES:
        setattr(knowledge, name, _Lazy(frozen[name], set))
    knowledge.names = _FrozenNames(
        frozen["beginnings"], lambda entity: artifacts[Kind.ENTITY.value, entity].artifact
    )
    return knowledge


class _Lazy(dict[Any, Any]):
    """A mapping whose values are made out of raw ones when they are asked for."""

    def __init__(self, raw: Mapping[Any, Any], make: Callable[[Any], Any]) -> None:
        super().__init__()
        self._raw = raw
        self._make = make

    def __missing__(self, key: Any) -> Any:
        value = self[key] = self._make(self._raw[key])
        return value

    def __contains__(self, key: object) -> bool:
        return key in self._raw

    def get(self, key: Any, default: Any = None) -> Any:
        return self[key] if key in self._raw else default

    def items(self) -> Any:
        return {(Kind(kind), name): self[kind, name] for kind, name in self._raw}.items()


class _FrozenNames(Names):
    """A matcher that learns an entity when a text holds the first word of one of its names."""

    def __init__(
        self, beginnings: Mapping[str, Sequence[str]], entity: Callable[[str], Entity]
    ) -> None:
        super().__init__()
        self._beginnings_of = beginnings
        self._entity = entity
        self._learned: set[str] = set()
        self._learn([""])

    def find(self, text: str) -> list[Mention]:
        self._read(text)
        return super().find(text)

    def exactly(self, text: str) -> list[str]:
        self._read(text)
        return super().exactly(text)

    def containing(self, text: str) -> list[str]:
        self._learn(self._beginnings_of)
        return super().containing(text)

    def _read(self, text: str) -> None:
        analysed = units(text)
        self._learn({u.stem for u in analysed.units})
        self._learn({unit.stem for unit, _ in analysed.wholes.values()})

    def _learn(self, words: Iterable[str]) -> None:
        for word in words:
            if word not in self._learned:
                self._learned.add(word)
                for entity_id in self._beginnings_of.get(word, ()):
                    if entity_id not in self._entities:
                        self.add(self._entity(entity_id))


def _beginnings(names: Names) -> dict[str, tuple[str, ...]]:
    """Which entities have a name that begins with a word; "" where there is no word to go by."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for entity_id, paths in names._paths.items():
        for path in paths or [()]:
            found[path[0] if path else ""].add(entity_id)
    return {word: tuple(sorted(ids)) for word, ids in found.items()}


class _FrozenSearch(Search):
    """Full text from the postings alone."""

    def __init__(self, frozen: Mapping[str, Any]) -> None:
        self.postings = Postings()
        for where, lists in frozen["postings"].items():
            lazy: Any = _Lazy(lists, _array)
            self.postings._lists[where] = lazy
        self.failed = False
        self._totals = Counter(frozen["totals"])
        self._lengths = Counter(frozen["lengths"])

    def candidates(
        self,
        needles: Sequence[Needle],
        kinds: Iterable[str],
        gates: frozenset[str],
        at_least: int = 1,
    ) -> set[int]:
        """All that match: there is nothing that preselects."""
        found = (self.postings.holding_some(needles, kind, gates, at_least) for kind in kinds)
        return set[int]().union(*found)


def _ordinals(by_gate: Mapping[str, bytes]) -> dict[str, set[int]]:
    return {gate: set(_array(data)) for gate, data in by_gate.items()}


def _array(data: bytes) -> array[int]:
    made = array("I")
    made.frombytes(data)
    return made
