"""Makes tantivy documents out of artifacts, one for each text that can be found. Every field is
stored, so that documents can be copied from one index to another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from tantivy import Document

from vouch_sidecar.index.claim_weights import (
    CITED_UNIT,
    confirmed_at,
    freshness,
    in_microseconds,
    worth,
)
from vouch_sidecar.index.document_schema import (
    CONTENT,
    QUESTION,
    QUOTE_IS_CLAIM,
    RETIRED,
    SCHEMA,
    SENTENCE_STEMS,
    SILENCED,
    TITLE,
    UNSEARCHED_STEMS,
    UNTITLED,
    WITHOUT_QUOTE,
    Fields,
)
from vouch_sidecar.index.encoding import (
    NOBODY,
    DocumentKey,
    Pointer,
    Pseudonyms,
    StemPlace,
    gates_of,
    hash_of,
    label_of,
    placed_stem,
)
from vouch_sidecar.index.pointers import references, retired_key
from vouch_sidecar.index.receipts import Quoted, Sentence
from vouch_sidecar.index.stored_artifacts import as_json, encoded, without
from vouch_sidecar.index.withheld_texts import Closed, parted_stems, secrecy
from vouch_sidecar.kb.records import (
    KIND_OF,
    Artifact,
    Claim,
    Entity,
    Evidence,
    Kind,
    Page,
    Relation,
    Source,
)
from vouch_sidecar.names.name_forms import forms
from vouch_sidecar.text.content_words import content_stems
from vouch_sidecar.text.text_forms import Form

MAX_PAGE_SECTIONS = 256
_HEADING = re.compile(r"^#{1,6} .*$", re.MULTILINE)


# Texts


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
    return [page.body[a:b] for a, b in pairwise(_cuts(page))] or [""]


def _cuts(page: Page) -> list[int]:
    borders = [m.start() for m in _HEADING.finditer(page.body)][: MAX_PAGE_SECTIONS - 1]
    return [0, *(b for b in borders if b > 0), len(page.body)]


# Documents


def fields_of(
    artifact: Artifact,
    names: Pseudonyms,
    label: str,
    counts_for: Sequence[str] = (),
    linked: str = "",
    quoted: Quoted | None = None,
    closed: Sequence[Closed] = (),
) -> list[Fields]:
    """The fields of an artifact's documents, at least one; a page has one document for each section
    and one for its title, an exchange one more for its question. The artifact is `nameless`.

    `label` is the visibility label; `counts_for`, `linked`, `quoted` and `closed` are those of a
    `links.LinkState`. What is closed is found by those who may see it.
    """
    if isinstance(artifact, Relation) and label == NOBODY:
        return [hidden_fields(artifact, names)]
    refers = [reference.encode() for reference in references(artifact, names)]
    if (quoted is not None and quoted.by_text) or any((a, b) != CONTENT for a, b, _ in closed):
        refers.append(SILENCED.encode())
    artifact = _shown_part(artifact, linked, closed)
    parted = {stem for text in _read_for_texts(artifact, quoted) for stem in parted_stems(text)}
    refers += (Pointer("parts", stem).encode() for stem in sorted(parted))
    kind = KIND_OF[type(artifact)]
    data = encoded(artifact)
    labels = _labels(artifact, label, closed)
    first = _text_fields(kind, artifact.id, 0, labels[0], next(iter(texts(artifact)), ""))
    if isinstance(artifact, Entity):
        first |= _entity_fields(artifact, label, closed)
    if isinstance(artifact, Evidence) and linked != QUOTE_IS_CLAIM:
        first["stems"] = _unsearched(f"{artifact.locator} {artifact.quote or ''}", label)
    first |= {
        "artifact": data,
        "refers": refers,
        "mark": hash_of(data, 4),
    }
    if linked:
        first["linked"] = linked
    if closed:
        plain = ((a, b, None if gates is None else sorted(gates)) for a, b, gates in closed)
        first["closed"] = as_json(list(plain))
    if isinstance(artifact, Claim):
        first |= _claim_fields(artifact, counts_for)
        first |= _said_fields(artifact, label, quoted, first)
    if isinstance(artifact, Source) and artifact.question:
        return [first, _text_fields(QUESTION, artifact.id, 0, labels[0], artifact.question)]
    if not isinstance(artifact, Page):
        return [first]
    rest = enumerate(texts(artifact)[1:], 1)
    return [
        first,
        *(_text_fields(kind, artifact.id, number, labels[number], text) for number, text in rest),
        _text_fields(TITLE, artifact.id, 0, label, artifact.title),
    ]


def _shown_part(artifact: Artifact, linked: str, closed: Sequence[Closed]) -> Artifact:
    """An artifact without the parts that nobody may see."""
    kept = without(artifact, [span for span in closed if span.gates is None])
    if linked == WITHOUT_QUOTE and isinstance(kept, Evidence):
        return replace(kept, quote=None)
    return kept


def _read_for_texts(artifact: Artifact, quoted: Quoted | None) -> Iterator[str]:
    """The texts of an artifact's documents in which those of withheld claims are looked for."""
    match artifact:
        case Claim():
            sentence = None if quoted is None else quoted.sentence
            yield "" if sentence is None else sentence.text
        case Page():
            yield from (artifact.title, artifact.body)
        case Source():
            yield from (artifact.title or "", artifact.question or "", artifact.locator)
        case Evidence():
            yield from (artifact.quote or "", artifact.locator)
        case Entity():
            yield artifact.description or ""
        case _:
            pass


def _unsearched(text: str, label: str) -> str:
    """Stems of a text that no search may look at, kept to find places that hold the text of a
    withheld claim.
    """
    return _terms(StemPlace(UNSEARCHED_STEMS, label).encode(), content_stems(text))


def _entity_fields(entity: Entity, label: str, closed: Sequence[Closed]) -> Fields:
    """The forms of an entity's names. A description that is closed to some finds it for nobody."""
    with_forms = {"forms": as_json([(path, *form[1:]) for path, form in forms(entity)])}
    if not closed:
        return with_forms
    (shown,) = texts(without(entity, closed))
    fields = with_forms | _text_fields(Kind.ENTITY, entity.id, 0, label, shown)
    return fields | {"stems": [fields["stems"], _unsearched(entity.description or "", label)]}


def _labels(artifact: Artifact, label: str, closed: Sequence[Closed]) -> list[str]:
    """The visibility label of each section of a page, or of another artifact's only text."""
    own, bound = gates_of(label), [span for span in closed if span.gates]
    if not bound or label == NOBODY:
        return [label] * (len(sections(artifact)) if isinstance(artifact, Page) else 1)
    if isinstance(artifact, Evidence | Entity):  # what is closed of them is not found
        return [label]
    if not isinstance(artifact, Page):
        return [label_of(own.union(*(span.gates or () for span in bound)))]
    parts = pairwise(_cuts(artifact)) if artifact.body else [(0, 0)]
    touching = ([c.gates or () for c in bound if c.start < b and c.end > a] for a, b in parts)
    return [label_of(own.union(*gates)) for gates in touching]


def document(of: Fields) -> Document:
    """A tantivy document with these fields."""
    return Document.from_dict(of, SCHEMA)


def _text_fields(kind: str, artifact_id: str, section: int, label: str, text: str) -> Fields:
    stems, where = content_stems(text), StemPlace(kind, label).encode()
    return {
        "key": DocumentKey(kind, artifact_id, section).encode(),
        "place": where,
        "stems": _terms(where, stems),
        "length": len(stems),
    }


def _terms(where: str, stems: Iterable[str]) -> str:
    return " ".join(placed_stem(where, stem) for stem in stems)


def _said_fields(claim: Claim, label: str, quoted: Quoted | None, own: Fields) -> Fields:
    """The fields by which a claim is found by the sentence around its receipt. Of several claims in
    a sentence, the leading one holds the sentence's stems. Stems that are not the claim's own have
    the label of the sentence.
    """
    fields: Fields = {}
    if quoted is not None:
        fields["quoted"] = as_json([*quoted])
        if quoted.sentence is not None:
            fields["refers"] = [
                *own["refers"],
                Pointer("stands-in", quoted.sentence.source_id).encode(),
            ]
    sentence = None if quoted is None else quoted.sentence
    says = quoted is None or quoted.form is Form.STATEMENT
    if unsaid := _unsaid(sentence, says):
        fields["stems"] = [
            own["stems"],
            _terms(StemPlace(UNSEARCHED_STEMS, label).encode(), unsaid),
        ]
    if not says:
        return fields
    whole = None if sentence is None else label_of(sentence.gates)
    if sentence is not None and whole == label and sentence.holds_text and not sentence.is_found:
        return fields
    stems = content_stems(next(iter(texts(claim))))
    terms = []
    if sentence is not None and whole is not None:
        more = content_stems(sentence.text)
        if whole == label and sentence.holds_text:
            stems = [*more, *content_stems(" ".join(claim.topical_tags))]
        elif sentence.is_found or not sentence.holds_text:
            beyond = set(more).difference(stems)
            more = [stem for stem in more if stem in beyond]
            if whole == label:
                stems += more
            else:
                terms = [_terms(StemPlace(SENTENCE_STEMS, whole).encode(), more)]
    said = " ".join(
        filter(None, [_terms(StemPlace(SENTENCE_STEMS, label).encode(), stems), *terms])
    )
    return fields | {
        "stems": [own["stems"], said, *fields.get("stems", ())[1:]],
        "unit": label,
        "unit_length": len(stems),
    }


def _unsaid(sentence: Sentence | None, says: bool) -> list[str]:
    """The stems of a sentence's surroundings; also its own if it says nothing."""
    if sentence is None:
        return []
    return [*sentence.context_stems, *(() if says else content_stems(sentence.text))]


def retired_fields(claim: Claim, names: Pseudonyms) -> Fields | None:
    """The fields of a document that hides from everybody what a retired claim's receipts quote, and
    holds nothing else of the claim. None if the claim has no evidence.
    """
    if not claim.evidence:
        return None
    ways = ["withholds"]
    ways += ["redacts"] if claim.status == "redacted" else []
    ways += ["seals"] if (sealed := secrecy(claim)) != frozenset() else []
    refers = [Pointer(how, ref).encode() for how in ways for ref in dict.fromkeys(claim.evidence)]
    return {
        "key": retired_key((Kind.CLAIM, claim.id), names),
        "place": StemPlace(RETIRED, NOBODY if sealed is None else label_of(sealed)).encode(),
        "stems": "",
        "length": 0,
        "refers": refers,
    }


def hidden_fields(artifact: Page | Relation, names: Pseudonyms) -> Fields:
    """The fields of the document of a page whose title nobody may see, or of a relation with such
    an end, by which it is found again when that changes.
    """
    pointers = [UNTITLED]
    if isinstance(artifact, Relation):
        source, target = names.all_of((artifact.source, artifact.target))
        pointers = [Pointer("awaits", entity_id) for entity_id in dict.fromkeys((source, target))]
        if artifact.relation == "supersedes":
            pointers += [Pointer("supersedes", target), Pointer("by", source)]
    return {
        "key": retired_key((KIND_OF[type(artifact)], artifact.id), names),
        "place": StemPlace(RETIRED, NOBODY).encode(),
        "stems": "",
        "length": 0,
        "refers": [pointer.encode() for pointer in pointers],
    }


def _claim_fields(claim: Claim, counts_for: Sequence[str]) -> Fields:
    evidence = sorted(set(claim.evidence))
    confirmed = confirmed_at(claim)
    return {
        "about": list(counts_for),
        "evidence": [hash_of(ref.encode(), 8) for ref in evidence],
        "cited": round(len(evidence) * claim.confidence * CITED_UNIT),
        "worth": worth(claim),
        "fresh": freshness(confirmed),
        "at": in_microseconds(confirmed),
    }
