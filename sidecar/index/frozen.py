"""Knowledge as plain values, and back without building anything anew: for a process that asks
once. What comes back answers as what was frozen did; it can't be changed.
"""

from __future__ import annotations

import marshal
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from sidecar.index.knowledge import DocumentRef, Knowledge, Links
from sidecar.index.postings import Document, Postings
from sidecar.index.rows import decoded, encoded
from sidecar.index.search import Search
from sidecar.index.text import Needle
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
    for kind, artifact_id in keys:
        if kind == Kind.ENTITY.value:
            entity = artifacts[kind, artifact_id].artifact
            assert isinstance(entity, Entity)
            knowledge.names.add(entity)
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


class _FrozenSearch(Search):
    """Full text from the postings alone."""

    def __init__(self, frozen: Mapping[str, Any]) -> None:
        self.postings = Postings()
        for where, lists in frozen["postings"].items():
            lazy: Any = _Lazy(lists, _array)
            self.postings._lists[where] = lazy
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
