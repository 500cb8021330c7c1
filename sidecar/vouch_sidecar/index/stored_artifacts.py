"""What a document of the index says."""

from __future__ import annotations

from tantivy import Document

from vouch_sidecar.index.encoding import DocumentKey, labels_for, placed_stem


def key_in(document: Document) -> DocumentKey:
    """Kind, id and section in a document's sort key."""
    return DocumentKey.decode(document["key"][0])


def entities_in(claim: Document, gates: frozenset[str]) -> frozenset[str]:
    """Ids of the entities that a claim is linked to, for a viewer with these gates."""
    visible = labels_for(gates)
    about = (value.partition(" ") for value in claim.get_all("about"))
    return frozenset(entity_id for label, _, entity_id in about if label in visible)


def stems_in(document: Document) -> list[str]:
    """The stems of a document's text, in order."""
    before = placed_stem(document["place"][0], "")
    return document["stems"][0][len(before) :].split(f" {before}") if document["length"][0] else []
