"""The schema of the index: its fields, and the kinds of documents beside those of artifacts."""

from __future__ import annotations

from typing import Any

from tantivy import Schema, SchemaBuilder

from vouch_sidecar.index.encoding import Pointer

TITLE = "title"
"""The kind of a document that holds only a page's title."""
QUESTION = "question"
"""The kind of a document that holds only the question of an exchange."""
SENTENCE_STEMS = "said"
"""The kind of stems under which full-text search finds claims: those of the sentence that is shown
for a claim, each sentence once. Stems of kind `claim` are those of the claim's own text.
"""
UNSEARCHED_STEMS = "unsaid"
"""The kind of stems that no search looks at. For a claim: those of a sentence that says nothing by
itself, and of the surroundings of a sentence; also those of evidence and entities.
"""
RETIRED = "retired"
"""The kind of document that stands for something nobody may see: a retired claim, a page with the
text of one as title, a relation to one. It holds pointers, and the artifact's pseudonym.
"""
WITHOUT_QUOTE = "without-quote"
"""Marks an artifact that is stored without the parts nobody may see: evidence without a quote, as
no live claim cites it; a source without title and question; a page without some sentences.
"""
QUOTE_IS_CLAIM = "said"
"""Marks evidence whose quote is the text of a claim that cites it."""
CONTENT, ABOUT = (0, 0), (0, 1)
"""The ranges (`Closed`) that stand for a source's content, and for what a file says of a source
(title and question), of a place in one (quote and locator) or of an entity (its description).
"""
SILENCED, UNTITLED = Pointer("silenced", "text"), Pointer("silenced", "title")

Fields = dict[str, Any]
"""The values of a document by field."""


def _schema() -> Schema:
    builder = SchemaBuilder()
    for name, fast in (("key", True), ("place", True), ("about", True), ("unit", True)):
        _raw(builder, name, fast)
    for name in ("linked", "refers"):
        _raw(builder, name, fast=False)
    builder.add_text_field("stems", stored=True, tokenizer_name="whitespace", index_option="freq")
    for name in ("length", "unit_length", "evidence", "cited", "worth", "mark"):
        builder.add_unsigned_field(name, stored=True, fast=True)
    builder.add_integer_field("at", stored=True, fast=True)
    builder.add_float_field("fresh", stored=True, fast=True)
    builder.add_bytes_field("artifact", stored=True)
    builder.add_bytes_field("forms", stored=True)
    builder.add_bytes_field("quoted", stored=True)
    builder.add_bytes_field("closed", stored=True)
    return builder.build()


def _raw(builder: SchemaBuilder, name: str, fast: bool) -> None:
    builder.add_text_field(name, stored=True, fast=fast, tokenizer_name="raw", index_option="basic")


SCHEMA = _schema()
"""`key`: the sort key (`DocumentKey`). `place`: kind and visibility label (`StemPlace`). `stems`:
the stems of the text, each with the place in front; a claim has a second value, its
`SENTENCE_STEMS`. `length`: the number of stems. `unit`: the label of a claim's sentence,
`unit_length` the number of stems with that label. `quoted`: the place of a claim's receipt
(`Quoted`). `closed`: the ranges of a page's body, or the parts of a source, that need more gates
than the artifact itself (`Closed`). `about`: the entities that a claim is linked to
(`CountedEntity`). `linked`: what linked them. `refers`: references to other artifacts (`Pointer`).
`evidence`: hashes of the ids of evidence that a claim cites; distinct numbers are counted five
times as fast as strings. `cited`, `fresh`,
`at` (microseconds): what rankings of claims add up and compare. `worth`: see `worth()`. `mark`: a
hash of the artifact. `artifact`: the artifact as JSON, in its first document only. `forms`: the
forms of an entity's names, stored to start faster.
"""
