"""Artifacts as bytes and numbers: a fraction of what they take as objects.

Rows come at the end, once; what is packed never changes. Made again is what somebody asks for.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from marshal import dumps, loads
from typing import Any, Literal, NamedTuple, TypeVar

from vouch_sidecar.index.documents import DocumentRef, Prepared, documents_for
from vouch_sidecar.index.postings import Document
from vouch_sidecar.index.rows import decoded, encoded
from vouch_sidecar.kb.large import let_go
from vouch_sidecar.kb.records import Artifact, Entity, Key, Kind, key_of

__all__ = [
    "BLOCK",
    "BY",
    "NOBODY",
    "NO_LINKS",
    "LinkedBy",
    "Links",
    "Mapped",
    "Packed",
    "Unpacked",
    "numbers_in",
]

BLOCK = 1_000
"""Rows in one block: to copy all of them at once stops all threads."""
NOBODY = 0xFFFF_FFFF
"""Whose an ordinal is that is nobody's any more."""
LinkedBy = Literal["declared", "named", "page"]
BY: tuple[LinkedBy, ...] = ("declared", "named", "page")
K = TypeVar("K")
V = TypeVar("V")
_KINDS = {kind.value: kind for kind in Kind}


class Links(NamedTuple):
    """The entities that a claim counts for, each once and sorted, and why."""

    entity_ids: tuple[str, ...]
    by: LinkedBy


NO_LINKS = Links((), "named")


class Unpacked(NamedTuple):
    """An artifact as it was packed, with its documents and, of a claim, its links."""

    prepared: Prepared
    documents: tuple[Document, ...]
    links: Links


class Mapped(Mapping[K, V]):
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
        self.numbers = numbers

    def __getitem__(self, ordinal: int) -> int:
        if 0 <= ordinal < len(self.numbers) and (number := self.numbers[ordinal]) != NOBODY:
            return number
        raise KeyError(ordinal)

    def __iter__(self) -> Iterator[int]:
        return (o for o, number in enumerate(self.numbers) if number != NOBODY)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Packed:
    """Artifacts by number, in the order in which they came; their documents, by ordinal; what the
    claims among them count for.
    """

    def __init__(self) -> None:
        self.numbers: dict[Key, int] = {}
        self.keys: list[Key] = []
        self.owners = _Owners(array("I"))
        self._rows: list[bytes | bytearray] = []
        self._last = bytearray()
        self._ends = array("I")
        self._firsts = array("I")
        self._entities: list[str] = []
        self._entity_numbers: dict[str, int] = {}
        self._link_ends = array("I")
        self._link_ids = array("I")
        self._linked_by = bytearray()

    @classmethod
    def of(cls, frozen: Mapping[str, Any]) -> Packed:
        """What `frozen` kept. Nothing more can be added."""
        made = cls()
        made.numbers = frozen["keys"]
        made.keys = list(made.numbers)
        made.owners = _Owners(numbers_in(frozen["owners"]))
        made._ends = numbers_in(frozen["ends"])
        made._rows = [frozen[f"rows {i}"] for i in range(len(made._ends) // BLOCK + 1)]
        made._firsts = numbers_in(frozen["firsts"])
        made._entities = list(frozen["linked entities"].values())
        made._link_ends = numbers_in(frozen["link ends"])
        made._link_ids = numbers_in(frozen["link ids"])
        made._linked_by = bytearray(frozen["linked by"])
        return made

    @property
    def stop(self) -> int:
        """The first ordinal that is not taken."""
        return len(self.owners.numbers)

    def add(self, prepared: Prepared, documents: Sequence[Document]) -> None:
        """Pack an artifact that is not packed; its documents have the next ordinals."""
        number = len(self.keys)
        if number % BLOCK == 0:
            self._begin_block()
        key = key_of(prepared.artifact)
        self.numbers[key] = number
        self.keys.append(key)
        self._last += dumps(encoded(prepared))
        self._ends.append(len(self._last))
        self._firsts.append(self.stop)
        self.owners.numbers.extend([number] * len(documents))

    def _begin_block(self) -> None:
        self._rows[-1:] = map(bytes, self._rows[-1:])  # as long as it is, not as it may grow
        self._last = bytearray()
        self._rows.append(self._last)

    def link(self, ordinal: int, links: Links) -> None:
        """Say what a claim counts for; claims come in the order of their ordinals."""
        between = ordinal - len(self._link_ends)
        self._link_ends.extend([len(self._link_ids)] * between)
        self._linked_by += bytes([BY.index(NO_LINKS.by)]) * between
        self._link_ids.extend(map(self._number_of, links.entity_ids))
        self._link_ends.append(len(self._link_ids))
        self._linked_by.append(BY.index(links.by))

    def _number_of(self, entity_id: str) -> int:
        number = self._entity_numbers.setdefault(entity_id, len(self._entities))
        if number == len(self._entities):
            self._entities.append(entity_id)
        return number

    def row(self, number: int) -> memoryview:
        start = self._ends[number - 1] if number % BLOCK else 0
        return memoryview(self._rows[number // BLOCK])[start : self._ends[number]]

    def unpacked(self, key: Key) -> Unpacked | None:
        """What is packed for a key. From any thread, once nothing more is added."""
        if (number := self.numbers.get(key)) is None:
            return None
        prepared, span = decoded(loads(self.row(number))), self.span(number)
        links = self.links(span.start) if span else NO_LINKS
        return Unpacked(prepared, documents_for(prepared, span), links)

    def artifact(self, key: Key) -> Artifact | None:
        number = self.numbers.get(key)
        return None if number is None else decoded(loads(self.row(number))).artifact

    def entity(self, entity_id: str) -> Entity:
        found = self.artifact((Kind.ENTITY, entity_id))
        assert isinstance(found, Entity)
        return found

    def span(self, number: int) -> range:
        """The ordinals of an artifact."""
        numbers, start = self.owners.numbers, self._firsts[number]
        stop = start
        while stop < len(numbers) and numbers[stop] == number:
            stop += 1
        return range(start, stop)

    def ref(self, ordinal: int, number: int) -> DocumentRef:
        kind, artifact_id = self.keys[number]
        return DocumentRef((_KINDS[kind], artifact_id), ordinal - self._firsts[number])

    def id_at(self, ordinal: int) -> str:
        """The id of the artifact that an ordinal belongs to."""
        return self.keys[self.owners[ordinal]][1]

    def links(self, ordinal: int) -> Links:
        if ordinal >= len(self._link_ends):
            return NO_LINKS
        start = self._link_ends[ordinal - 1] if ordinal else 0
        numbers = self._link_ids[start : self._link_ends[ordinal]]
        return Links(tuple(map(self._entities.__getitem__, numbers)), BY[self._linked_by[ordinal]])

    def let_go(self) -> None:
        """Empty it bit by bit (blocking), when nobody asks for anything in it any more."""
        let_go(self.numbers)
        let_go(self.keys)


def numbers_in(data: bytes) -> array[int]:
    """Four bytes each."""
    made = array("I")
    made.frombytes(data)
    return made
