"""A knowledge base as one viewer sees it. Everything that is said comes through here."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import TypeVar

from pyroaring import BitMap
from vouch_sidecar.index.content import Needle, needles
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.mentions import Mention
from vouch_sidecar.index.search import rarity
from vouch_sidecar.kb.access import gate_of
from vouch_sidecar.kb.records import Artifact, Claim, Entity, Evidence, Key, Kind, Page, Relation
from vouch_sidecar.retrieval.overlap import Overlap

__all__ = ["FEW", "View", "claim_date", "moment"]

_FIRST = datetime.min.replace(tzinfo=UTC).timestamp()
_LAST = datetime.max.replace(microsecond=0, tzinfo=UTC).timestamp()
FEW = 8
"""Claims of an entity that are looked for where fewer would do: what asks next asks for some."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class View:
    """One collection for one viewer: `gates` are those that the viewer passes."""

    collection: str
    knowledge: Knowledge
    gates: frozenset[str]
    root: Path | None = None

    @property
    def identity(self) -> Path | str:
        """What a collection is known by from one question to the next: a name can go to another."""
        return self.root or self.collection

    @property
    def stamp(self) -> Hashable:
        """Another one wherever the same question may be answered in another way."""
        knowledge = self.knowledge
        return self.collection, self.root, self.gates, knowledge.generation, knowledge.overlaid

    def once(self, what: str, text: str, make: Callable[[], T]) -> T:
        """What `make` gives for a text, kept until the knowledge or the viewer is another."""
        key = (what, self.gates, self.knowledge.overlaid)
        return self.knowledge.memo.once(text, key, make)

    def sees(self, artifact: Artifact) -> bool:
        """Whether the viewer may be told of it.

        Of a relation only with both of its ends, of evidence only with its source.
        """
        if isinstance(artifact, Relation):
            return self._shows(artifact.source) and self._shows(artifact.target)
        if isinstance(artifact, Evidence):
            source = self.knowledge.source(artifact.source_id)
            return source is None or self.sees(source)
        return gate_of(artifact) in self.gates

    def visible(self, key: Key) -> Artifact | None:
        """An artifact, if it is there and the viewer may see it."""
        artifact = self.knowledge.artifact(key)
        return artifact if artifact is not None and self.sees(artifact) else None

    def claim(self, claim_id: str) -> Claim | None:
        found = self.visible((Kind.CLAIM, claim_id))
        return found if isinstance(found, Claim) else None

    def entity(self, entity_id: str) -> Entity | None:
        return self.knowledge.entity(entity_id)

    def claims(self, claim_ids: Iterable[str]) -> list[Claim]:
        """Those of the claims that the viewer may see, by id."""
        found = (self.claim(claim_id) for claim_id in sorted(claim_ids))
        return [claim for claim in found if claim is not None]

    def claims_of(self, entity_id: str) -> list[Claim]:
        """The claims that count for an entity, by id."""
        found = self.knowledge.claims_at(self.counting(entity_id))
        return sorted(found, key=attrgetter("id"))

    def counting(self, entity_id: str) -> BitMap:
        """Ordinals of the claims that count for an entity; not to be changed."""
        return self.knowledge.counting(entity_id, self.gates)

    def count(self, kind: Kind) -> int:
        """How many artifacts of a kind the viewer may see."""
        if kind in (Kind.CLAIM, Kind.ENTITY, Kind.SOURCE):  # one document each
            return self.knowledge.search.total(kind, self.gates)
        return self.once(
            "count", kind, lambda: sum(self.sees(a) for a in self.knowledge.all_of(kind))
        )

    def claim_count(self, entity_id: str) -> int:
        """How many claims count for an entity."""
        return len(self.counting(entity_id))

    def pages_about(self, key: Key) -> list[Page]:
        """The pages that list a claim or an entity, by id."""
        pages = (self.visible((Kind.PAGE, page_id)) for page_id in self.knowledge.pages_about(key))
        return [page for page in pages if isinstance(page, Page)]

    def relations_of(self, artifact_id: str) -> list[Relation]:
        """The relations of an artifact that the viewer may see, by id."""
        ids = self.knowledge.relations_of(artifact_id)
        relations = (self.knowledge.relation(relation_id) for relation_id in ids)
        return [r for r in relations if r and self.sees(r)]

    def _shows(self, endpoint: str) -> bool:
        kinds = (Kind.ENTITY, Kind.CLAIM, Kind.PAGE, Kind.SOURCE)
        return any(self.visible((kind, endpoint)) for kind in kinds)

    def mentions(self, text: str) -> list[Mention]:
        """Places in a text that name an entity, nested ones included."""
        return self.knowledge.names.find(text)

    @property
    def claim_total(self) -> int:
        """How many claims the viewer may see."""
        return self.knowledge.search.total(Kind.CLAIM, self.gates)

    def frequency(self, needle: Needle) -> int:
        """How many claims that the viewer may see hold a word."""
        return self.knowledge.search.frequency(needle, Kind.CLAIM, self.gates)

    def weights(self, text: str) -> Mapping[Needle, float]:
        """The content words of a text with their rarity among the claims."""
        total = self.claim_total
        return {n: rarity(total, self.frequency(n)) for n in needles(text)}

    def nearest(self, entity_id: str, text: str, limit: int) -> list[Claim]:
        """The claims of an entity by what they share with a text: content words by rarity, ties
        by id.
        """
        most = max(limit, FEW)

        def find() -> list[Claim]:
            weights = self.once("weights", text, lambda: self.weights(text))
            overlap = Overlap(self.knowledge, self.gates)
            return overlap.largest(self.counting(entity_id), weights, most)

        return self.once(f"nearest {most} {entity_id}", text, find)[:limit]

    def held(
        self, ordinals: BitMap, words: Sequence[Needle]
    ) -> dict[tuple[Needle, ...], list[int]]:
        """The claims that hold some of the words, by which ones they hold."""
        return Overlap(self.knowledge, self.gates).held(ordinals, words)


def moment(at: float) -> datetime:
    """A time in UTC; one beyond the calendar, which an offset can make, is its first or last."""
    return datetime.fromtimestamp(min(max(at, _FIRST), _LAST), UTC)


def claim_date(claim: Claim) -> float | None:
    """When a claim was last known to hold: confirmed, else updated, else created."""
    dates = (claim.last_confirmed_at, claim.updated_at, claim.created_at)
    return next((at for at in dates if at is not None), None)
