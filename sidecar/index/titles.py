"""The titles of pages in tantivy: those that share most with a text, out of any number.

Titles are the stems that `text` made, so that one analysis rules everywhere. A change counts at
once: added titles wait in one table and removed ones in another until `fold` has brought them in,
off the event loop; every query corrects tantivy's answer by these two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import tantivy
from tantivy import Occur, Query

from sidecar.index.content import Needle, content_stems

__all__ = ["Fold", "Pending", "Title", "Titles"]

_HEAP = 32_000_000
_MOST = 200
"""Titles that tantivy finds at most, the best ones: more than a text can name."""


class Title(NamedTuple):
    """A page's title: who may see it, and the ordinal of the page's first document."""

    ordinal: int
    gate: str
    text: str


class Pending(NamedTuple):
    """What waits to be folded into tantivy, by ordinal."""

    added: Mapping[int, Title]
    removed: Mapping[int, Title]


class Fold(NamedTuple):
    """What was folded, where, and what answers from it."""

    pending: Pending
    made_in: tantivy.Index
    searcher: tantivy.Searcher


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("ordinal", indexed=True, fast=True)
    builder.add_text_field("gate", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("title", tokenizer_name="whitespace", index_option="freq")
    return builder.build()


class Titles:
    """An index in memory. Queries and changes belong to one thread, `fold` to another."""

    def __init__(self, titles: Iterable[Title] = ()) -> None:
        self.known = {title.ordinal: title for title in titles}
        """All titles by ordinal; what `frozen` keeps and brings back."""
        self._gates = {title.gate for title in self.known.values()}
        self._schema = _schema()
        self._index: tantivy.Index | None = None
        self._writer: tantivy.IndexWriter | None = None
        self._searcher: tantivy.Searcher | None = None
        self._added = dict(self.known)
        self._removed: dict[int, Title] = {}
        self.failed = False
        """Whether tantivy raised something, and is not yet built anew."""

    def add(self, title: Title) -> None:
        """Make a title findable; one that was just removed comes back as it was."""
        self.known[title.ordinal] = title
        self._gates.add(title.gate)
        if self._removed.pop(title.ordinal, None) is None:
            self._added[title.ordinal] = title

    def remove(self, ordinal: int) -> None:
        """Make a title unfindable."""
        title = self.known.pop(ordinal)
        if self._added.pop(ordinal, None) is None:
            self._removed[ordinal] = title

    def pending(self) -> Pending | None:
        """What waits for folding, if anything does."""
        if not self._added and not self._removed:
            return None
        return Pending(dict(self._added), dict(self._removed))

    def fold(self, pending: Pending) -> Fold:
        """Bring it into tantivy (blocking, 5 to 30 ms and up). Pass the result to `adopt`."""
        index, writer = self._opened()
        for ordinal in pending.removed:
            # By query: `delete_documents_by_term` takes any number as signed and deletes nothing
            # from an unsigned field (tantivy 0.27).
            writer.delete_documents_by_query(Query.term_query(self._schema, "ordinal", ordinal))
        for title in pending.added.values():
            document = tantivy.Document()
            document.add_unsigned("ordinal", title.ordinal)
            document.add_text("gate", title.gate)
            document.add_text("title", " ".join(content_stems(title.text)))
            writer.add_document(document)
        writer.commit()
        index.reload()
        return Fold(pending, index, index.searcher())

    def _opened(self) -> tuple[tantivy.Index, tantivy.IndexWriter]:
        """The index, made when it is first written to."""
        if self._index is None or self._writer is None:
            self._index = tantivy.Index(self._schema)
            self._writer = self._index.writer(_HEAP, 1)
        return self._index, self._writer

    def adopt(self, folded: Fold) -> None:
        """Answer from what `fold` made, together with what changed since."""
        if folded.made_in is not self._index:
            return  # it failed meanwhile
        self._searcher = folded.searcher
        self.failed = False
        for ordinal, title in folded.pending.added.items():
            if self._added.pop(ordinal, None) is None:
                self._removed[ordinal] = title
        for ordinal in folded.pending.removed:
            self._removed.pop(ordinal, None)

    def fail(self) -> None:
        """Let go of an index that raised something; everything waits to be folded again."""
        self.failed = True
        self._index = self._writer = self._searcher = None
        self._added, self._removed = dict(self.known), {}

    def holding(
        self, needles: Sequence[Needle], gates: frozenset[str], at_least: int
    ) -> set[int] | None:
        """Ordinals of the titles that hold so many of the needles: tantivy's best, and all that is
        new; None as long as there is no index.
        """
        if self._searcher is None:
            return None
        new = {title.ordinal for title in self._added.values() if title.gate in gates}
        if not needles:
            return new
        try:
            found = _best(self._searcher, self._query(needles, gates, at_least))
        except (ValueError, RuntimeError, OSError):
            self.fail()
            return None
        return (found | new).difference(self._removed)

    def _query(self, needles: Sequence[Needle], gates: frozenset[str], at_least: int) -> Query:
        """Titles with so many of the needles, gates observed."""
        words = Query.boolean_query([(Occur.Should, self._needle(n)) for n in needles], at_least)
        shut = sorted(self._gates - gates)
        hidden = [(Occur.MustNot, self._term("gate", gate)) for gate in shut]
        return Query.boolean_query([(Occur.Must, words), *hidden]) if hidden else words

    def _needle(self, needle: Needle) -> Query:
        options = [
            Query.boolean_query([(Occur.Must, self._term("title", stem)) for stem in option])
            if len(option) > 1
            else self._term("title", option[0])
            for option in needle.alternatives
        ]
        if len(options) == 1:
            return options[0]
        return Query.boolean_query([(Occur.Should, option) for option in options])

    def _term(self, field: str, value: str) -> Query:
        return Query.term_query(self._schema, field, value, index_option="freq")


def _best(searcher: tantivy.Searcher, query: Query) -> set[int]:
    hits = searcher.search(query, limit=_MOST, count=False).hits
    ordinals = searcher.fast_field_values("ordinal", [address for _, address in hits])
    return {int(ordinal) for ordinal in ordinals if ordinal is not None}
