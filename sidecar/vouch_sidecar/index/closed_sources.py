"""Which sources secret claims close as a whole. A secret claim (redacted, private, or of another
project) closes a source that it cites, and its revisions, unless it cites a receipt in it.
"""

from __future__ import annotations

from vouch_sidecar.index.receipts import Receipts, is_exact
from vouch_sidecar.index.withheld_texts import Gates, all_gates
from vouch_sidecar.kb.records import Evidence, Source


class ClosedSources:
    """The sources that are closed, each looked at once."""

    def __init__(self, world: Receipts) -> None:
        self._world = world
        self._gates: dict[str, Gates] = {}
        self._sealed: dict[str, list[tuple[Source, set[str]]]] = {}
        """By locator, see `_sealed_at`."""
        self._exact: dict[str, set[str]] = {}
        """Ids of the receipts of a source that a secret claim may close, by source id."""

    def gates(self, source: Source) -> Gates:
        """The gates that the whole source needs because secret claims cite it, or a revision of it,
        without a receipt in it. A claim's own receipt may be seen in any case.
        """
        if source.id not in self._gates:
            self._gates[source.id] = self._closing(source)
        return self._gates[source.id]

    def gates_of_quote(self, evidence: Evidence) -> Gates:
        """The gates that a quote needs because its whole source is closed. A receipt needs none, as
        its place is known.
        """
        source = self._world.source(evidence.source_id)
        gates = frozenset[str]() if source is None else self.gates(source)
        return frozenset() if evidence.id in self._exact.get(evidence.source_id, ()) else gates

    def _closing(self, source: Source) -> Gates:
        world = self._world
        evidence = list(world.evidence_in(source.id))
        own = {source.id, *(citation.id for citation in evidence)}
        others = [pair for pair in self._sealed_at(source.locator) if pair[0].id != source.id]
        whole = world.closing(set().union(own, *(cited for _, cited in others)), ())
        if whole == frozenset():
            return frozenset()
        data = world.content(source) if source.kept else None
        exact = {
            citation.id for citation in evidence if data is not None and is_exact(citation, data)
        }
        self._exact[source.id] = exact
        needed = world.closing(own - exact, exact) if exact or others else whole
        for other, cited in others:
            more = world.closing(cited, exact)
            if all_gates((needed, more)) != needed and self._is_revision(data, other):
                needed = all_gates((needed, more))
        return needed

    def _sealed_at(self, locator: str) -> list[tuple[Source, set[str]]]:
        """The sources with a locator that secret claims cite, also by evidence in them; each with
        the ids that are cited of it.
        """
        if locator not in self._sealed:
            world, sources = self._world, list(self._world.sources_at(locator))
            pairs = (
                (other, {other.id, *(citation.id for citation in world.evidence_in(other.id))})
                for other in (sources if len(sources) > 1 else ())
            )
            self._sealed[locator] = [
                (other, cited) for other, cited in pairs if world.closing(cited, ()) != frozenset()
            ]
        return self._sealed[locator]

    def _is_revision(self, data: bytes | None, other: Source) -> bool:
        """Whether a source with the same locator shares half of its lines, or may do so."""
        its = self._world.content(other) if other.kept else None
        if data is None or its is None:
            return True  # what can't be compared may hold the same text: it fails closed
        ours, theirs = ({*map(bytes.strip, text.splitlines())} - {b""} for text in (data, its))
        return 2 * len(ours & theirs) >= min(len(ours), len(theirs))
