"""Makes the generation after a change: reindexes the changed artifacts, and those whose links,
labels or sentences depend on them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from tantivy import Occur, Query
from vouch_sidecar.index.encoding import CountedEntity, Pointer, StemPlace
from vouch_sidecar.index.knowledge import Documents, Knowledge
from vouch_sidecar.index.links import documents_of, standing, standing_of
from vouch_sidecar.index.name_forms import forms, required
from vouch_sidecar.index.query import any_of, pointing_query, stem_query, value_query
from vouch_sidecar.index.receipts import (
    NO_DISK,
    Cited,
    Citing,
    Disk,
    QuotedSources,
    citing,
    is_receipt,
    slug_of,
)
from vouch_sidecar.index.schema import WITHOUT_QUOTE, document, repeats, retired_fields, retired_key
from vouch_sidecar.kb.access import gate_of, is_told
from vouch_sidecar.kb.records import (
    Artifact,
    Change,
    Claim,
    Entity,
    Evidence,
    Key,
    Kind,
    Page,
    Source,
    key_of,
)

_ENDS = (Kind.ENTITY, Kind.CLAIM, Kind.PAGE, Kind.SOURCE)
"""The kinds that a relation may join."""


def after(before: Knowledge, change: Change, disk: Disk = NO_DISK) -> Knowledge:
    """The generation after a change. Retired artifacts are removed."""
    told = {key_of(one): one for one in change.upserts if is_told(one)}
    gone = {*change.removals, *map(key_of, change.upserts)}.difference(told)
    told = {key: one for key, one in told.items() if before.artifact(key) != one}
    retired = _retired(change, gone)
    gone = {
        key
        for key in gone
        if before.artifact(key) is not None
        or before.withheld_by(key) != _withheld(retired.get(key))
    }
    if not told and not gone:
        return before
    world = _After(before, told, gone, retired, disk)
    documents: dict[Key, Documents] = {key: retired.get(key, ()) for key in gone}
    for key, artifact in told.items():
        documents[key] = tuple(documents_of(artifact, standing(artifact, world)))
    dependants = _dependants(before, told, gone, world) | _quoting(before, told, gone, world)
    for key, artifact in dependants.items():
        stands, stood = standing(artifact, world), before.document(key)
        if stood is None or stands != (stood_in := standing_of(stood)):
            if stood is not None and stood_in.linked == WITHOUT_QUOTE:
                artifact = _whole(artifact, disk)
            documents[key] = tuple(documents_of(artifact, stands))
    return before.changed_to(documents, world.names)


def _retired(change: Change, gone: Collection[Key]) -> dict[Key, Documents]:
    """The documents for the claims that are retired now."""
    found: dict[Key, Documents] = {}
    for one in change.upserts:
        fields = retired_fields(one) if isinstance(one, Claim) and key_of(one) in gone else None
        if fields is not None:
            found[key_of(one)] = (document(fields),)
    return found


def _withheld(documents: Documents | None) -> list[str]:
    return documents[0].get_all("refers") if documents else []


def _whole(artifact: Artifact, disk: Disk) -> Artifact:
    """The artifact as its file has it, with the quote that the index may lack; if that fails, as
    given.
    """
    with suppress(LookupError):
        found = disk.reread(artifact.path)
        if key_of(found) == key_of(artifact):
            return found
    return artifact


def _quoting(
    before: Knowledge, told: Mapping[Key, Artifact], gone: Collection[Key], world: _After
) -> dict[Key, Artifact]:
    """The unchanged claims whose sentences may differ after the change, and the evidence that may
    gain or lose its quote: those around the receipts that the change touches.
    """
    touched, sources = _touched(before, told, gone, world)
    found: dict[Key, Artifact] = {}
    by_source: dict[str, list[Evidence]] = {one: [] for one in sources}
    affected = set(touched)
    for evidence_id in touched:
        evidence = world.evidence(evidence_id)
        if evidence is not None:
            found[key_of(evidence)] = evidence
            by_source.setdefault(evidence.source_id, []).append(evidence)
    for source_id, changed in by_source.items():
        affected |= _around(world, source_id, changed, whole=source_id in sources)
    for evidence_id in affected:
        for one in world.cited(evidence_id).by:
            if (claim := world.claim(one.claim_id)) is not None:
                found[key_of(claim)] = claim
    return {key: one for key, one in found.items() if key not in told and key not in gone}


def _around(world: _After, source_id: str, changed: list[Evidence], whole: bool) -> set[str]:
    """Ids of the receipts of a source whose sentences may contain a changed receipt."""
    sources = world.sources
    spans = [span for one in changed if (span := sources.span(one))]
    whole = whole or any(map(sources.repeats, changed))
    found = set()
    for evidence in world.evidence_in(source_id):
        reach = None if whole else sources.reach(evidence)
        if reach is None or any(a < reach[1] and b > reach[0] for a, b in spans):
            found.add(evidence.id)
    return found


def _touched(
    before: Knowledge, told: Mapping[Key, Artifact], gone: Collection[Key], world: _After
) -> tuple[set[str], set[str]]:
    """Ids of the evidence whose citations change, and of the sources all of whose receipts may be
    affected.
    """
    evidence: set[str] = set()
    sources: set[str] = set()
    for key in [*told, *gone]:
        versions = [one for one in (before.artifact(key), told.get(key)) if one is not None]
        for one in versions:
            if isinstance(one, Claim):
                evidence.update(one.evidence)
            elif isinstance(one, Evidence):
                evidence.add(one.id)
                if key in gone or len(versions) > 1:
                    sources.add(one.source_id)
            elif isinstance(one, Source):
                sources.add(one.id)
        saying = [key[1]] if key[0] is Kind.CLAIM else []
        if key[0] is Kind.EVIDENCE:  # what cites it counts as quoting, or no longer
            cites = before.found(pointing_query("cites", key[1]))
            saying = [one.id for one in cites]
        for claim_id in saying:
            same = before.found(pointing_query(*repeats(claim_id)))
            evidence.update(one.id for one in same)
        for refers in (before.withheld_by(key), world.withheld_by(key)):
            evidence.update(Pointer.decode(one).target for one in refers)
    return evidence, sources


def _dependants(
    before: Knowledge, told: Mapping[Key, Artifact], gone: Collection[Key], world: _After
) -> dict[Key, Artifact]:
    """The unchanged artifacts whose links or labels may differ after the change."""
    found: dict[Key, Artifact] = {}
    for key in [*told, *gone]:
        effect = _effect(before.artifact(key), told.get(key))
        queries = [value_query("refers", effect.refers)] if effect.refers else []
        claims = {*effect.claims}
        if effect.entity is not None:
            queries += [
                _about(before, effect.entity.id),
                *_naming(before, before.entity(effect.entity.id)),
                *_naming(before, told.get(key)),
            ]
            pages = (world.page(page_id) for page_id in before.pages_about(key))
            claims.update(claim_id for page in pages if page for claim_id in page.claims)
        for artifact in chain.from_iterable(map(before.found, queries)):
            found[key_of(artifact)] = artifact
        for claim_id in claims:
            if (claim := before.claim(claim_id)) is not None:
                found[key_of(claim)] = claim
    return {key: one for key, one in found.items() if key not in told and key not in gone}


def _about(before: Knowledge, entity_id: str) -> Query:
    """A query for the claims that declare an entity or are linked to it."""
    labels = {StemPlace.decode(place).label for place in before.snapshot.lengths}
    return any_of(
        [
            pointing_query("declares", entity_id),
            value_query("about", [CountedEntity(one, entity_id).encode() for one in labels]),
        ]
    )


def _naming(before: Knowledge, entity: Artifact | None) -> Iterator[Query]:
    """Queries for the claims that may be linked to an entity because they name it."""
    if not isinstance(entity, Entity):
        return
    declared = (Occur.MustNot, value_query("linked", ["declared"]))
    places = [name for name in before.snapshot.lengths if name.startswith(f"{Kind.CLAIM}@")]
    for name in places:
        for stems in required(entity):
            words = [(Occur.Must, stem_query(name, stem)) for stem in stems]
            all_claims = (Occur.Must, value_query("place", [name]))
            yield Query.boolean_query([*(words or [all_claims]), declared])


@dataclass(frozen=True, slots=True)
class _Effect:
    """The artifacts that depend on a changed one: claims by id, claims whose text may name
    `entity`, and artifacts that hold one of the encoded pointers `refers`.
    """

    claims: Iterable[str] = ()
    entity: Entity | None = None
    refers: tuple[str, ...] = ()


def _effect(before: Artifact | None, after: Artifact | None) -> _Effect:
    """The artifacts that depend on how an artifact changed; none if no other depends on the
    difference.
    """
    one = before or after
    moved = (before is None) != (after is None) or _gate(before) != _gate(after)
    refers: tuple[str, ...] = ()
    if moved and isinstance(one, Entity | Claim | Page | Source):
        refers = (Pointer("joins", one.id).encode(),)
    if moved and isinstance(one, Source):
        refers += (Pointer("quotes", one.id).encode(),)
    if isinstance(one, Page) and (moved or _lists(before) != _lists(after)):
        claims = {c for page in (before, after) if isinstance(page, Page) for c in page.claims}
        return _Effect(claims=claims, refers=refers)
    if isinstance(one, Entity) and (moved or _forms(before) != _forms(after)):
        return _Effect(entity=one, refers=refers)
    return _Effect(refers=refers)


def _gate(artifact: Artifact | None) -> str | None:
    return None if artifact is None else gate_of(artifact)


def _lists(page: Artifact | None) -> object:
    return (page.claims, page.entities, page.title) if isinstance(page, Page) else None


def _forms(entity: Artifact | None) -> object:
    return list(forms(entity)) if isinstance(entity, Entity) else None


class _After:
    """Look-ups, as after a change, of the artifacts that links, labels and sentences depend on."""

    def __init__(
        self,
        before: Knowledge,
        told: Mapping[Key, Artifact],
        gone: Collection[Key],
        retired: Mapping[Key, Documents],
        disk: Disk,
    ) -> None:
        self._before = before
        self._told = told
        self._gone = gone
        self._retired = retired
        self._disk = disk
        self._evidence: dict[str, Evidence | None] = {}
        self._citing: dict[str, list[Citing]] = {}
        """The claims of the change that cite evidence, by evidence id."""
        for one in told.values():
            if isinstance(one, Claim):
                for evidence_id, cites in citing(one, self.evidence).items():
                    self._citing.setdefault(evidence_id, []).append(cites)
        self._known: dict[str, Cited] = {}
        self._settled = {retired_key(one) for kind, one in [*told, *gone] if kind == Kind.CLAIM}
        """Keys of the documents for retired claims that the change replaces."""
        entities = [one for one in told.values() if isinstance(one, Entity)]
        removed = [artifact_id for kind, artifact_id in gone if kind is Kind.ENTITY]
        self.names = before.names.changed(entities, removed)

    def _artifact(self, key: Key) -> Artifact | None:
        if key in self._told or key in self._gone:
            return self._told.get(key)
        return self._before.artifact(key)

    def page(self, page_id: str) -> Page | None:
        found = self._artifact((Kind.PAGE, page_id))
        return found if isinstance(found, Page) else None

    def pages_listing(self, claim_id: str) -> Iterable[Page]:
        known = self._before.pages_about((Kind.CLAIM, claim_id))
        told = (page.id for page in self._told.values() if isinstance(page, Page))
        for page_id in sorted({*known, *told}):
            page = self.page(page_id)
            if page is not None and claim_id in page.claims:
                yield page

    def gates_at(self, artifact_id: str) -> Iterable[str]:
        for kind in _ENDS:
            artifact = self._artifact((kind, artifact_id))
            if artifact is not None and (gate := gate_of(artifact)) is not None:
                yield gate

    def claim(self, claim_id: str) -> Claim | None:
        found = self._artifact((Kind.CLAIM, claim_id))
        return found if isinstance(found, Claim) else None

    @cached_property
    def sources(self) -> QuotedSources:
        return QuotedSources(self, size=16)

    def source(self, source_id: str) -> Source | None:
        found = self._artifact((Kind.SOURCE, source_id))
        return found if isinstance(found, Source) else None

    def evidence(self, evidence_id: str) -> Evidence | None:
        if evidence_id not in self._evidence:
            found = self._artifact((Kind.EVIDENCE, evidence_id))
            if isinstance(found, Evidence) and found.quote is None:
                found = _whole(found, self._disk)
            self._evidence[evidence_id] = found if isinstance(found, Evidence) else None
        return self._evidence[evidence_id]

    def evidence_in(self, source_id: str) -> Iterable[Evidence]:
        quoting = self._before.found(pointing_query("quotes", source_id))
        for one in quoting:
            if isinstance(one, Evidence) and not self._changes(key_of(one)):
                yield self.evidence(one.id) or one
        for one in self._told.values():
            if isinstance(one, Evidence) and one.source_id == source_id:
                yield one

    def cited(self, evidence_id: str) -> Cited:
        if evidence_id not in self._known:
            self._known[evidence_id] = self._cited(evidence_id)
        return self._known[evidence_id]

    def _cited(self, evidence_id: str) -> Cited:
        by = list(self._citing.get(evidence_id, ()))
        for one in self._before.found(pointing_query("cites", evidence_id)):
            if isinstance(one, Claim) and not self._changes(key_of(one)):
                cites = citing(one, self.evidence).get(evidence_id)
                by += [] if cites is None else [cites]
        withholds, redacts = (
            self._before.withholds(one, self._settled.__contains__)
            or any(one.encode() in _withheld(retired) for retired in self._retired.values())
            for one in (Pointer("withholds", evidence_id), Pointer("redacts", evidence_id))
        )
        return Cited(tuple(sorted(by)), withholds, redacts)

    def withheld_by(self, key: Key) -> list[str]:
        """The encoded pointers to its evidence of a claim that the change retires."""
        return _withheld(self._retired.get(key))

    def gate_of_text(self, text: str) -> str | None:
        claim = self.claim(slug_of(text))
        if claim is None or claim.text != text:
            return None
        cited = map(self.evidence, claim.evidence)
        quotes = any(one is not None and is_receipt(one) for one in cited)
        return gate_of(claim) if quotes else None

    def content(self, source: Source) -> bytes | None:
        return self._disk.content(source)

    def _changes(self, key: Key) -> bool:
        return key in self._told or key in self._gone
