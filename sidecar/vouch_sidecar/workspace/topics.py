"""The topics of one knowledge base, derived from one generation by `topic_finder`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count

from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.topic_table import NO_VISIBLE_TOPICS, VisibleTopics
from vouch_sidecar.kb.records import Kind

_serials = count(1)


@dataclass(frozen=True)
class Topics:
    """The topics of one knowledge base, by the gates of a viewer. `knowledge` is the generation
    that they were derived from.
    """

    knowledge: Knowledge | None = field(default=None, compare=False)
    by_gates: Mapping[frozenset[str], VisibleTopics] = field(default_factory=dict)
    serial: int = field(default_factory=lambda: next(_serials), init=False, compare=False)
    """A number that no other topics have. What a generation remembers is kept under it: under the
    topics themselves, which refer to their generation, it would keep that one in memory.
    """

    def visible_to(
        self, knowledge: Knowledge, gates: frozenset[str], never: frozenset[str] = frozenset()
    ) -> VisibleTopics:
        """The topics that a viewer with these gates may see, as far as they are derived, without
        those with a name, folded, in `never`. Topics that depend on artifacts which changed since
        are left out until topics are derived again.
        """
        if self.knowledge is None or not self.by_gates.get(gates):
            return NO_VISIBLE_TOPICS
        changed = knowledge.changed_since(self.knowledge)
        others = {Kind.ENTITY, Kind.SOURCE, Kind.EVIDENCE}
        if changed is None or any(kind in others for kind, _ in changed):
            return NO_VISIBLE_TOPICS
        return self.by_gates[gates].without(frozenset(changed), never)


NO_TOPICS = Topics()
