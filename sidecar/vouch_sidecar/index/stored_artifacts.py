"""What a document of the index says."""

from __future__ import annotations

from tantivy import Document

from vouch_sidecar.index.encoding import DocumentKey, placed_stem


def key_in(document: Document) -> DocumentKey:
    """Kind, id and section in a document's sort key."""
    return DocumentKey.decode(document["key"][0])


def stems_in(document: Document) -> list[str]:
    """The stems of a document's text, in order."""
    before = placed_stem(document["place"][0], "")
    return document["stems"][0][len(before) :].split(f" {before}") if document["length"][0] else []
