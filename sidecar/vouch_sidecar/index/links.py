"""Links claims to entities, and gives every artifact its visibility label. Both depend on other
artifacts, so a change of one may change others (see `index.incremental`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate, chain, product
from pathlib import PurePosixPath
from typing import Literal, NamedTuple, Protocol

from tantivy import Document

from vouch_sidecar.index.artifact_documents import document, fields_of
from vouch_sidecar.index.document_schema import ABOUT, CONTENT, QUOTE_IS_CLAIM, WITHOUT_QUOTE
from vouch_sidecar.index.encoding import (
    NOBODY,
    CountedEntity,
    Pseudonyms,
    StemPlace,
    gates_of,
    label_of,
)
from vouch_sidecar.index.quoted_sentences import QuotedSources
from vouch_sidecar.index.receipts import Quoted, Receipts, is_receipt, names_place
from vouch_sidecar.index.stored_artifacts import artifact_in, closed_in, key_in, quoted_in
from vouch_sidecar.index.withheld_texts import Closed, Gates, Withheld, all_gates, paragraphs
from vouch_sidecar.kb.access import OPEN, gate_of, scope_behind
from vouch_sidecar.kb.records import Artifact, Claim, Entity, Evidence, Kind, Page, Relation, Source
from vouch_sidecar.kb.references import claim_marks
from vouch_sidecar.names.matcher import Names

LinkedBy = Literal["declared", "named", "page"]


class World(Receipts, Protocol):
    """Looks up the other artifacts that links, labels and sentences depend on."""

    @property
    def sources(self) -> QuotedSources:
        """The sources that claims quote."""

    def secrecy_of(self, claim_id: str) -> Gates:
        """The gates of the viewers who may know a secret claim; empty if the claim is no secret."""

    def gates_of_claim(self, claim_id: str) -> Gates:
        """The gates of the viewers who may see a claim; None if nobody may, or if there is none."""

    @property
    def names(self) -> Names:
        """The names of all entities."""

    def pages_listing(self, claim_id: str) -> Iterable[Page]:
        """The pages that list a claim."""

    def gates_at(self, artifact_id: str) -> Iterable[str]:
        """The gates of the entity, claim, page and source that have this id."""


@dataclass(frozen=True, slots=True)
class Links:
    """The entities that a claim is linked to, and how. `by_gate` maps a gate to further entities,
    which only viewers who pass the gate see linked.
    """

    entity_ids: tuple[str, ...]
    linked_by: LinkedBy
    by_gate: Mapping[str, tuple[str, ...]]


def link(claim: Claim, world: World) -> Links:
    """Link a claim to the entities that it declares; if none of these exists, to those that its
    text names; if there are none, to those that the pages listing it are about. A page that some
    viewers of the claim may not see links only an open claim, and only for viewers who pass the
    page's gate.
    """
    if declared := _existing(claim.entities, world):
        return Links(declared, "declared", {})
    mentions = world.names.find(claim.text)
    if named_ids := _existing(
        (m.entity_id for m in mentions if not m.nested and not m.ambiguous), world
    ):
        return Links(named_ids, "named", {})
    by_gate: defaultdict[str | None, list[str]] = defaultdict(list)
    for page in world.pages_listing(claim.id):
        by_gate[gate_of(page)] += _about(page, world)
    own = gate_of(claim)
    shared = _existing([*by_gate[OPEN], *by_gate[own]], world)
    behind = {}
    if own == OPEN:
        for gate in sorted(gate for gate in by_gate if gate not in (OPEN, None)):
            assert gate is not None
            if more := _existing(set(by_gate[gate]).difference(shared), world):
                behind[gate] = more
    return Links(shared, "page", behind)


def _about(page: Page, world: World) -> tuple[str, ...]:
    """The ids of the entities that a page is about: its only entity, or those of several that its
    title names.
    """
    if len(set(page.entities)) < 2:
        return page.entities
    listed = [
        entity
        for entity_id in page.entities
        if (entity := world.names.entity(entity_id)) is not None
    ]
    return tuple({mention.entity_id for mention in Names.of(listed).find(page.title)})


def _existing(entity_ids: Iterable[str], world: World) -> tuple[str, ...]:
    return tuple(sorted({e for e in entity_ids if world.names.entity(e) is not None}))


def _counts_for(claim: Claim, links: Links) -> Iterator[str]:
    """Encode each linked entity with the visibility label of the link.

    An entity linked behind an agent's and a project's gate is encoded three times: with each gate,
    and with both. For a viewer who passes both, the count is 1 + 1 − 1.
    """
    own = label_of([gate_of(claim) or OPEN])
    yield from (CountedEntity(own, entity_id).encode() for entity_id in links.entity_ids)
    for gate, entity_ids in links.by_gate.items():
        yield from (CountedEntity(label_of([gate]), entity_id).encode() for entity_id in entity_ids)
    for agent_gate, project_gate in product(links.by_gate, links.by_gate):
        if agent_gate.startswith("agent:") and project_gate.startswith("project:"):
            label = label_of([agent_gate, project_gate])
            both = set(links.by_gate[agent_gate]).intersection(links.by_gate[project_gate])
            yield from (CountedEntity(label, entity_id).encode() for entity_id in sorted(both))


class LinkState(NamedTuple):
    """The part of an artifact's documents that depends on other artifacts: its visibility label;
    for a claim, its linked entities (`CountedEntity`), how they were linked, and the place of its
    receipt; for a page or a source, its closed parts.
    """

    label: str
    entities: list[str] = []  # noqa: RUF012
    linked: str = ""
    quoted: Quoted | None = None
    closed: tuple[Closed, ...] = ()


def link_state(artifact: Artifact, world: World) -> LinkState:
    """The `LinkState` of an artifact that some viewer may see."""
    label, linked = _label_of(artifact, world), ""
    if isinstance(artifact, Evidence):
        by, retired, redacted = world.cited(artifact.id)
        unsaid = not by and (retired or is_receipt(artifact))
        if redacted or unsaid or label == NOBODY:
            # A locator in words (not `L5` or `b12-30`) may say what the quote says.
            in_words = (Closed(*ABOUT, None),) if " " in artifact.locator else ()
            return LinkState(label, linked=WITHOUT_QUOTE, closed=in_words)
        if any(citing.verbatim for citing in by):
            linked = QUOTE_IS_CLAIM
    if not isinstance(artifact, Claim):
        own = frozenset({OPEN}) if label == NOBODY else gates_of(label) | {OPEN}
        every = sorted(set(_closed(artifact, world, own)), key=_order)
        gone = [span for span in every if span.gates is None]
        starts, ends = (
            [span.start for span in gone],
            [*accumulate((span.end for span in gone), max)],
        )

        def is_gone(part: Closed) -> bool:
            before = bisect_right(starts, part.start)
            return before > 0 and part.end <= ends[before - 1]

        # What nobody may see is not there: others can't close it too.
        closed = tuple(
            span for span in every if span.gates is None or span[:2] == CONTENT or not is_gone(span)
        )
        return LinkState(label, linked=WITHOUT_QUOTE if gone else linked, closed=closed)
    links = link(artifact, world)
    counts_for = list(_counts_for(artifact, links))
    return LinkState(label, counts_for, links.linked_by, world.sources.quoted(artifact))


def _order(part: Closed) -> tuple[int, int, bool, list[str]]:
    return part.start, part.end, part.gates is None, sorted(part.gates or ())


def _closed(artifact: Artifact, world: World, own: frozenset[str]) -> Iterator[Closed]:
    """The parts of an artifact that need gates beyond its own.

    Of a page: the sentences that hold the text of a withheld claim, those around a mark that quotes
    a secret claim, and marks whose claim is not shown, as vouch makes an id of the claim's text. Of
    an entity or evidence: what its file says of it, if that holds such a text.
    """
    if isinstance(artifact, Page):
        secrecy, shown = cache(world.secrecy_of), cache(world.gates_of_claim)
        secret, by_mark = list[Closed](), list[Closed]()
        for start, end, ids in claim_marks(artifact.body):
            around = all_gates(map(secrecy, ids)) if ids else None
            secret += [Closed(start, end, around)] if around != frozenset() else []
            name, *parts = ids or ("",)
            readable = shown(name)
            if readable is None and parts:
                readable = all_gates(map(shown, parts))
            by_mark.append(Closed(start, end, readable))
        sentences = world.withheld.sentences(artifact.body)
        places: Iterator[Closed] = chain(sentences, paragraphs(artifact.body, secret), by_mark)
    elif isinstance(artifact, Source):
        locator = "" if names_place(artifact) else artifact.locator
        about = filter(None, (artifact.title, artifact.question, locator))
        whole = closing(artifact, world)
        # A source that is closed to everybody has no title in the index.
        needed = frozenset() if None in whole else all_gates(map(world.withheld.gates, about))
        places = chain((Closed(*CONTENT, gates) for gates in whole), (Closed(*ABOUT, needed),))
    elif isinstance(artifact, Entity):
        places = iter((Closed(*ABOUT, world.withheld.gates(artifact.description or "")),))
    elif isinstance(artifact, Evidence):
        by = {citing.gate for citing in world.cited(artifact.id).citing}
        own |= by if len(by) == 1 else set()  # nobody else sees it
        places = iter((Closed(*ABOUT, _needed_by(artifact, own, world)),))
    else:
        return
    yield from (span for span in places if span.gates is None or not span.gates <= own)


def _needed_by(evidence: Evidence, own: frozenset[str], world: World) -> Gates:
    """The gates that the quote and locator of evidence need; all who see the evidence pass `own`.
    The text of a claim is shown to everybody who sees the claim.
    """
    in_words = " " in evidence.locator  # not `L5` or `b12-30`
    needed = world.withheld.gates(evidence.locator) if in_words else frozenset[str]()
    if not any(
        citing.verbatim and citing.gate in own for citing in world.cited(evidence.id).citing
    ):
        about = world.withheld.gates(evidence.quote or "")
        needed = all_gates((needed, about, world.sources.closed.gates_of_quote(evidence)))
    return needed


def closing(source: Source, world: World) -> list[Gates]:
    """The gate sets that the content of a source needs beside the source's own gate; empty if it
    needs no more.
    """
    gates = world.sources.closed.gates(source)
    return [] if gates is not None and gates <= {OPEN, gate_of(source)} else [gates]


def documents_of(artifact: Artifact, state: LinkState, names: Pseudonyms) -> list[Document]:
    """The documents of an artifact."""
    return list(map(document, fields_of(artifact, names, *state)))


def behind_its_title(page: Page, withheld: Withheld) -> Page:
    """A page with the gates of the withheld claims whose text its title, id or path holds."""
    called = dict.fromkeys((page.title, page.id, PurePosixPath(page.path).stem))
    needed = all_gates(map(withheld.gates, called))
    if needed == frozenset():
        return page
    gate = gate_of(page)
    both = None if needed is None or gate is None else needed | {gate} - {OPEN}
    scope = scope_behind(None if both is None or len(both) > 1 else next(iter(both)))
    return replace(page, scope=scope)


def link_state_of(of: Document) -> LinkState:
    """The `LinkState` that an artifact's first document was made with."""
    label, closed = StemPlace.decode(of["place"][0]).label, tuple(closed_in(of))
    if closed and key_in(of).kind in (Kind.PAGE, Kind.SOURCE):  # its text may need more gates
        label = label_of([gate_of(artifact_in(of)) or OPEN])
    linked = next(iter(of.get_all("linked")), "")
    return LinkState(label, of.get_all("about"), linked, quoted_in(of), closed)


def _label_of(artifact: Artifact, world: World) -> str:
    """The visibility label of an artifact. A relation is visible to those who see both of its ends,
    evidence to those who see its source. If several artifacts share an id, a viewer must see all of
    them, unless one is open.
    """
    match artifact:
        case Relation():
            needed = [set(world.gates_at(i)) for i in (artifact.source, artifact.target)]
        case Evidence():
            needed = [set(world.gates_at(artifact.source_id))]
        case _:
            gate = gate_of(artifact)
            return NOBODY if gate is None else label_of([gate])
    if not all(needed):
        return NOBODY
    return label_of(gate for gates in needed if OPEN not in gates for gate in gates)
