"""Links claims to entities and gives each artifact its visibility label. Both depend on other
artifacts, so changing one artifact may change others (see `index.incremental`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Literal, NamedTuple, Protocol

from tantivy import Document
from vouch_sidecar.index.encoding import NOBODY, CountedEntity, StemPlace, label_of
from vouch_sidecar.index.names import Names
from vouch_sidecar.index.receipts import Cited, Quoted, QuotedSources, is_receipt
from vouch_sidecar.index.schema import WITHOUT_QUOTE, document, fields_of, quoted_in
from vouch_sidecar.kb.access import OPEN, gate_of
from vouch_sidecar.kb.records import Artifact, Claim, Evidence, Page, Relation

LinkedBy = Literal["declared", "named", "page"]


class World(Protocol):
    """Look-ups of the other artifacts that links, labels and sentences depend on."""

    @property
    def sources(self) -> QuotedSources:
        """The sources that claims quote."""

    def cited(self, evidence_id: str) -> Cited:
        """Who cites a piece of evidence."""

    @property
    def names(self) -> Names:
        """The names of all entities."""

    def pages_listing(self, claim_id: str) -> Iterable[Page]:
        """The pages that list a claim."""

    def gates_at(self, artifact_id: str) -> Iterable[str]:
        """The gates of the entity, claim, page and source that have this id."""


@dataclass(frozen=True, slots=True)
class Links:
    """The entities that a claim is linked to, and what linked them. `behind` maps a gate to further
    entities, which only viewers who pass this gate see linked.
    """

    entity_ids: tuple[str, ...]
    by: LinkedBy
    behind: Mapping[str, tuple[str, ...]]


def link(claim: Claim, world: World) -> Links:
    """Link a claim to the entities that it declares; if none of them exists, to those that its text
    names; if none, to those that the pages listing it are about. A page that not all viewers of the
    claim see links only an open claim, behind the page's gate.
    """
    if declared := _known(claim.entities, world):
        return Links(declared, "declared", {})
    mentions = world.names.find(claim.text)
    if named := _known((m.entity_id for m in mentions if not m.nested and not m.ambiguous), world):
        return Links(named, "named", {})
    by_gate: defaultdict[str | None, list[str]] = defaultdict(list)
    for page in world.pages_listing(claim.id):
        by_gate[gate_of(page)] += _about(page, world)
    own = gate_of(claim)
    shared = _known([*by_gate[OPEN], *by_gate[own]], world)
    behind = {}
    if own == OPEN:
        for gate in sorted(gate for gate in by_gate if gate not in (OPEN, None)):
            assert gate is not None
            if more := _known(set(by_gate[gate]).difference(shared), world):
                behind[gate] = more
    return Links(shared, "page", behind)


def _about(page: Page, world: World) -> tuple[str, ...]:
    """Ids of the entities that a page is about: its only entity, or those of several that the
    page's title names.
    """
    if len(set(page.entities)) < 2:
        return page.entities
    listed = [found for one in page.entities if (found := world.names.entity(one)) is not None]
    return tuple({mention.entity_id for mention in Names.of(listed).find(page.title)})


def _known(entity_ids: Iterable[str], world: World) -> tuple[str, ...]:
    return tuple(sorted({e for e in entity_ids if world.names.entity(e) is not None}))


def _counts_for(claim: Claim, links: Links) -> Iterator[str]:
    """Encode each linked entity with the visibility label of the link.

    An entity linked behind an agent's and a project's gate is encoded three times: with each gate,
    and with both. For a viewer who passes both, the count is 1 + 1 − 1.
    """
    own = label_of([gate_of(claim) or OPEN])
    yield from (CountedEntity(own, entity_id).encode() for entity_id in links.entity_ids)
    for gate, entity_ids in links.behind.items():
        yield from (CountedEntity(label_of([gate]), entity_id).encode() for entity_id in entity_ids)
    for one, other in product(links.behind, links.behind):
        if one.startswith("agent:") and other.startswith("project:"):
            label = label_of([one, other])
            both = set(links.behind[one]).intersection(links.behind[other])
            yield from (CountedEntity(label, entity_id).encode() for entity_id in sorted(both))


class Standing(NamedTuple):
    """The part of an artifact's documents that depends on other artifacts: its visibility label
    and, for a claim, its linked entities (`CountedEntity`), what linked them, and its receipt's
    place.
    """

    label: str
    about: list[str] = []  # noqa: RUF012
    linked: str = ""
    quoted: Quoted | None = None


def standing(artifact: Artifact, world: World) -> Standing:
    """The `Standing` of an artifact that some viewer may see."""
    label = _label_of(artifact, world)
    if isinstance(artifact, Evidence):
        by, retired, redacted = world.cited(artifact.id)
        is_empty = redacted or (not by and (retired or is_receipt(artifact)))
        return Standing(label, linked=WITHOUT_QUOTE if is_empty else "")
    if not isinstance(artifact, Claim):
        return Standing(label)
    links = link(artifact, world)
    counts_for = list(_counts_for(artifact, links))
    return Standing(label, counts_for, links.by, world.sources.quoted(artifact))


def documents_of(artifact: Artifact, stands: Standing) -> list[Document]:
    """The documents of an artifact."""
    return list(map(document, fields_of(artifact, *stands)))


def standing_of(of: Document) -> Standing:
    """The `Standing` that an artifact's first document was made with."""
    label = StemPlace.decode(of["place"][0]).label
    linked = next(iter(of.get_all("linked")), "")
    return Standing(label, of.get_all("about"), linked, quoted_in(of))


def _label_of(artifact: Artifact, world: World) -> str:
    """The visibility label of an artifact. A relation is visible to those who see both of its ends,
    evidence to those who see its source. Where several artifacts share an id, a viewer must see all
    of them, unless one is open.
    """
    match artifact:
        case Relation():
            needed = [set(world.gates_at(i)) for i in (artifact.source, artifact.target)]
        case Evidence():
            needed = [set(world.gates_at(artifact.source_id))]
        case _:
            return label_of([gate_of(artifact) or OPEN])
    if not all(needed):
        return NOBODY
    return label_of(gate for gates in needed if OPEN not in gates for gate in gates)
