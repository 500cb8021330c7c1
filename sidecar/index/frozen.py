"""Knowledge as plain values, and back without building anything anew.

What comes back makes of them what it is asked for, when it is asked for it, and can be changed.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from marshal import dumps, loads
from typing import Any, TypeVar

from pyroaring import BitMap

from sidecar.index.artifacts import DocumentRef, documents_for
from sidecar.index.frozen_names import freeze_names, thaw_names
from sidecar.index.knowledge import Knowledge
from sidecar.index.lazy import Lazy, plain
from sidecar.index.links import NO_LINKS, LinkedBy, Links
from sidecar.index.order import Order
from sidecar.index.postings import Document
from sidecar.index.rows import decoded, encoded
from sidecar.index.search import Search
from sidecar.index.titles import Title, Titles
from sidecar.kb.large import make_room
from sidecar.kb.records import Artifact, Entity, Key, Kind

__all__ = ["Frozen", "artifact_in", "freeze", "frozen_parts", "thaw"]

Frozen = dict[str, Any]
"""By name: mappings of plain values, and bytes."""
K = TypeVar("K")
V = TypeVar("V")
_BLOCK = 1_000
"""Rows in one block: to copy all of them at once stops all threads."""
_NOBODY = 0xFFFF_FFFF
_BY: tuple[LinkedBy, ...] = ("declared", "named", "page")
_INDEXES = ("pages_by_claim", "pages_by_entity", "relations_by_end")
_KINDS = {kind.value: kind for kind in Kind}


def freeze(knowledge: Knowledge) -> Frozen:
    """Everything that is known, out of values that `marshal` takes."""
    return dict(frozen_parts(knowledge))


def frozen_parts(knowledge: Knowledge) -> Iterator[tuple[str, Any]]:
    """What `freeze` gives, part by part.

    In another thread than the one that changes it, this may raise anything and counts only if
    `knowledge.changes` is the same before and after.
    """
    search = knowledge.search
    yield from _frozen_rows(knowledge)
    yield from _frozen_links(knowledge).items()
    yield from freeze_names(knowledge.names).items()
    yield "titles", {ordinal: tuple(title) for ordinal, title in search.titles.known.items()}
    yield "strays", knowledge.order.strays.serialize()
    yield "last", {str(kind): last for kind, last in knowledge.order.last.items()}
    yield "counting", plain(knowledge.counted, _gates_as_bytes)
    yield "gated", dict(knowledge.gated)
    yield "declaring", plain(knowledge.declared_by, lambda ids: _claims_as_bytes(knowledge, ids))
    yield "totals", {(str(k), gate): n for (k, gate), n in search.totals.items() if n}
    yield "lengths", {(str(k), gate): n for (k, gate), n in search.lengths.items() if n}
    for name in _INDEXES:
        yield name, plain(getattr(knowledge, name), tuple)
    for (kind, gate), held in search.postings.held.items():
        yield f"postings {kind} {gate}", plain(held, BitMap.serialize)


def _frozen_rows(knowledge: Knowledge) -> Iterator[tuple[str, Any]]:
    """The artifacts, block by block of rows, and whose each ordinal is."""
    artifacts, documents = knowledge.by_key, knowledge.documents
    make_room(len(artifacts))
    yield "keys", {(str(kind), name): number for number, (kind, name) in enumerate(artifacts)}
    rows, ends = bytearray(), array("I")
    firsts, owners = array("I"), array("I")
    for number, key in enumerate(artifacts):
        row, span = _raw(artifacts, key), _raw(documents, key)
        rows += dumps(encoded(artifacts[key])) if row is None else row
        if span is None:
            held = documents[key]
            span = range(held[0].ordinal, held[-1].ordinal + 1) if held else range(0)
        ends.append(len(rows))
        firsts.append(span.start)
        owners.extend([_NOBODY] * (span.stop - len(owners)))
        for ordinal in span:
            owners[ordinal] = number
        if len(ends) % _BLOCK == 0:
            yield f"rows {number // _BLOCK}", bytes(rows)
            rows.clear()
    yield f"rows {len(ends) // _BLOCK}", bytes(rows)
    yield "ends", ends.tobytes()
    yield "firsts", firsts.tobytes()
    yield "owners", owners.tobytes()


def _raw(held: Mapping[K, Any], key: K) -> Any:
    return held.raw_of(key) if isinstance(held, Lazy) else None


def _frozen_links(knowledge: Knowledge) -> Frozen:
    """Per ordinal, the entities that a claim counts for, as numbers, and why."""
    numbers: dict[str, int] = {}
    ends, ids, by = array("I"), array("I"), bytearray()
    for ordinal in range(max(knowledge.refs, default=-1) + 1):
        links = knowledge.linked.get(ordinal, NO_LINKS)
        ids.extend(numbers.setdefault(entity, len(numbers)) for entity in links.entity_ids)
        ends.append(len(ids))
        by.append(_BY.index(links.by))
    return {
        "linked entities": dict(enumerate(numbers)),
        "link ends": ends.tobytes(),
        "link ids": ids.tobytes(),
        "linked by": bytes(by),
    }


def _gates_as_bytes(by_gate: Mapping[str, BitMap]) -> dict[str, bytes]:
    return {gate: ordinals.serialize() for gate, ordinals in by_gate.items()}


def _claims_as_bytes(knowledge: Knowledge, claim_ids: set[str]) -> bytes:
    documents = knowledge.documents
    spans = ((_raw(documents, key), key) for key in ((Kind.CLAIM, i) for i in sorted(claim_ids)))
    return array("I", [s.start if s else documents[k][0].ordinal for s, k in spans]).tobytes()


class _Mapped(Mapping[K, V]):
    """A mapping to numbers, and what each of them stands for."""

    def __init__(self, numbers: Mapping[K, int], value_of: Callable[[int], V]) -> None:
        self._numbers = numbers
        self._value_of = value_of

    def __getitem__(self, key: K) -> V:
        return self._value_of(self._numbers[key])

    def __contains__(self, key: object) -> bool:
        return key in self._numbers

    def __iter__(self) -> Iterator[K]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


class _Owners(Mapping[int, int]):
    """By ordinal, the number of the artifact that it belongs to."""

    def __init__(self, numbers: array[int]) -> None:
        self._numbers = numbers

    def __getitem__(self, ordinal: int) -> int:
        if ordinal not in self:
            raise KeyError(ordinal)
        return self._numbers[ordinal]

    def __contains__(self, ordinal: object) -> bool:
        return (
            isinstance(ordinal, int)
            and 0 <= ordinal < len(self._numbers)
            and self._numbers[ordinal] != _NOBODY
        )

    def __iter__(self) -> Iterator[int]:
        return (o for o, number in enumerate(self._numbers) if number != _NOBODY)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Base:
    """What was frozen, row by row and ordinal by ordinal. Nothing here changes or is kept."""

    def __init__(self, frozen: Frozen) -> None:
        self.numbers: dict[Key, int] = frozen["keys"]
        self.keys = list(self.numbers)
        self.owners = _Owners(_array("I", frozen["owners"]))
        self.stop = len(frozen["owners"]) // 4
        self._ends = _array("I", frozen["ends"])
        blocks = len(self._ends) // _BLOCK + 1
        self._rows = [memoryview(frozen[f"rows {i}"]) for i in range(blocks)]
        self._firsts = _array("I", frozen["firsts"])
        self._entities = frozen["linked entities"]
        self._link_ends = _array("I", frozen["link ends"])
        self._link_ids, self._linked_by = _array("I", frozen["link ids"]), frozen["linked by"]

    def row(self, number: int) -> memoryview:
        start = self._ends[number - 1] if number % _BLOCK else 0
        return self._rows[number // _BLOCK][start : self._ends[number]]

    def entity(self, entity_id: str) -> Entity:
        found = self.artifact(self.numbers[Kind.ENTITY, entity_id])
        assert isinstance(found, Entity)
        return found

    def artifact(self, number: int) -> Artifact:
        return decoded(loads(self.row(number))).artifact

    def span(self, number: int) -> range:
        """The ordinals of an artifact."""
        start = stop = self._firsts[number]
        while self.owners.get(stop) == number:
            stop += 1
        return range(start, stop)

    def documents(self, number: int) -> tuple[Document, ...]:
        return documents_for(decoded(loads(self.row(number))), self.span(number))

    def ref(self, ordinal: int, number: int) -> DocumentRef:
        kind, artifact_id = self.keys[number]
        return DocumentRef((_KINDS[kind], artifact_id), ordinal - self._firsts[number])

    def links(self, ordinal: int) -> Links:
        start = self._link_ends[ordinal - 1] if ordinal else 0
        numbers = self._link_ids[start : self._link_ends[ordinal]]
        return Links(tuple(map(self._entities.__getitem__, numbers)), _BY[self._linked_by[ordinal]])


def artifact_in(frozen: Frozen) -> Callable[[Key], Artifact | None]:
    """Gives a frozen artifact by its key, whatever is changed in what was thawed."""
    base = _Base(frozen)

    def artifact(key: Key) -> Artifact | None:
        number = base.numbers.get(key)
        return None if number is None else base.artifact(number)

    return artifact


def thaw(frozen: Frozen) -> Knowledge:
    """Knowledge as it was frozen."""
    base = _Base(frozen)
    search = Search(Titles(Title(*title) for title in frozen["titles"].values()))
    search.totals = Counter(frozen["totals"])
    search.lengths = Counter(frozen["lengths"])
    for kind, gate in frozen["totals"]:
        search.postings.held[kind, gate] = Lazy(
            frozen.get(f"postings {kind} {gate}", {}),
            lambda _, data: BitMap.deserialize(data),
            BitMap,
        )
    knowledge = Knowledge(search)
    artifacts: Any = Lazy(_Mapped(base.numbers, base.row), lambda _, row: decoded(loads(row)))
    knowledge.by_key = artifacts
    knowledge.documents = Lazy(
        _Mapped(base.numbers, base.span), lambda key, _: base.documents(base.numbers[key])
    )
    knowledge.refs = Lazy(base.owners, base.ref)
    knowledge.claims = Lazy(base.owners, lambda _, number: artifacts[base.keys[number]].artifact)
    knowledge.linked = Lazy(base.owners, lambda ordinal, _: base.links(ordinal))
    knowledge.gated = dict(frozen["gated"])
    knowledge.ordinals = count(base.stop)
    knowledge.order = Order(BitMap.deserialize(frozen["strays"]), dict(frozen["last"]))
    knowledge.gates |= {gate for _, gate in frozen["totals"]}
    knowledge.counted = Lazy(frozen["counting"], lambda _, gates: _ordinals(gates), dict)
    knowledge.declared_by = Lazy(
        frozen["declaring"],
        lambda _, data: {base.keys[base.owners[o]][1] for o in _array("I", data)},
        set,
    )
    for name in _INDEXES:
        setattr(knowledge, name, Lazy(frozen[name], lambda _, ids: set(ids), set))
    knowledge.names = thaw_names(frozen, base.entity)
    return knowledge


def _ordinals(by_gate: Mapping[str, bytes]) -> dict[str, BitMap]:
    return {gate: BitMap.deserialize(data) for gate, data in by_gate.items()}


def _array(typecode: str, data: bytes) -> array[int]:
    made: array[int] = array(typecode)
    made.frombytes(data)
    return made
