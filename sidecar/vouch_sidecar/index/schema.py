"""The schema of the index: its fields, their values that consist of several, and the kinds of
documents beside those of artifacts.

A *visibility label* names the gates that a viewer must pass, all of them, to see something. It has
no blank and none of `:@`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import quote

from tantivy import Document, Schema, SchemaBuilder

from vouch_sidecar.kb.access import OPEN
from vouch_sidecar.kb.records import Kind

TITLE = "title"
"""In the `place` of a document that holds only a page's title."""
QUESTION = "question"
"""In that of a document that holds only the question of an exchange."""

Fields = dict[str, Any]
"""The values of a document by field."""


def _schema() -> Schema:
    builder = SchemaBuilder()
    for name in ("key", "place", "about", "joins"):
        is_fast = name != "joins"
        builder.add_text_field(
            name, stored=True, fast=is_fast, tokenizer_name="raw", index_option="basic"
        )
    builder.add_text_field("stems", stored=True, tokenizer_name="whitespace", index_option="freq")
    for name in ("length", "worth", "at"):
        builder.add_integer_field(name, stored=True, fast=True)
    return builder.build()


SCHEMA = _schema()
"""`key`: the sort key (`DocumentKey`). `place`: kind and visibility label (`place_of`). `stems`:
the stems of the text, each with the place in front. `length`: their number. `about`: the entities
that a claim is linked to (`counted`). `joins`: the ends of a relation. `worth`, `at`: what claims
are ordered and chosen by (`claim_weights`).
"""

NOBODY = "nobody"
"""The label of what no viewer may see, such as a relation to something that is gone."""
MAX_STEM = 200
"""Characters of a stem that the index compares."""


def label_of(gates: Iterable[str]) -> str:
    """The visibility label of some gates."""
    closed = sorted(set(gates) - {OPEN})
    return "&".join(quote(gate, safe="") for gate in closed) or OPEN


@lru_cache(maxsize=1 << 8)
def labels_for(gates: frozenset[str]) -> tuple[str, ...]:
    """The visibility labels that a viewer who passes these gates may see, each once."""
    closed = sorted(gates - {OPEN})
    pairs = [(gate, other) for i, gate in enumerate(closed) for other in closed[i + 1 :]]
    return (OPEN, *(label_of([gate]) for gate in closed), *map(label_of, pairs))


def place_of(kind: str, label: str) -> str:
    """The value for the field `place`, the prefix of every stem of a text."""
    return f"{kind}@{label}"


def placed_stem(place: str, stem: str) -> str:
    """The value for the field `stems`: a stem with the place of its text."""
    return f"{place}:{stem[:MAX_STEM]}"


def counted(label: str, entity_id: str) -> str:
    """The value for the field `about`: an entity that a claim is linked to, with the visibility
    label of the claim.
    """
    return f"{label} {entity_id}"


class DocumentKey(NamedTuple):
    """An artifact's kind and id, and the number of the document among its own, which is that of the
    section of a page. Keys sort in that order, as no id has a NUL.
    """

    kind: Kind
    id: str
    section: int = 0

    def encode(self) -> str:
        """The value for the field `key`."""
        return f"{self.kind}\0{self.id}\0{self.section:03}"

    @classmethod
    def decode(cls, key: str) -> DocumentKey:
        """The key that a value of the field stands for."""
        kind, artifact_id, section = key.split("\0")
        return cls(Kind(kind), artifact_id, int(section))


def key_in(document: Document) -> DocumentKey:
    """Kind, id and section in a document's sort key."""
    return DocumentKey.decode(document["key"][0])


def stems_in(document: Document) -> list[str]:
    """The stems of a document's text, in order."""
    before = placed_stem(document["place"][0], "")
    return document["stems"][0][len(before) :].split(f" {before}") if document["length"][0] else []
