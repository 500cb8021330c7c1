"""Makes tantivy documents out of artifacts, one for each text that can be found, and artifacts out
of documents. Every field is stored, so that documents can be copied from one index to another.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, fields, replace
from hashlib import blake2b
from itertools import pairwise
from sys import intern
from typing import Any

from tantivy import Document, Schema, SchemaBuilder

from vouch_sidecar.index.encoding import (
    NOBODY,
    CountedEntity,
    DocumentKey,
    PlacedStem,
    Pointer,
    Pseudonyms,
    StemPlace,
    gates_of,
    label_of,
    labels_for,
)
from vouch_sidecar.index.receipts import (
    Quoted,
    Sentence,
    is_place,
    is_receipt,
    names_place,
    slug_of,
)
from vouch_sidecar.index.withheld_texts import Closed, parted_stems, secrecy
from vouch_sidecar.kb.records import (
    KIND_OF,
    OPEN_SCOPE,
    Artifact,
    Claim,
    Entity,
    Evidence,
    Key,
    Kind,
    Page,
    Relation,
    Scope,
    Source,
)
from vouch_sidecar.kb.references import claim_marks, marks
from vouch_sidecar.names.name_forms import FormKind, KeyedForm, NameForm, forms
from vouch_sidecar.text.content_words import content_stems
from vouch_sidecar.text.sentences import Form

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
MAX_PAGE_SECTIONS = 256
DAY = 86_400.0
HALF_LIFE_DAYS = 30.0
FRESH_FROM = 1_767_225_600.0
"""2026-01-01 in Unix seconds. Stored freshness is relative to this day; a query multiplies it by
one constant.
"""
_FRESH_POWERS = 1_000.0
"""Freshness stays the same beyond this many half-lives before or after `FRESH_FROM`."""
CITED_UNIT = 10**9
"""The factor that makes confidence × number of citations an integer, so that sums are exact."""
MICROSECONDS = 1_000_000
_SECONDS_BITS, _CITATIONS_BITS, _CONFIDENCE_BITS = 34, 8, 20
"""The bits of each part of `worth`: dates up to the year 2514, 255 citations, confidence to a
millionth.
"""
UNDATED = 2**62
"""The value of `at` for a claim without a date. It counts as of age 0, as does a claim from the
future.
"""
_SHOWN = re.compile(r"[^\s#]")
"""What is left of a closed range are the signs that begin sections: their number stays."""
_HEADING = re.compile(r"^#{1,6} .*$", re.MULTILINE)

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


# Documents, read


def key_in(document: Document) -> DocumentKey:
    """Kind, id and section in a document's sort key."""
    return DocumentKey.decode(document["key"][0])


def entities_in(claim: Document, gates: frozenset[str]) -> frozenset[str]:
    """Ids of the entities that a claim is linked to, for a viewer with these gates."""
    visible = labels_for(gates)
    counted = map(CountedEntity.decode, claim.get_all("about"))
    return frozenset(counted.entity_id for counted in counted if counted.label in visible)


def stems_in(document: Document) -> list[str]:
    """The stems of a document's text, in order."""
    before = PlacedStem(document["place"][0], "").encode()
    return document["stems"][0][len(before) :].split(f" {before}") if document["length"][0] else []


def sentence_stems_in(claim: Document, gates: frozenset[str]) -> list[str]:
    """The `SENTENCE_STEMS` of a claim, in order, as far as a viewer with these gates may see them;
    empty if another claim holds those of the sentence.
    """
    visible = {StemPlace(SENTENCE_STEMS, label).encode() for label in labels_for(gates)}
    values = claim.get_all("stems")
    terms = values[1].split() if len(values) > 1 else ()
    placed = (term.partition(":") for term in terms)  # decoding each is a tenth of a search
    return [stem for place, _, stem in placed if place in visible]


def quoted_in(claim: Document) -> Quoted | None:
    """The place of a claim's receipt; None if it is unknown."""
    if not claim.get_all("quoted"):
        return None
    form, sentence, by_text, only_whole = json.loads(str(claim["quoted"][0], "utf-8"))
    if sentence is None:
        return Quoted(Form(form), None, by_text, only_whole)
    text, claims, holds, whole, leads, source_id, start, *tuples = sentence
    read = Sentence(text, tuple(claims), holds, whole, leads, source_id, start, *map(tuple, tuples))
    return Quoted(Form(form), read, by_text, only_whole)


def closed_in(document: Document) -> list[Closed]:
    """The closed ranges of a page or source."""
    if not document.get_all("closed"):
        return []
    ranges = json.loads(str(document["closed"][0], "utf-8"))
    return [Closed(a, b, None if gates is None else frozenset(gates)) for a, b, gates in ranges]


def shown_in(document: Document, gates: frozenset[str]) -> Artifact:
    """The artifact in its first document, as viewers with these gates may see it."""
    hidden = [c for c in closed_in(document) if c.gates is not None and not c.gates <= gates]
    return _without(artifact_in(document), hidden)


def _without(artifact: Artifact, hidden: Sequence[Closed]) -> Artifact:
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
    data = _encoded(artifact)
    labels = _labels(artifact, label, closed)
    first = _text_fields(kind, artifact.id, 0, labels[0], next(iter(texts(artifact)), ""))
    if isinstance(artifact, Entity):
        first |= _entity_fields(artifact, label, closed)
    if isinstance(artifact, Evidence) and linked != QUOTE_IS_CLAIM:
        first["stems"] = _unsearched(f"{artifact.locator} {artifact.quote or ''}", label)
    first |= {
        "artifact": data,
        "refers": refers,
        "mark": _hash(data, 4),
    }
    if linked:
        first["linked"] = linked
    if closed:
        plain = ((a, b, None if gates is None else sorted(gates)) for a, b, gates in closed)
        first["closed"] = _as_json(list(plain))
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
    kept = _without(artifact, [span for span in closed if span.gates is None])
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
    with_forms = {"forms": _as_json([(path, *form[1:]) for path, form in forms(entity)])}
    if not closed:
        return with_forms
    (shown,) = texts(_without(entity, closed))
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
    return " ".join(PlacedStem(where, stem).encode() for stem in stems)


def _said_fields(claim: Claim, label: str, quoted: Quoted | None, own: Fields) -> Fields:
    """The fields by which a claim is found by the sentence around its receipt. Of several claims in
    a sentence, the leading one holds the sentence's stems. Stems that are not the claim's own have
    the label of the sentence.
    """
    fields: Fields = {}
    if quoted is not None:
        fields["quoted"] = _as_json([*quoted])
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


def retired_key(key: Key, names: Pseudonyms) -> str:
    """The sort key of the document that stands for an artifact nobody may see."""
    kind, artifact_id = key
    called = artifact_id if kind == Kind.CLAIM else f"{kind}\0{artifact_id}"
    return DocumentKey(RETIRED, names.of(called)).encode()


def repeats(claim_id: str, names: Pseudonyms) -> Pointer:
    """The pointer from a receipt to the claim that has its quote as text, if there is one: vouch
    makes the claim's id of it.
    """
    return Pointer("repeats", names.of(claim_id))


def located(locator: str) -> Pointer:
    """The pointer from a source to its path or URL."""
    return Pointer("located", _digest(locator.strip()))


def _digest(locator: str) -> str:
    return f"{_hash(locator.encode('utf-8', 'replace'), 16):032x}"


def is_retired(document: Document) -> bool:
    """Whether a document stands for an artifact that nobody may see."""
    return key_in(document)[0] == RETIRED


def _claim_fields(claim: Claim, counts_for: Sequence[str]) -> Fields:
    evidence = sorted(set(claim.evidence))
    confirmed = confirmed_at(claim)
    return {
        "about": list(counts_for),
        "evidence": [_hash(ref.encode(), 8) for ref in evidence],
        "cited": round(len(evidence) * claim.confidence * CITED_UNIT),
        "worth": worth(claim),
        "fresh": 0.0 if confirmed is None else 2.0 ** _half_lives(confirmed),
        "at": UNDATED if confirmed is None else _microseconds(confirmed),
    }


def _hash(data: bytes, size: int) -> int:
    return int.from_bytes(blake2b(data, digest_size=size).digest(), "big")


def worth(claim: Claim) -> int:
    """A number that orders claims when no text does, greatest first: contested claims come last;
    the others are ordered by confidence, then number of citations, then date.
    """
    number = int(claim.status != "contested")
    for value, bits in (
        (round(claim.confidence * 10**6), _CONFIDENCE_BITS),
        (len(set(claim.evidence)), _CITATIONS_BITS),
        (int(claim.date or 0.0), _SECONDS_BITS),
    ):
        number = number << bits | max(0, min(value, 2**bits - 1))
    return number


def confirmed_at(claim: Claim) -> float | None:
    """The time that a claim's age is counted from: when it was confirmed, else when it was
    updated.
    """
    return claim.updated_at if claim.last_confirmed_at is None else claim.last_confirmed_at


def _half_lives(at: float) -> float:
    half_lives = (at - FRESH_FROM) / DAY / HALF_LIFE_DAYS
    return max(-_FRESH_POWERS, min(half_lives, _FRESH_POWERS))


def _microseconds(at: float) -> int:
    return max(-UNDATED, min(int(at * MICROSECONDS), UNDATED))


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


# Artifacts as bytes

_RECORDS: dict[str, type[Artifact]] = {
    kind.value: record_type for record_type, kind in KIND_OF.items()
}
_NAMES = {record_type: [field.name for field in fields(record_type)] for record_type in KIND_OF}


def _encoded(artifact: Artifact) -> bytes:
    """The kind of an artifact and its values in the order of the fields, as JSON."""
    record = type(artifact)
    values = [getattr(artifact, name) for name in _NAMES[record]]
    return _as_json([KIND_OF[record], *map(_plain, values)])


def _as_json(values: list[Any]) -> bytes:
    return json.dumps(values, separators=(",", ":")).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, Scope):
        return {} if value == OPEN_SCOPE else asdict(value)
    return value


def artifact_in(document: Document) -> Artifact:
    """Decode an artifact from its first document."""
    kind, *values = json.loads(str(document["artifact"][0], "utf-8"))
    for at, value in enumerate(values):
        if isinstance(value, list):
            values[at] = tuple(value)
        elif isinstance(value, dict):
            values[at] = Scope(**value) if value else OPEN_SCOPE
    return _RECORDS[kind](*values)


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
