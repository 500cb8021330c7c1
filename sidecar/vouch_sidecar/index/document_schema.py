"""The schema of the index: its fields, and the kinds of documents beside those of artifacts."""

from __future__ import annotations

from typing import Any

from tantivy import Schema, SchemaBuilder

TITLE = "title"
"""The kind of a document that holds only a page's title."""
QUESTION = "question"
"""The kind of a document that holds only the question of an exchange."""

Fields = dict[str, Any]
"""The values of a document by field."""


def _schema() -> Schema:
    builder = SchemaBuilder()
    for name in ("key", "place", "about"):
        _raw(builder, name, fast=True)
    _raw(builder, "joins", fast=False)
    builder.add_text_field("stems", stored=True, tokenizer_name="whitespace", index_option="freq")
    for name in ("length", "worth", "at"):
        builder.add_integer_field(name, stored=True, fast=True)
    return builder.build()


def _raw(builder: SchemaBuilder, name: str, fast: bool) -> None:
    builder.add_text_field(name, stored=True, fast=fast, tokenizer_name="raw", index_option="basic")


SCHEMA = _schema()
"""`key`: the sort key (`DocumentKey`). `place`: kind and visibility label (`place_of`). `stems`:
the stems of the text, each with the place in front. `length`: their number. `about`: the entities
that a claim is linked to (`counted`). `joins`: the ends of a relation. `worth`, `at`: what claims
are ordered and chosen by (`claim_weights`).
"""
