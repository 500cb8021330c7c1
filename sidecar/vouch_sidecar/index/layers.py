"""A snapshot of all documents: a base on disk, plus the documents that are new since then, minus
those that were replaced. Counts and sums are base + new − old and therefore exact; hits of the base
that are also in `old` are left out. A snapshot never changes, and any thread may use it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, cmp_to_key, wraps
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from tantivy import DocAddress, Document, Index, Query, Searcher

from vouch_sidecar.index.schema import SCHEMA

HEAP = 4_000_000_000
"""Bytes that a writer may take before it begins another segment: it takes what it needs, and an
index of several segments is not sorted.
"""
ALL_BUCKETS = 65_000
"""The number of values that one aggregation counts; tantivy refuses more than 65,536."""
_FIRST_HITS = 64


class Sum(NamedTuple):
    """How many documents there are, and the sum of one column over them."""

    number: int
    total: float


P = ParamSpec("P")
R = TypeVar("R")


class DamagedError(Exception):
    """The files of an index no longer hold what was written to them."""


def _asks(
    method: Callable[Concatenate[Layer, P], R],
) -> Callable[Concatenate[Layer, P], R]:
    """Raises `DamagedError` where tantivy fails because its files were overwritten. tantivy's
    panics are no `Exception`: they would end a thread, or leave a request without an answer.
    """

    @wraps(method)
    def asked(layer: Layer, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(layer, *args, **kwargs)
        except (KeyboardInterrupt, SystemExit, MemoryError):
            raise
        except BaseException as error:
            layer.is_damaged = True
            raise DamagedError(type(error).__name__) from None

    return asked


class Layer:
    """One tantivy index, in memory or on disk, in the state in which it was opened."""

    is_damaged = False
    """Whether a question failed, so that no more should be asked."""

    def __init__(self, index: Index) -> None:
        index.config_reader("manual")
        index.reload()
        self._index = index
        self._searcher: Searcher = index.searcher()
        if self._searcher.num_segments > 1:
            raise ValueError("an index of several segments is not sorted")
        self.size = self._searcher.num_docs

    @_asks
    def count(self, query: Query) -> int:
        result = self._searcher.search(query, 1, count=True)
        return int(result.count)  # type: ignore[attr-defined]  # is missing in its stubs

    @_asks
    def search(self, query: Query, limit: int, by: str | None = None) -> list[tuple[float, int]]:
        """Pairs of value and document number, greatest value first, ties by key. The value is the
        score, or that of the column `by`.
        """
        result = self._searcher.search(query, limit, count=False, order_by_field=by)
        return [(value, address.doc) for value, address in result.hits]

    @_asks
    def numbers(self, documents: Sequence[int], field: str) -> list[int]:
        """The values of a column for some documents."""
        addresses = [DocAddress(0, number) for number in documents]
        return [int(value or 0) for value in self._searcher.fast_field_values(field, addresses)]

    @_asks
    def document(self, number: int) -> Document:
        return self._searcher.doc(DocAddress(0, number))

    @_asks
    def frequency(self, field: str, value: str) -> int:
        """The number of documents with a value."""
        return self._searcher.doc_freq(field, value)

    @_asks
    def sums(self, query: Query, field: str, number: str | None = None) -> dict[str, Sum]:
        """For each value of a field, the number of documents with it and the sum of a column."""
        if not self.size:
            return {}
        asked: dict[str, Any] = {
            "terms": {"field": field, "size": ALL_BUCKETS, "segment_size": ALL_BUCKETS}
        }
        if number is not None:
            asked["aggs"] = {"total": {"sum": {"field": number}}}
        buckets = self._searcher.aggregate(query, {"by": asked})["by"]["buckets"]
        return {
            bucket["key"]: Sum(bucket["doc_count"], bucket["total"]["value"] if number else 0.0)
            for bucket in buckets
        }


def layer_of(documents: Iterable[Document], folder: Path | None = None) -> Layer:
    """A layer with these documents, sorted by key, in memory or in an empty folder. Raises OSError
    or ValueError if there is no room.
    """
    path = None if folder is None else str(folder)
    index = Index(SCHEMA, path=path, reuse=False, sort_by_field="key")
    # A reader that reloads at every commit holds a lock, for which ours would wait 0.1 s.
    index.config_reader("manual")
    writer = index.writer(heap_size=HEAP, num_threads=1)
    for document in documents:
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    return Layer(index)


def in_memory(documents: Iterable[Document]) -> Layer:
    """A layer in memory with a few documents."""
    given = list(documents)
    return layer_of(given) if given else EMPTY


EMPTY = Layer(Index(SCHEMA))


class Hit(NamedTuple):
    """A document that a search found: its value, and where it is."""

    value: float
    layer: Layer
    number: int


@dataclass(frozen=True)
class Snapshot:
    """All documents. `dead` are the numbers of the documents in the base that `old` holds too."""

    base: Layer = EMPTY
    new: Layer = EMPTY
    old: Layer = EMPTY
    dead: frozenset[int] = frozenset()

    @property
    def changes(self) -> int:
        """How many documents are new, or were replaced."""
        return max(self.new.size, self.old.size)

    @cached_property
    def lengths(self) -> Mapping[str, Sum]:
        """By place: the number of documents, and that of their stems."""
        return self.sums(Query.all_query(), "place", "length")

    def count(self, query: Query) -> int:
        """How many documents match."""
        return self.base.count(query) + self.new.count(query) - self.old.count(query)

    def frequency(self, field: str, value: str) -> int:
        """The number of documents with a value."""
        return (
            self.base.frequency(field, value)
            + self.new.frequency(field, value)
            - self.old.frequency(field, value)
        )

    def sums(self, query: Query, field: str, number: str | None = None) -> dict[str, Sum]:
        """For each value of a field, the number of matching documents with it and the sum of a
        column.
        """
        sums = self.base.sums(query, field, number)
        for layer, sign in ((self.new, 1), (self.old, -1)):
            for value, more in layer.sums(query, field, number).items():
                have = sums.get(value, Sum(0, 0.0))
                sums[value] = Sum(have.number + sign * more.number, have.total + sign * more.total)
        return {value: total for value, total in sums.items() if total.number}

    def search(self, query: Query, limit: int, by: str | None = None) -> list[Hit]:
        """The best hits, greatest value first, ties by key."""
        hidden = self.old.count(query) if self.dead else 0
        base = self.base.search(query, limit + hidden, by)
        kept = [Hit(value, self.base, n) for value, n in base if n not in self.dead]
        new = _hits(self.new, query, limit, by)
        return sorted([*kept, *new], key=cmp_to_key(_order))[:limit] if new else kept[:limit]

    def best_of_each(self, query: Query, limit: int) -> list[Hit]:
        """The best hits of the base, and those of the new layer. They are separate because scores
        depend on how rare words are in a layer, so scores of different layers cannot be compared.
        """
        return [*replace(self, new=EMPTY).search(query, limit), *_hits(self.new, query, limit)]

    def hits(self, query: Query, by: str | None = None) -> Iterator[Hit]:
        """All hits, as `search` orders them, looked for as they are taken."""
        seen, limit = 0, _FIRST_HITS
        while len(hits := self.search(query, limit, by)) == limit:
            yield from hits[seen:]
            seen, limit = limit, limit * 4
        yield from hits[seen:]

    def numbers(self, hits: Sequence[Hit], field: str) -> list[int]:
        """The values of a column for some hits."""
        by_hit: dict[tuple[int, int], int] = {}
        for layer in (self.base, self.new):
            here = [hit.number for hit in hits if hit.layer is layer]
            values = layer.numbers(here, field)
            by_hit |= {(id(layer), n): value for n, value in zip(here, values, strict=True)}
        return [by_hit[id(hit.layer), hit.number] for hit in hits]

    def document(self, hit: Hit) -> Document:
        """The document of a hit."""
        return hit.layer.document(hit.number)


def _hits(layer: Layer, query: Query, limit: int, by: str | None = None) -> list[Hit]:
    return [Hit(value, layer, number) for value, number in layer.search(query, limit, by)]


def _order(one: Hit, other: Hit) -> int:
    """Greatest value first, ties by key. Keys are read only where values are equal."""
    if one.value != other.value:
        return -1 if one.value > other.value else 1
    key, other_key = (hit.layer.document(hit.number)["key"][0] for hit in (one, other))
    return -1 if key < other_key else 1
