"""Makes tantivy documents out of artifacts, one for each text that can be found. Every field is
stored, so that documents can be copied from one index to another.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tantivy import Document

from vouch_sidecar.index.claim_weights import confirmed_at, in_microseconds, worth
from vouch_sidecar.index.links import LinkState
from vouch_sidecar.index.schema import (
    MAX_STEM,
    NOBODY,
    QUESTION,
    SCHEMA,
    TITLE,
    DocumentKey,
    Fields,
    counted,
    place_of,
    placed_stem,
)
from vouch_sidecar.kb.records import (
    KIND_OF,
    Artifact,
    Claim,
    Entity,
    Page,
    Relation,
    Source,
)
from vouch_sidecar.text.content_words import content_stems
from vouch_sidecar.text.sentences import HEADING

MAX_PAGE_SECTIONS = 256


def texts(artifact: Artifact) -> list[str]:
    """The texts of an artifact that are indexed: the sections of a page, at most one text of any
    other artifact.
    """
    match artifact:
        case Claim():
            return [" ".join((artifact.text, *artifact.topical_tags))]
        case Entity():
            return [" ".join((artifact.name, *artifact.aliases, artifact.description or ""))]
        case Page():
            first, *rest = sections(artifact)
            return ["\n".join((artifact.title, " ".join(artifact.tags), first)), *rest]
        case Relation():
            return [f"{artifact.source} {artifact.relation} {artifact.target}"]
        case Source():
            return [f"{artifact.title or ''} {artifact.locator}"]
        case _:
            return []


def sections(page: Page) -> list[str]:
    """The body of a page, cut before each heading; never empty."""
    borders = [m.start() for m in HEADING.finditer(page.body)][: MAX_PAGE_SECTIONS - 1]
    cuts = [0, *(b for b in borders if b > 0), len(page.body)]
    return [page.body[a:b] for a, b in pairwise(cuts)] or [""]


def documents_of(artifact: Artifact, state: LinkState) -> tuple[Document, ...]:
    """The documents of an artifact, numbered: one for each section of a page and then its title,
    one more for the question of an exchange, one for any other artifact; none for one that nobody
    may see.
    """
    if state.label == NOBODY:
        return ()
    return tuple(Document.from_dict(fields, SCHEMA) for fields in _fields_of(artifact, state))


def _fields_of(artifact: Artifact, state: LinkState) -> Iterator[Fields]:
    kind, label = KIND_OF[type(artifact)], state.label
    first, *rest = [(str(kind), text) for text in texts(artifact) or [""]]
    if isinstance(artifact, Page):
        rest.append((TITLE, artifact.title))
    elif isinstance(artifact, Source) and artifact.question:
        rest.append((QUESTION, artifact.question))
    fields = _text_fields(DocumentKey(kind, artifact.id), label, *first)
    match artifact:
        case Claim():
            fields |= {
                "about": [counted(label, entity_id) for entity_id in state.entity_ids],
                "worth": worth(artifact),
                "at": in_microseconds(confirmed_at(artifact)),
            }
        case Relation():
            fields["joins"] = list(dict.fromkeys((artifact.source, artifact.target)))
        case _:
            pass
    yield fields
    for number, each in enumerate(rest, 1):
        yield _text_fields(DocumentKey(kind, artifact.id, number), label, *each)


def _text_fields(key: DocumentKey, label: str, kind: str, text: str) -> Fields:
    stems, where = content_stems(text), place_of(kind, label)
    before = placed_stem(where, "")
    placed = f" {before}".join(stem[:MAX_STEM] for stem in stems)
    return {
        "key": key.encode(),
        "place": where,
        "stems": before + placed if stems else "",
        "length": len(stems),
    }
