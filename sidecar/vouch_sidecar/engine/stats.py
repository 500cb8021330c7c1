"""Statistics of one process: ids and numbers, in memory only, never a text."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import ceil

from vouch_sidecar.retrieval.blocks.block import ContextHit, HitArm
from vouch_sidecar.retrieval.blocks.context import ConfiguredView
from vouch_sidecar.retrieval.probe import Probe

TEXT_ARMS: tuple[HitArm, ...] = ("name", "alias", "variant", "partial", "text")
LATEST = 1000
FOLLOWED = 1000
"""Number of latest given ids for which an opening is counted."""


@dataclass(slots=True)
class ArmCounts:
    """How often one arm gave hits, one of them was opened, and it gave none."""

    said: int = 0
    opened: int = 0
    silent: int = 0


@dataclass(slots=True)
class _Occasion:
    """The hits of one arm in one answer or push."""

    arm: ArmCounts
    followed: bool = False


@dataclass(slots=True)
class Timing:
    """How long the latest calls of one operation took, in milliseconds."""

    count: int = 0
    latest: deque[float] = field(default_factory=lambda: deque(maxlen=LATEST))

    def percentile(self, percent: int) -> float:
        """The nearest-rank percentile in milliseconds. Raises IndexError without a call."""
        ranked = sorted(self.latest)
        return round(ranked[max(0, ceil(len(ranked) * percent / 100) - 1)], 3)


@dataclass(slots=True)
class Probes:
    """How often a collection was probed, and how often something was found."""

    count: int = 0
    hits: int = 0


class Stats:
    """Counts what the process has done since it started."""

    def __init__(self) -> None:
        self.arms: dict[HitArm, ArmCounts] = {arm: ArmCounts() for arm in TEXT_ARMS}
        self.timings: defaultdict[str, Timing] = defaultdict(Timing)
        self.probes: defaultdict[str, Probes] = defaultdict(Probes)
        """By name of the collection."""
        self.phrases = 0
        self.remembered = 0
        self._awaited: OrderedDict[str, _Occasion] = OrderedDict()

    def count_call(self, operation: str, seconds: float) -> None:
        """Record the duration of one call."""
        timing = self.timings[operation]
        timing.count += 1
        timing.latest.append(seconds * 1000)

    def count_probe(self, asked: Iterable[ConfiguredView], probe: Probe, remembered: int) -> None:
        """Record a probe of `asked`; `remembered` of its phrases came from a session's memory."""
        self.phrases += len(probe.phrases)
        self.remembered += remembered
        hit = {hit.view.collection for hit in probe.hits}
        for kb in asked:
            self.probes[kb.view.collection].count += 1
            self.probes[kb.view.collection].hits += kb.view.collection in hit

    def count_hits(self, hits: Iterable[ContextHit]) -> None:
        """Record the hits of one answer or push, which may be empty."""
        occasions: dict[HitArm, _Occasion] = {}
        for hit in hits:
            occasion = occasions.setdefault(
                hit.arm, _Occasion(self.arms.setdefault(hit.arm, ArmCounts()))
            )
            for key in filter(None, (hit.artifact.id, hit.entity_id)):
                self._awaited[key] = occasion
                self._awaited.move_to_end(key)
        while len(self._awaited) > FOLLOWED:
            self._awaited.popitem(last=False)
        for name, arm in self.arms.items():
            arm.said += name in occasions
            arm.silent += name not in occasions

    def count_opened(self, artifact_id: str) -> None:
        """Record that an artifact was opened or hovered; counts once per answer that gave it."""
        occasion = self._awaited.pop(artifact_id, None)
        if occasion is not None and not occasion.followed:
            occasion.followed = True
            occasion.arm.opened += 1
