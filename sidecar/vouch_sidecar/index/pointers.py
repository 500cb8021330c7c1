"""How the index holds the ids of other artifacts: as pointers, and as pseudonyms where an id may be
made of a withheld text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from vouch_sidecar.index.document_schema import RETIRED
from vouch_sidecar.index.encoding import DocumentKey, Pointer, Pseudonyms, hash_of
from vouch_sidecar.index.receipts import is_place, is_receipt
from vouch_sidecar.kb.artifact_files import slug_of
from vouch_sidecar.kb.records import (
    Artifact,
    Claim,
    Entity,
    Evidence,
    Key,
    Kind,
    Page,
    Relation,
    Source,
)
from vouch_sidecar.kb.references import claim_marks, marks


def references(artifact: Artifact, names: Pseudonyms) -> Iterator[Pointer]:
    """The references of a `nameless` artifact."""
    match artifact:
        case Claim():
            yield Pointer("is", names.of(artifact.id))
            yield from (
                Pointer("declares", entity_id) for entity_id in dict.fromkeys(artifact.entities)
            )
            yield from (
                Pointer("supersedes", claim_id) for claim_id in dict.fromkeys(artifact.supersedes)
            )
            others = (*artifact.evidence, *artifact.contradicts)
            yield from (Pointer("cites", ref) for ref in dict.fromkeys(others))
        case Entity(page=str(page)):
            yield Pointer("cites", page)
        case Page():
            yield Pointer("is", names.of(artifact.id))
            yield from (
                Pointer("lists-claim", claim_id) for claim_id in dict.fromkeys(artifact.claims)
            )
            yield from (
                Pointer("lists-entity", entity_id) for entity_id in dict.fromkeys(artifact.entities)
            )
            marked = (
                names.of(mark.text) if mark.kinds == (Kind.CLAIM,) else mark.text
                for mark in marks(artifact.body)
            )
            others = (*artifact.sources, *marked)
            yield from (Pointer("cites", ref) for ref in dict.fromkeys(others))
            named = (ref for *_, ids in claim_marks(artifact.body) for ref in ids)
            yield from (Pointer("marks", names.of(ref)) for ref in dict.fromkeys(named))
        case Relation():
            yield from (Pointer("joins", i) for i in {artifact.source: 1, artifact.target: 1})
            yield from (Pointer("cites", ref) for ref in dict.fromkeys(artifact.evidence))
            if artifact.relation == "supersedes":
                yield Pointer("supersedes", names.of(artifact.target))
        case Evidence(source_id=source_id, quote=quote):
            yield Pointer("quotes", source_id)
            if quote is not None and is_receipt(artifact):
                yield repeats(slug_of(quote), names)
        case Source(locator=locator) if is_place(locator):
            yield located(locator)
        case _:
            pass


def repeats(claim_id: str, names: Pseudonyms) -> Pointer:
    """The pointer from a receipt to the claim that has its quote as text, if there is one: vouch
    makes the claim's id of it.
    """
    return Pointer("repeats", names.of(claim_id))


def located(locator: str) -> Pointer:
    """The pointer from a source to its path or URL."""
    return Pointer("located", _digest(locator.strip()))


def _digest(locator: str) -> str:
    return f"{hash_of(locator.encode('utf-8', 'replace'), 16):032x}"


def nameless(artifact: Artifact, names: Pseudonyms) -> Artifact:
    """An artifact as the index holds it: pseudonyms stand in place of the ids of claims that may be
    retired, and of pages.
    """
    match artifact:
        case Claim() if artifact.supersedes or artifact.superseded_by or artifact.contradicts:
            return replace(
                artifact,
                supersedes=names.all_of(artifact.supersedes),
                superseded_by=names.of(by) if (by := artifact.superseded_by) else None,
                contradicts=names.all_of(artifact.contradicts),
            )
        case Entity(page=str(page)):  # vouch makes an id of the title, which may be withheld
            return replace(artifact, page=names.of(page))
        case Page() if artifact.claims:
            return replace(artifact, claims=names.all_of(artifact.claims))
        case _:
            return artifact


def retired_key(key: Key, names: Pseudonyms) -> str:
    """The sort key of the document that stands for an artifact nobody may see."""
    kind, artifact_id = key
    called = artifact_id if kind == Kind.CLAIM else f"{kind}\0{artifact_id}"
    return DocumentKey(RETIRED, names.of(called)).encode()
