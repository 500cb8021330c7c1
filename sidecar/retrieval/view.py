"""A knowledge base as one viewer sees it. Everything that is said comes through here."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import UTC, datetime
from heapq import nsmallest
from math import fsum
from operator import attrgetter
from pathlib import Path
from typing import TypeVar

from sidecar.index.content import Needle, needles
from sidecar.index.knowledge import Knowledge
from sidecar.index.mentions import Mention
from sidecar.index.search import rarity
from sidecar.kb.access import gate_of
from sidecar.kb.records import Artifact, Claim, Entity, Evidence, Key, Kind, Page, Relation

__all__ = ["View", "claim_date", "moment"]

_FIRST = datetime.min.replace(tzinfo=UTC).timestamp()
_LAST = datetime.max.replace(microsecond=0, tzinfo=UTC).timestamp()
_CLAIMS_PER_WORD = 16
"""Reading a claim costs as much as looking this many up that may hold a word."""
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

    def counting(self, entity_id: str) -> AbstractSet[int]:
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
        what = f"nearest {limit} {entity_id}"
        return self.once(what, text, lambda: self._nearest(entity_id, text, limit))

    def _nearest(self, entity_id: str, text: str, limit: int) -> list[Claim]:
        shares = self.once(f"shares {entity_id}", text, lambda: self._shares(entity_id, text))
        found: list[Claim] = []
        for group in shares:
            if len(found) < limit:
                found += self._first(group, limit - len(found))
        if len(found) < limit:
            others = set(self.counting(entity_id)).difference(*shares)
            found += self._first(others, limit - len(found))
        return found

    def _shares(self, entity_id: str, text: str) -> list[array[int]]:
        """The claims of an entity that share more than others with a text, in groups that share as
        much, most first; what all of them share counts for nothing.
        """
        ordinals = self.counting(entity_id)
        weights = self.once("weights", text, lambda: self.weights(text))
        if len(ordinals) < 2:
            return []
        words = list(weights)
        masks, everywhere = self._masks(ordinals, words)
        groups: defaultdict[float, array[int]] = defaultdict(lambda: array("I"))
        for mask, group in _by_mask(masks).items():
            share = fsum(weights[words[bit]] for bit in _bits(mask | everywhere))
            groups[round(share, 9)].extend(group)
        return [groups[share] for share in sorted(groups, reverse=True)]

    def held(
        self, ordinals: AbstractSet[int], words: Sequence[Needle]
    ) -> dict[tuple[Needle, ...], list[int]]:
        """The claims that hold some of the words, by which ones they hold."""
        masks, everywhere = self._masks(ordinals, words)
        groups = {mask | everywhere: group for mask, group in _by_mask(masks).items()}
        if everywhere and (others := list(ordinals - masks.keys())):
            groups[everywhere] = others
        return {tuple(words[bit] for bit in _bits(mask)): group for mask, group in groups.items()}

    def _masks(
        self, ordinals: AbstractSet[int], words: Sequence[Needle]
    ) -> tuple[Mapping[int, int], int]:
        """Which of the words claims hold, as bits, and the bits of the words that all of them hold.

        Those are in no mask, and what holds nothing else has none.
        """
        if len(ordinals) <= _CLAIMS_PER_WORD * len(words):
            return self._read(ordinals, words), 0
        masks: defaultdict[int, int] = defaultdict(int)
        everywhere = 0
        for bit, word in enumerate(words):
            held = self.knowledge.search.postings.among(ordinals, word, Kind.CLAIM, self.gates)
            if len(held) == len(ordinals):
                everywhere |= 1 << bit
                continue
            for ordinal in held:
                masks[ordinal] |= 1 << bit
        return masks, everywhere

    def _read(self, ordinals: AbstractSet[int], words: Sequence[Needle]) -> Mapping[int, int]:
        bits: defaultdict[str, int] = defaultdict(int)
        longer: defaultdict[str, list[tuple[frozenset[str], int]]] = defaultdict(list)
        for bit, word in enumerate(words):
            for first, *others in word.alternatives:
                if others:  # looked at only where a claim holds the first of its stems
                    longer[first].append((frozenset(others), 1 << bit))
                else:
                    bits[first] |= 1 << bit
        masks: dict[int, int] = {}
        for ordinal in ordinals:
            stems = self.knowledge.document(ordinal)[1].stems
            mask = 0
            for stem in stems:
                if stem in bits:
                    mask |= bits[stem]
                if stem in longer:
                    mask |= sum({bit for others, bit in longer[stem] if others.issubset(stems)})
            if mask:
                masks[ordinal] = mask
        return masks

    def _first(self, ordinals: Iterable[int], limit: int) -> list[Claim]:
        return nsmallest(limit, self.knowledge.claims_at(ordinals), key=attrgetter("id"))


def _by_mask(masks: Mapping[int, int]) -> dict[int, list[int]]:
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for ordinal, mask in masks.items():
        groups[mask].append(ordinal)
    return groups


def _bits(mask: int) -> Iterator[int]:
    """The bits that are set, lowest first."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def moment(at: float) -> datetime:
    """A time in UTC; one beyond the calendar, which an offset can make, is its first or last."""
    return datetime.fromtimestamp(min(max(at, _FIRST), _LAST), UTC)


def claim_date(claim: Claim) -> float | None:
    """When a claim was last known to hold: confirmed, else updated, else created."""
    dates = (claim.last_confirmed_at, claim.updated_at, claim.created_at)
    return next((at for at in dates if at is not None), None)
