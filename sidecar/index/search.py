"""Full text over what a knowledge base holds: postings for what holds words, tantivy for titles.

Documents are stems that `text` made, so that one analysis rules everywhere. A change counts at
once: where tantivy is asked, added documents wait in `_added` and removed ones in `_removed` until
`fold` has brought them in, off the event loop; every query corrects its answer by these two.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import tantivy
from pyroaring import BitMap
from tantivy import Occur, Query

from sidecar.index.content import Needle
from sidecar.index.postings import Document, Postings

__all__ = ["BEST_PER_WEIGHT", "Document", "Fold", "Pending", "Search", "fewest", "rarity", "score"]

_HEAP = 32_000_000
_K1, _B = 1.2, 0.75
BEST_PER_WEIGHT = _K1 + 1
"""What a word adds to a score at most, for each unit of its weight."""
_TITLES = 200
"""Titles that tantivy finds at most, the best ones: more than a text can name."""


Earlier = Callable[[], Iterable[Document]]


class Pending(NamedTuple):
    """What waits to be folded into tantivy, by ordinal; `earlier` was there before all changes."""

    added: Mapping[int, Document]
    removed: Mapping[int, Document]
    earlier: Earlier


class Fold(NamedTuple):
    """What was folded, and what answers from it."""

    pending: Pending
    searcher: tantivy.Searcher


def rarity(total: int, frequency: int) -> float:
    """Weight of a word that `frequency` of `total` texts hold; one that none holds is rarest."""
    return math.log(1 + total / max(frequency, 1)) if total else 1.0


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("ordinal", indexed=True, fast=True)
    builder.add_text_field("gate", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("title", tokenizer_name="whitespace", index_option="freq")
    return builder.build()


class Search:
    """An index in memory. Queries and changes belong to one thread, `fold` to another.

    `earlier` gives, in any thread, the documents with a title that are there from the start.
    """

    def __init__(self, earlier: Earlier | None = None) -> None:
        self._schema = _schema()
        self._index: tantivy.Index | None = None
        self._writer: tantivy.IndexWriter | None = None
        self._searcher: tantivy.Searcher | None = None
        self._earlier = earlier
        self._added: dict[int, Document] = {}
        self._removed: dict[int, Document] = {}
        self.totals: Counter[tuple[str, str]] = Counter()
        """By kind and gate, how many documents; this and `lengths` are for `frozen` too."""
        self.lengths: Counter[tuple[str, str]] = Counter()
        self.postings = Postings()
        self.failed = False
        """Whether tantivy gave no answer, so that only new documents are ranked."""

    def add(self, document: Document) -> None:
        """Make a document findable; one that was just removed comes back as it was."""
        self._count(document, 1)
        self.postings.add(document)
        if not document.title:
            return
        if self._removed.pop(document.ordinal, None) is None:
            self._added[document.ordinal] = document

    def remove(self, document: Document) -> None:
        """Make a document unfindable."""
        self._count(document, -1)
        self.postings.remove(document)
        if not document.title:
            return
        if self._added.pop(document.ordinal, None) is None:
            self._removed[document.ordinal] = document

    def _count(self, document: Document, sign: int) -> None:
        where = document.kind, document.gate
        self.totals[where] += sign
        self.lengths[where] += sign * len(document.stems)

    def pending(self) -> Pending | None:
        """What waits for folding, if anything does."""
        if not self._added and not self._removed and self._earlier is None:
            return None
        return Pending(dict(self._added), dict(self._removed), self._earlier or tuple)

    def fold(self, pending: Pending) -> Fold:
        """Bring it into tantivy (blocking, 5 to 30 ms and up). Pass the result to `adopt`."""
        index, writer = self._opened()
        for document in pending.earlier():
            writer.add_document(self._tantivy_document(document))
        for ordinal in pending.removed:
            # By query: `delete_documents_by_term` takes any number as signed and deletes nothing
            # from an unsigned field (tantivy 0.27).
            writer.delete_documents_by_query(Query.term_query(self._schema, "ordinal", ordinal))
        for document in pending.added.values():
            writer.add_document(self._tantivy_document(document))
        writer.commit()
        index.reload()
        return Fold(pending, index.searcher())

    def _opened(self) -> tuple[tantivy.Index, tantivy.IndexWriter]:
        """The index, made when it is first written to."""
        if self._index is None or self._writer is None:
            self._index = tantivy.Index(self._schema)
            self._writer = self._index.writer(_HEAP, 1)
        return self._index, self._writer

    def adopt(self, folded: Fold) -> None:
        """Answer from what `fold` made, together with what changed since."""
        self._searcher = folded.searcher
        self._earlier = None
        for ordinal, document in folded.pending.added.items():
            if self._added.pop(ordinal, None) is None:
                self._removed[ordinal] = document
        for ordinal in folded.pending.removed:
            self._removed.pop(ordinal, None)

    def _tantivy_document(self, document: Document) -> tantivy.Document:
        out = tantivy.Document()
        out.add_unsigned("ordinal", document.ordinal)
        out.add_text("gate", document.gate)
        out.add_text("title", " ".join(document.title))
        return out

    def holding_all(self, needles: Sequence[Needle], kind: str, gates: frozenset[str]) -> BitMap:
        """Ordinals of the documents of a kind that hold every needle."""
        return self.postings.holding_all(needles, kind, gates)

    def holds_all(self, needles: Sequence[Needle], kind: str, gates: frozenset[str]) -> bool:
        """Whether any document of a kind holds every needle."""
        return self.postings.holds_all(needles, kind, gates)

    def frequency(self, needle: Needle, kind: str, gates: frozenset[str]) -> int:
        """How many documents of a kind hold the needle."""
        return self.postings.frequency(needle, kind, gates)

    def total(self, kind: str, gates: frozenset[str]) -> int:
        """How many documents of a kind there are."""
        return sum(self.totals.get((kind, gate), 0) for gate in gates)

    def length(self, kind: str, gates: frozenset[str]) -> int:
        """Stems of all documents of a kind."""
        return sum(self.lengths.get((kind, gate), 0) for gate in gates)

    def holding(
        self, needles: Sequence[Needle], kind: str, gates: frozenset[str], at_least: int = 1
    ) -> BitMap:
        """Ordinals of the documents of a kind that hold this many of the needles."""
        return self.postings.holding_some(needles, kind, gates, at_least)

    def titled(
        self, needles: Sequence[Needle], gates: frozenset[str], at_least: int = 1
    ) -> set[int]:
        """Ordinals of the documents whose title may hold this many of the needles: tantivy's best,
        and all that is new.

        As long as there is no such index: all pages that hold so many anywhere.
        """
        if not needles:
            return set()
        if (searcher := self._searcher) is None:
            return set(self.postings.holding_some(needles, "page", gates, at_least))
        found = self._best(searcher, self._query(needles, gates, at_least))
        found.update(d.ordinal for d in self._added.values() if d.gate in gates)
        return found.difference(self._removed)

    def _best(self, searcher: tantivy.Searcher, query: Query) -> set[int]:
        try:
            hits = searcher.search(query, limit=_TITLES, count=False).hits
            addresses = [address for _, address in hits]
            ordinals = searcher.fast_field_values("ordinal", addresses)
        except (ValueError, RuntimeError, OSError):
            self.failed = True
            return set()
        return {int(ordinal) for ordinal in ordinals if ordinal is not None}

    def _query(self, needles: Sequence[Needle], gates: frozenset[str], at_least: int) -> Query:
        """Titles with so many of the needles, gates observed."""
        words = Query.boolean_query([(Occur.Should, self._needle(n)) for n in needles], at_least)
        shut = {g for (k, g), n in self.totals.items() if k == "page" and n} - gates
        shut.update(d.gate for d in self._removed.values() if d.gate not in gates)
        if not shut:
            return words
        hidden = [(Occur.MustNot, self._term("gate", gate)) for gate in sorted(shut)]
        return Query.boolean_query([(Occur.Must, words), *hidden])

    def _needle(self, needle: Needle) -> Query:
        options = [
            Query.boolean_query([(Occur.Must, self._term("title", s)) for s in option])
            if len(option) > 1
            else self._term("title", option[0])
            for option in needle.alternatives
        ]
        if len(options) == 1:
            return options[0]
        return Query.boolean_query([(Occur.Should, option) for option in options])

    def _term(self, field: str, value: str) -> Query:
        return Query.term_query(self._schema, field, value, index_option="freq")


def fewest(weights: Iterable[float], share: float) -> int:
    """How many words a text must hold at least to hold this share of their weight."""
    heaviest = sorted(weights, reverse=True)
    wanted = share * math.fsum(heaviest) - 1e-9
    held = 0.0
    for number, weight in enumerate(heaviest, 1):
        held += weight
        if held >= wanted:
            return number
    return 1


def _times(stems: tuple[str, ...], needle: Needle) -> int:
    """How often a text holds a word."""
    if (stem := needle.only_stem) is not None:
        return stems.count(stem)
    return max(min(stems.count(s) for s in option) for option in needle.alternatives)


def score(document: Document, weights: Mapping[Needle, float], average_length: float) -> float:
    """BM25 of a document (Robertson and Zaragoza 2009, k1 1.2, b 0.75) with given word weights."""
    length = len(document.stems) / average_length if average_length else 1.0
    total = 0.0
    for needle, weight in weights.items():
        if times := _times(document.stems, needle):
            total += weight * times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * length))
    return total
