"""The topics of one knowledge base, derived from one generation by `topic_finder`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count

from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.topic_table import NO_VISIBLE_TOPICS, Table, VisibleTopics
from vouch_sidecar.kb.access import OPEN
from vouch_sidecar.kb.records import Kind

READY = 4
"""Gates for whose viewers look-ups are built at once."""
MAX_KEPT = 16
"""The number of viewers and generations whose topics are remembered."""
_serials = count(1)


@dataclass(frozen=True, eq=False)
class Topics:
    """The topics of one knowledge base, by the gate that makes them. `of` is the generation that
    they were derived from.
    """

    knowledge: Knowledge | None = None
    by_gate: Mapping[str, Table] = field(default_factory=dict)
    serial: int = field(default_factory=lambda: next(_serials), init=False)
    """A number that no other topics have. What a generation remembers is kept under it: under the
    topics themselves, which refer to their generation, it would keep that one in memory.
    """
    _kept: dict[tuple[object, ...], VisibleTopics] = field(
        default_factory=dict, init=False, repr=False
    )

    def made_ready(self) -> Topics:
        """These topics, after building the look-ups that most viewers need."""
        for gate in [OPEN, *self.by_gate][:READY]:
            if self.knowledge is not None:
                self.visible_to(self.knowledge, frozenset({OPEN, gate})).of_claim("")
        return self

    def visible_to(
        self, knowledge: Knowledge, gates: frozenset[str], never: frozenset[str] = frozenset()
    ) -> VisibleTopics:
        """The topics that a viewer with these gates may see. Topics that depend on artifacts which
        changed since `of` are left out until topics are derived again.
        """
        if self.knowledge is None or not self.by_gate:
            return NO_VISIBLE_TOPICS
        key = (knowledge.serial, gates, never)
        visible = self._kept.get(key)
        if visible is None:
            if len(self._kept) >= MAX_KEPT:
                self._kept.clear()
            visible = self._kept[key] = self._seen(knowledge, gates, never)
        return visible

    def _seen(
        self, knowledge: Knowledge, gates: frozenset[str], never: frozenset[str]
    ) -> VisibleTopics:
        assert self.knowledge is not None
        changed = knowledge.changed_since(self.knowledge)
        others = {Kind.ENTITY, Kind.SOURCE, Kind.EVIDENCE}
        if changed is None or any(kind in others for kind, _ in changed):
            return NO_VISIBLE_TOPICS
        order = sorted(gates & self.by_gate.keys(), key=lambda gate: (gate != OPEN, gate))
        seen = VisibleTopics((self.by_gate[gate] for gate in order), never)
        if not changed:
            return seen
        ids = {
            kind: frozenset(i for k, i in changed if k is kind) for kind in (Kind.CLAIM, Kind.PAGE)
        }
        return seen.without_artifacts(ids[Kind.CLAIM], ids[Kind.PAGE])


NO_TOPICS = Topics()
