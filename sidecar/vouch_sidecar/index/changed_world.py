"""Looks up artifacts as they are after a change, before the new generation exists."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import chain
from weakref import proxy

from tantivy import Occur, Query

from vouch_sidecar.index.document_schema import RETIRED, WITHOUT_QUOTE
from vouch_sidecar.index.encoding import (
    NOBODY,
    DocumentKey,
    Pointer,
    Pseudonyms,
    StemPlace,
    gates_of,
)
from vouch_sidecar.index.knowledge import Documents, Knowledge
from vouch_sidecar.index.pointers import located, nameless, retired_key
from vouch_sidecar.index.query import all_of, pointing_query, value_query
from vouch_sidecar.index.quoted_sentences import QuotedSources
from vouch_sidecar.index.receipts import Cited, Citing, Disk, citing, is_place, is_receipt
from vouch_sidecar.index.withheld_texts import (
    Gates,
    Withheld,
    all_gates,
    secrecy,
    texts_of,
    withheld_gate,
)
from vouch_sidecar.kb.access import OPEN, gate_of, is_shown_to_any
from vouch_sidecar.kb.artifact_files import slug_of
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

ENDS = (Kind.ENTITY, Kind.CLAIM, Kind.PAGE, Kind.SOURCE)
"""The kinds that a relation may join."""


class ChangedWorld:
    """Looks up the artifacts that links, labels and sentences depend on, as they are after a
    change.
    """

    def __init__(
        self,
        before: Knowledge,
        change: Change,
        shown: Mapping[Key, Artifact],
        gone: Collection[Key],
        retired: Mapping[Key, Documents],
        disk: Disk,
    ) -> None:
        self._before = before
        self._pseudonyms = before.pseudonyms
        self._claims = claims_of(change)
        """The claims of the change by id; None if the claim is gone."""
        self._shown = shown
        self._gone = gone
        self._retired = retired
        pointers = map(retired_pointers, retired.values())
        self._pointers = frozenset(chain.from_iterable(pointers))
        self._disk = disk
        self._evidence: dict[str, Evidence | None] = {}
        self._sources: dict[str, Source | None] = {}
        self._in_source: dict[str, tuple[Evidence, ...]] = {}
        self._citing: dict[str, list[Citing]] = {}
        """The claims of the change that cite evidence, by evidence id."""
        for artifact in shown.values():
            if isinstance(artifact, Claim):
                for evidence_id, cites in citing(artifact, self.evidence).items():
                    self._citing.setdefault(evidence_id, []).append(cites)
        self._cites_by_id: dict[str, Cited] = {}
        self._settled = {self._retired_key(key) for key in [*shown, *gone] if key[0] == Kind.CLAIM}
        """Keys of the documents for retired claims that the change replaces."""
        entities = [artifact for artifact in shown.values() if isinstance(artifact, Entity)]
        removed = [artifact_id for kind, artifact_id in gone if kind is Kind.ENTITY]
        self.names = before.names.changed(entities, removed)

    def artifact(self, key: Key) -> Artifact | None:
        """An artifact that some viewer may see."""
        if key in self._shown or key in self._gone:
            return self._shown.get(key)
        return self._before.artifact(key)

    def page(self, page_id: str) -> Page | None:
        artifact = self.artifact((Kind.PAGE, page_id))
        return artifact if isinstance(artifact, Page) else None

    def pages_listing(self, claim_id: str) -> Iterable[Page]:
        earlier = self._before.pages_about((Kind.CLAIM, claim_id))
        changed = (page.id for page in self._shown.values() if isinstance(page, Page))
        for page_id in sorted({*earlier, *changed}):
            page = self.page(page_id)
            if page is not None and self._pseudonyms.of(claim_id) in page.claims:
                yield page

    def gates_at(self, artifact_id: str) -> Iterable[str]:
        for kind in ENDS:
            artifact = self.artifact((kind, artifact_id))
            if artifact is not None and (gate := gate_of(artifact)) is not None:
                yield gate

    def claim(self, claim_id: str) -> Claim | None:
        artifact = self.artifact((Kind.CLAIM, claim_id))
        return artifact if isinstance(artifact, Claim) else None

    @cached_property
    def sources(self) -> QuotedSources:
        # A strong reference would be a cycle, which keeps the old generation until it is collected.
        return QuotedSources(proxy(self), size=16)

    def source(self, source_id: str) -> Source | None:
        if source_id not in self._sources:
            artifact = self.artifact((Kind.SOURCE, source_id))
            if isinstance(artifact, Source) and (Kind.SOURCE, source_id) not in self._shown:
                document = self._before.document((Kind.SOURCE, source_id))
                if document is not None and WITHOUT_QUOTE in document.get_all("linked"):
                    artifact = as_in_file(artifact, self._disk, self._pseudonyms)
            self._sources[source_id] = artifact if isinstance(artifact, Source) else None
        return self._sources[source_id]

    def evidence(self, evidence_id: str) -> Evidence | None:
        if evidence_id not in self._evidence:
            artifact = self.artifact((Kind.EVIDENCE, evidence_id))
            if isinstance(artifact, Evidence) and artifact.quote is None:
                artifact = as_in_file(artifact, self._disk, self._pseudonyms)
            self._evidence[evidence_id] = artifact if isinstance(artifact, Evidence) else None
        return self._evidence[evidence_id]

    def evidence_in(self, source_id: str) -> Iterable[Evidence]:
        if source_id not in self._in_source:
            self._in_source[source_id] = tuple(self._evidence_in(source_id))
        return self._in_source[source_id]

    def _evidence_in(self, source_id: str) -> Iterator[Evidence]:
        quoting = self._before.artifacts_in(pointing_query("quotes", source_id))
        for artifact in quoting:
            if isinstance(artifact, Evidence) and not self._changes(key_of(artifact)):
                yield self.evidence(artifact.id) or artifact
        for artifact in self._shown.values():
            if isinstance(artifact, Evidence) and artifact.source_id == source_id:
                yield artifact

    def cited(self, evidence_id: str) -> Cited:
        if evidence_id not in self._cites_by_id:
            self._cites_by_id[evidence_id] = self._cited(evidence_id)
        return self._cites_by_id[evidence_id]

    def _cited(self, evidence_id: str) -> Cited:
        by = list(self._citing.get(evidence_id, ()))
        for artifact in self._before.artifacts_in(pointing_query("cites", evidence_id)):
            if isinstance(artifact, Claim) and not self._changes(key_of(artifact)):
                cites = citing(artifact, self.evidence).get(evidence_id)
                by += [] if cites is None else [cites]
        retired, redacted = self.is_retired(evidence_id), self._points("redacts", evidence_id)
        return Cited(tuple(sorted(by)), retired, redacted)

    def is_retired(self, evidence_id: str) -> bool:
        return self._points("withholds", evidence_id)

    def _points(self, how: str, evidence_id: str) -> bool:
        """Whether a retired claim has a pointer to a piece of evidence."""
        pointer = Pointer(how, evidence_id)
        if pointer.encode() in self._pointers:
            return True
        return self._before.withholds(pointer, self._settled.__contains__)

    @cached_property
    def has_secrets(self) -> bool:
        """Whether any claim is or was secret."""
        places = self._before.places(Kind.CLAIM)
        gated = any(StemPlace.decode(place).label != OPEN for place in places)
        claims = (claim for claim in self._claims.values() if claim is not None)
        return gated or bool(self._before.places(RETIRED)) or any(map(_is_secret, claims))

    def closing(self, cited: Collection[str], but: Collection[str]) -> Gates:
        if not self.has_secrets or not cited:
            return frozenset()
        claims = [
            claim for claim in self._claims.values() if claim is not None and _is_secret(claim)
        ]
        needed = all_gates(
            secrecy(claim)
            for claim in claims
            if not set(claim.evidence).isdisjoint(cited) and set(claim.evidence).isdisjoint(but)
        )
        before = self._before
        for kind, how in ((Kind.CLAIM, "cites"), (RETIRED, "seals")):
            places = [
                place for place in before.places(kind) if StemPlace.decode(place).label != OPEN
            ]
            if not places or needed is None:
                continue
            query = all_of([pointing_at(how, cited), value_query("place", places)])
            others = [(Occur.MustNot, pointing_at(how, but))] if but else []
            if self._changing:
                others.append((Occur.MustNot, value_query("key", self._changing)))
            wanted = Query.boolean_query([(Occur.Must, query), *others])
            for place in before.snapshot.sums(wanted, "place"):
                label = StemPlace.decode(place).label
                needed = all_gates((needed, None if label == NOBODY else gates_of(label)))
        return needed

    @cached_property
    def _changing(self) -> list[str]:
        """The keys of the documents of the claims that change."""
        keys = [DocumentKey(Kind.CLAIM, claim_id).encode() for claim_id in self._claims]
        return [*keys, *(self._retired_key((Kind.CLAIM, claim_id)) for claim_id in self._claims)]

    def _retired_key(self, key: Key) -> str:
        return retired_key(key, self._pseudonyms)

    def sources_at(self, locator: str) -> Iterable[Source]:
        if not is_place(locator):
            return
        for artifact in self._before.artifacts_in(pointing_query(*located(locator))):
            if isinstance(artifact, Source) and not self._changes(key_of(artifact)):
                yield artifact
        for artifact in self._shown.values():
            if isinstance(artifact, Source) and artifact.locator.strip() == locator.strip():
                yield artifact

    @cached_property
    def withheld(self) -> Withheld:
        return withheld_after(self._before, self._claims, self._disk)

    @property
    def withheld_if_read(self) -> Withheld | None:
        """As `withheld`, but None if no generation has read these texts so far."""
        is_read = "withheld" in self.__dict__ or self._before.withheld is not None
        return self.withheld if is_read else None

    def sealed(self, claim_id: str) -> tuple[Gates, frozenset[str]]:
        """The gates with which a secret claim closes what it cites, and the ids of that."""
        if claim_id in self._claims:
            claim = self._claims[claim_id]
            return (frozenset(), frozenset()) if claim is None else sealing(claim)
        return sealed_before(self._before, (Kind.CLAIM, claim_id))

    def secrecy_of(self, claim_id: str) -> Gates:
        return self.sealed(claim_id)[0]

    def gates_of_claim(self, claim_id: str) -> Gates:
        claim = self.claim(claim_id)
        return None if claim is None else withheld_gate(claim)

    def hides(self, key: Key) -> bool:
        """Whether the change contains the claim, and not every viewer is told it."""
        return hides_text(self._claims.get(key[1]))

    def withheld_by(self, key: Key) -> list[str]:
        """For a claim that the change retires: the encoded pointers to its evidence."""
        return retired_pointers(self._retired.get(key))

    def gate_of_text(self, text: str) -> str | None:
        claim = self.claim(slug_of(text))
        if claim is None or claim.text != text:
            return None
        cited = map(self.evidence, claim.evidence)
        quotes = any(citation is not None and is_receipt(citation) for citation in cited)
        return gate_of(claim) if quotes else None

    def content(self, source: Source) -> bytes | None:
        return self._disk.content(source)

    def _changes(self, key: Key) -> bool:
        return key in self._shown or key in self._gone


def claims_of(change: Change) -> dict[str, Claim | None]:
    """The claims of a change by id; None if the claim is gone."""
    gone = {artifact_id: None for kind, artifact_id in change.removals if kind is Kind.CLAIM}
    return gone | {
        artifact.id: artifact for artifact in change.upserts if isinstance(artifact, Claim)
    }


def withheld_after(before: Knowledge, claims: Mapping[str, Claim | None], disk: Disk) -> Withheld:
    """The texts of the withheld claims after a change of some."""
    withheld = before.withheld
    if withheld is None:
        retired, names = before.retired_keys(), before.pseudonyms

        def is_retired(key: Key) -> bool:
            return retired_key(key, names) in retired

        read = disk.hidden(Kind.CLAIM, is_retired) if retired else ()
        every = (
            # Files are read as they are now: those that this change retires were not withheld.
            *(claim for claim in read if is_retired(key_of(claim)) and not is_shown_to_any(claim)),
            *before.withheld_claims(),
        )
        withheld = Withheld().changed(
            {artifact.id: texts_of(artifact) for artifact in every if isinstance(artifact, Claim)}
        )
        before.withheld = withheld
    return withheld.changed(
        {i: () if claim is None else texts_of(claim) for i, claim in claims.items()}
    )


def retired_pointers(documents: Documents | None) -> list[str]:
    return documents[0].get_all("refers") if documents else []


def as_in_file(artifact: Artifact, disk: Disk, names: Pseudonyms) -> Artifact:
    """The artifact as its file has it, with the quote that the index may lack; the given one if the
    file cannot be read. A page keeps its scope, which its title may have narrowed.
    """
    with suppress(LookupError):
        reread = nameless(disk.reread(artifact.path), names)
        if key_of(reread) != key_of(artifact):
            return artifact
        if isinstance(reread, Page) and isinstance(artifact, Page):
            return replace(reread, scope=artifact.scope)
        return reread
    return artifact


def sealed_before(before: Knowledge, key: Key) -> tuple[Gates, frozenset[str]]:
    """The gates with which a claim closed what it cites before the change (none if it was no
    secret), and the ids of that.
    """
    if isinstance(claim := before.artifact(key), Claim):
        return sealing(claim)
    retired = before.retired_document(key)
    if retired is None:
        return frozenset(), frozenset()
    pointers, label = (
        map(Pointer.decode, retired.get_all("refers")),
        StemPlace.decode(retired["place"][0]).label,
    )
    cited = frozenset(pointer.target for pointer in pointers if pointer.how == "seals")
    return (None if label == NOBODY else gates_of(label)), cited


def sealing(claim: Claim) -> tuple[Gates, frozenset[str]]:
    gates = secrecy(claim)
    return gates, (frozenset() if gates == frozenset() else frozenset(claim.evidence))


def hides_text(claim: Claim | None) -> bool:
    """Whether not every viewer is told a claim."""
    return claim is not None and withheld_gate(claim) != frozenset()


def _is_secret(claim: Claim) -> bool:
    return secrecy(claim) != frozenset()


def pointing_at(how: str, targets: Collection[str]) -> Query:
    return value_query("refers", [Pointer(how, target).encode() for target in targets])
