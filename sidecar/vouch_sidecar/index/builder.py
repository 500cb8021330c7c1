"""Indexes a whole knowledge base for the first time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property

from tantivy import Document

from vouch_sidecar.index.artifact_documents import document, hidden_fields, retired_fields
from vouch_sidecar.index.encoding import Pseudonyms
from vouch_sidecar.index.knowledge import Knowledge, open_entity
from vouch_sidecar.index.layers import Writing
from vouch_sidecar.index.links import behind_its_title, documents_of, link_state
from vouch_sidecar.index.pointers import nameless
from vouch_sidecar.index.quoted_sentences import QuotedSources
from vouch_sidecar.index.receipts import NO_DISK, Cited, Citing, Disk, citing, is_place, is_receipt
from vouch_sidecar.index.withheld_texts import (
    Gates,
    Text,
    Withheld,
    all_gates,
    secrecy,
    texts_of,
    withheld_gate,
)
from vouch_sidecar.kb.access import OPEN, gate_of, is_shown_to_any
from vouch_sidecar.kb.artifact_files import slug_of
from vouch_sidecar.kb.records import Artifact, Claim, Entity, Evidence, Page, Relation, Source
from vouch_sidecar.names.matcher import Names


def knowledge_of(artifacts: Iterable[Artifact], disk: Disk = NO_DISK) -> Knowledge:
    """A generation of these artifacts, in memory."""
    builder = Builder(Writing(), disk)
    for artifact in sorted(artifacts, key=lambda other: isinstance(other, Claim)):
        builder.add(artifact)
    return builder.finish()


Late = Entity | Relation | Evidence | Page | Source
"""What is indexed once all claims are known."""


class Builder:
    """Indexes artifacts in the order in which their files are read: entities, pages and evidence
    before claims. Those that depend on claims or sources (claims with receipts, pages, sources, …)
    wait until everything was read.
    """

    def __init__(self, writing: Writing, disk: Disk = NO_DISK) -> None:
        self._writing = writing
        self._disk = disk
        self._pseudonyms = Pseudonyms.new()
        self._entities: list[Entity] = []
        self._pages: dict[str, list[Page]] = {}
        """By pseudonym of a claim, the pages that list it."""
        self._listed: set[str] = set()
        """The pseudonyms of the claims that pages list."""
        self._waiting: list[Claim] = []
        """Claims without receipts that pages list: not every page may be told of."""
        self._late: list[Late] = []
        self._gates: dict[str, tuple[str, ...]] = {}
        self._quoting: dict[str, Claim] = {}
        """Claims with receipts, by id."""
        self._sources: dict[str, Source] = {}
        self._evidence: dict[str, Evidence] = {}
        self._citing: dict[str, list[Citing]] = {}
        self._retired: dict[str, bool] = {}
        """Evidence that retired claims cite, and whether one of these was redacted."""
        self._secrets: dict[str, list[Claim]] = {}
        """By id, the secret claims that cite evidence or a source."""
        self._sealed: dict[str, Gates] = {}
        """The gates of the secret claims, by id."""
        self._claims: dict[str, Gates] = {}
        """The gates of the claims that are told, by id."""
        self._texts: dict[str, tuple[Text, ...]] = {}
        """The texts of the claims that not everybody may see, by id."""
        self._located: dict[str, list[Source]] = {}

    def add(self, artifact: Artifact) -> None:
        """Add an artifact; no other one may have the same key."""
        artifact = nameless(artifact, self._pseudonyms)
        if isinstance(artifact, Claim):
            self._hide(artifact)
        if not is_shown_to_any(artifact):
            if isinstance(artifact, Claim):
                self._retire(artifact)
            return
        if isinstance(artifact, Page):
            self._listed.update(artifact.claims)
            self._late.append(artifact)
            return
        self._note(artifact)
        if isinstance(artifact, Entity | Relation | Evidence | Source):
            self._late.append(artifact)
        elif isinstance(artifact, Claim) and self._cite(artifact):
            self._quoting[artifact.id] = artifact
        elif isinstance(artifact, Claim) and self._pseudonyms.of(artifact.id) in self._listed:
            self._waiting.append(artifact)
        else:
            self._write(artifact)

    def _note(self, artifact: Artifact) -> None:
        """Record what the documents of other artifacts depend on."""
        if isinstance(artifact, Entity | Claim | Page | Source):
            gates = self._gates.get(artifact.id, ())
            self._gates[artifact.id] = (*gates, gate_of(artifact) or OPEN)
        match artifact:
            case Claim():
                self._claims[artifact.id] = withheld_gate(artifact)
            case Entity():
                self._entities.append(artifact)
            case Evidence():
                self._evidence[artifact.id] = artifact
            case Source():
                self._sources[artifact.id] = artifact
                self._located.setdefault(artifact.locator.strip(), []).append(artifact)
            case Page():
                for claim_id in artifact.claims:
                    self._pages.setdefault(claim_id, []).append(artifact)
            case _:
                pass

    def finish(self) -> Knowledge:
        """The generation of all that was added."""
        late = [shown for waiting in self._late if (shown := self._as_told(waiting)) is not None]
        for claim in (*self._waiting, *sorted(self._quoting.values(), key=self._first_source)):
            self._write(claim)
        names = self.names.changed([*self._written(late)], ())
        base = self._writing.finish()
        return Knowledge(base, names, withheld=self.withheld, pseudonyms=self._pseudonyms)

    def _written(self, late: Iterable[Late]) -> Iterator[Entity]:
        """Write the artifacts that waited. Yields the entities of which the index shows everybody
        less than their files say.
        """
        for artifact in late:
            first = self._write(artifact)
            if isinstance(artifact, Entity) and (shown := open_entity(first)) != artifact:
                yield shown

    def _as_told(self, artifact: Late) -> Late | None:
        """The artifact to index: a page gets the gates that its title needs, and counts from then
        on for others; None for a page that nobody may see because of its title.
        """
        if not isinstance(artifact, Page):
            return artifact
        page = behind_its_title(artifact, self.withheld)
        if not is_shown_to_any(page):
            self._writing.add(document(hidden_fields(page, self._pseudonyms)))
            return None
        self._note(page)
        return page

    def _hide(self, claim: Claim) -> None:
        """Record what a claim closes that not everybody may see."""
        if texts := texts_of(claim):
            self._texts[claim.id] = texts
        if (sealed := secrecy(claim)) != frozenset():
            self._sealed[claim.id] = sealed
            for cited in dict.fromkeys(claim.evidence):
                self._secrets.setdefault(cited, []).append(claim)

    def _retire(self, claim: Claim) -> None:
        for evidence_id in claim.evidence:
            before = self._retired.get(evidence_id, False)
            self._retired[evidence_id] = before or claim.status == "redacted"
        if (fields := retired_fields(claim, self._pseudonyms)) is not None:
            self._writing.add(document(fields))

    def _cite(self, claim: Claim) -> bool:
        """Record what a claim cites. Returns whether a receipt is among it."""
        cites = citing(claim, self._evidence.get)
        for evidence_id, cite in cites.items():
            self._citing.setdefault(evidence_id, []).append(cite)
        evidence = (self._evidence.get(ref) for ref in cites)
        return any(citation is not None and is_receipt(citation) for citation in evidence)

    def _first_source(self, claim: Claim) -> str:
        cited = (self._evidence.get(ref) for ref in claim.evidence)
        return next((citation.source_id for citation in cited if citation is not None), "")

    def _write(self, artifact: Artifact) -> Document:
        """Index an artifact. Returns its first document."""
        documents = documents_of(artifact, link_state(artifact, self), self._pseudonyms)
        for written in documents:
            self._writing.add(written)
        return documents[0]

    # What links, labels and sentences depend on

    @cached_property
    def names(self) -> Names:
        return Names.of(self._entities)

    @cached_property
    def sources(self) -> QuotedSources:
        return QuotedSources(self)

    def pages_listing(self, claim_id: str) -> Iterable[Page]:
        pages = self._pages.get(self._pseudonyms.of(claim_id), ())
        return sorted(pages, key=lambda page: page.id)

    def gates_at(self, artifact_id: str) -> Iterable[str]:
        return self._gates.get(artifact_id, ())

    def source(self, source_id: str) -> Source | None:
        return self._sources.get(source_id)

    def evidence(self, evidence_id: str) -> Evidence | None:
        return self._evidence.get(evidence_id)

    def evidence_in(self, source_id: str) -> Iterable[Evidence]:
        return self._by_source.get(source_id, ())

    @cached_property
    def _by_source(self) -> dict[str, list[Evidence]]:
        by_source: dict[str, list[Evidence]] = {}
        for evidence in self._evidence.values():
            by_source.setdefault(evidence.source_id, []).append(evidence)
        return by_source

    def cited(self, evidence_id: str) -> Cited:
        by = tuple(sorted(self._citing.get(evidence_id, ())))
        retired = self._retired.get(evidence_id)
        return Cited(by, retired is not None, retired or False)

    def is_retired(self, evidence_id: str) -> bool:
        return evidence_id in self._retired

    def closing(self, cited: Collection[str], but: Collection[str]) -> Gates:
        secrets = {claim.id: claim for ref in cited for claim in self._secrets.get(ref, ())}
        closing = (
            claim for claim in secrets.values() if not any(ref in but for ref in claim.evidence)
        )
        return all_gates(map(secrecy, closing))

    def sources_at(self, locator: str) -> Iterable[Source]:
        return self._located.get(locator.strip(), ()) if is_place(locator) else ()

    def secrecy_of(self, claim_id: str) -> Gates:
        return self._sealed.get(claim_id, frozenset())

    def gates_of_claim(self, claim_id: str) -> Gates:
        return self._claims.get(claim_id)

    @cached_property
    def withheld(self) -> Withheld:
        return Withheld().changed(self._texts)

    def gate_of_text(self, text: str) -> str | None:
        claim = self._quoting.get(slug_of(text))
        return gate_of(claim) if claim is not None and claim.text == text else None

    def content(self, source: Source) -> bytes | None:
        return self._disk.content(source)
