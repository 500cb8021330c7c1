"""Reads artifacts, and what is known of them, from the documents of the index, and encodes them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import asdict, fields, replace
from sys import intern
from typing import Any

from tantivy import Document

from vouch_sidecar.index.document_schema import RETIRED
from vouch_sidecar.index.encoding import (
    CountedEntity,
    DocumentKey,
    labels_for,
    placed_stem,
)
from vouch_sidecar.index.receipts import Quoted, Sentence, names_place
from vouch_sidecar.index.withheld_texts import Closed
from vouch_sidecar.kb.records import (
    KIND_OF,
    OPEN_SCOPE,
    Artifact,
    Entity,
    Evidence,
    Page,
    Scope,
    Source,
)
from vouch_sidecar.names.name_forms import FormKind, KeyedForm, NameForm
from vouch_sidecar.text.text_forms import Form

_SHOWN = re.compile(r"[^\s#]")
"""What is left of a closed range are the signs that begin sections: their number stays."""
_RECORDS: dict[str, type[Artifact]] = {
    kind.value: record_type for record_type, kind in KIND_OF.items()
}
_NAMES = {record_type: [field.name for field in fields(record_type)] for record_type in KIND_OF}


def key_in(document: Document) -> DocumentKey:
    """Kind, id and section in a document's sort key."""
    return DocumentKey.decode(document["key"][0])


def is_retired(document: Document) -> bool:
    """Whether a document stands for an artifact that nobody may see."""
    return key_in(document)[0] == RETIRED


def entities_in(claim: Document, gates: frozenset[str]) -> frozenset[str]:
    """Ids of the entities that a claim is linked to, for a viewer with these gates."""
    visible = labels_for(gates)
    counted = map(CountedEntity.decode, claim.get_all("about"))
    return frozenset(counted.entity_id for counted in counted if counted.label in visible)


def stems_in(document: Document) -> list[str]:
    """The stems of a document's text, in order."""
    before = placed_stem(document["place"][0], "")
    return document["stems"][0][len(before) :].split(f" {before}") if document["length"][0] else []


def sentence_stems_in(claim: Document, places: Collection[str]) -> list[str]:
    """The `SENTENCE_STEMS` of a claim at some places, in order; empty if another claim holds those
    of the sentence.
    """
    values = claim.get_all("stems")
    terms = values[1].split() if len(values) > 1 else ()
    placed = (term.partition(":") for term in terms)  # decoding each is a tenth of a search
    return [stem for place, _, stem in placed if place in places]


def quoted_in(claim: Document) -> Quoted | None:
    """The place of a claim's receipt; None if it is unknown."""
    if not claim.get_all("quoted"):
        return None
    form, sentence, by_text, only_whole = json.loads(str(claim["quoted"][0], "utf-8"))
    if sentence is None:
        return Quoted(Form(form), None, by_text, only_whole)
    text, claims, holds, whole, leads, source_id, start, above, *sets = sentence
    where = (source_id, start, above)
    read = Sentence(text, tuple(claims), holds, whole, leads, *where, *map(tuple, sets))
    return Quoted(Form(form), read, by_text, only_whole)


def closed_in(document: Document) -> list[Closed]:
    """The closed ranges of a page or source."""
    if not document.get_all("closed"):
        return []
    ranges = json.loads(str(document["closed"][0], "utf-8"))
    return [Closed(a, b, None if gates is None else frozenset(gates)) for a, b, gates in ranges]


def forms_in(entity: Document) -> list[KeyedForm]:
    """The forms of an entity's names."""
    entity_id = key_in(entity)[1]
    return [
        (
            tuple(map(intern, path)),
            NameForm(entity_id, FormKind(kind), name, spelling, tuple(words)),
        )
        for path, kind, name, spelling, words in json.loads(str(entity["forms"][0], "utf-8"))
    ]


def shown_in(document: Document, gates: frozenset[str]) -> Artifact:
    """The artifact in its first document, as viewers with these gates may see it."""
    hidden = [c for c in closed_in(document) if c.gates is not None and not c.gates <= gates]
    return without(artifact_in(document), hidden)


def without(artifact: Artifact, hidden: Sequence[Closed]) -> Artifact:
    """A page without some ranges of its body; any other artifact without what its file says."""
    if not hidden:
        return artifact
    match artifact:
        case Source():
            locator = artifact.locator if names_place(artifact) else ""
            return replace(artifact, title=None, question=None, locator=locator)
        case Evidence():
            return replace(artifact, quote=None, locator="")
        case Entity():
            return replace(artifact, description=None)
        case Page():
            pass
        case _:
            return artifact
    body, parts, at = artifact.body, list[str](), 0
    for start, end, _ in sorted(hidden, key=lambda place: (place.start, place.end)):
        first, last = max(start, at), max(end, at)
        parts += [body[at:first], _SHOWN.sub(" ", body[first:last])]
        at = last
    return replace(artifact, body="".join([*parts, body[at:]]))


def artifact_in(document: Document) -> Artifact:
    """Decode an artifact from its first document."""
    kind, *values = json.loads(str(document["artifact"][0], "utf-8"))
    for at, value in enumerate(values):
        if isinstance(value, list):
            values[at] = tuple(value)
        elif isinstance(value, dict):
            values[at] = Scope(**value) if value else OPEN_SCOPE
    return _RECORDS[kind](*values)


def encoded(artifact: Artifact) -> bytes:
    """The kind of an artifact and its values in the order of the fields, as JSON."""
    record = type(artifact)
    values = [getattr(artifact, name) for name in _NAMES[record]]
    return as_json([KIND_OF[record], *map(_plain, values)])


def as_json(values: list[Any]) -> bytes:
    """A list as the fields of bytes hold it."""
    return json.dumps(values, separators=(",", ":")).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, Scope):
        return {} if value == OPEN_SCOPE else asdict(value)
    return value
