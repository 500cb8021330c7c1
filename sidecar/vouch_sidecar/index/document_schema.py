"""The schema of the index: its fields, and the kinds of documents beside those of artifacts."""

from __future__ import annotations

from typing import Any

from tantivy import Schema, SchemaBuilder

from vouch_sidecar.index.claim_weights import COLUMNS

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
    for name in ("linked", "joins"):
        _raw(builder, name, fast=False)
    builder.add_text_field("stems", stored=True, tokenizer_name="whitespace", index_option="freq")
    for name in ("length", "evidence", "mark"):
        builder.add_unsigned_field(name, stored=True, fast=True)
    for column in COLUMNS:
        add = {int: builder.add_integer_field, float: builder.add_float_field}[column.unit]
        add(column.name, stored=True, fast=True)
    return builder.build()


def _raw(builder: SchemaBuilder, name: str, fast: bool) -> None:
    builder.add_text_field(name, stored=True, fast=fast, tokenizer_name="raw", index_option="basic")


SCHEMA = _schema()
"""`key`: the sort key (`DocumentKey`). `place`: kind and visibility label (`place_of`). `stems`:
the stems of the text, each with the place in front. `length`: their number. `about`: the entities
that a claim is linked to (`counted`). `linked`: what linked them. `joins`: the ends of a
relation. `evidence`: hashes of the ids of evidence that a claim cites; distinct numbers are counted
five times as fast as strings. `mark`: a hash of a claim. The others: what rankings of claims add up
and compare (`claim_weights.COLUMNS`).
"""
