"""Says that something changed in an engine or in its sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf

import anyio

GATHER_SECONDS = 0.05
"""Who tells of changes waits so long from one time to the next. The first is told at once: somebody
types, and waited already.
"""


class Changed:
    """Counts what is published, what begins or ends to fail, and texts of sessions. Call its
    methods on the event loop only; without one, nobody waits.
    """

    def __init__(self) -> None:
        self.count = 0
        self._waiting: set[anyio.Event] = set()

    def bump(self) -> None:
        """Something changed."""
        self.count += 1
        for event in self._waiting:
            event.set()

    async def since(self, count: int, seconds: float = inf) -> int:
        """Wait until more than this was counted, for at most `seconds`. Returns the count."""
        await self.any_since({self: count}, seconds)
        return self.count

    async def until(self, holds: Callable[[], bool], seconds: float = inf) -> None:
        """Wait until something holds, for at most `seconds`: it is tried after each change."""
        with anyio.move_on_after(seconds):
            while not holds():
                await self.since(self.count)

    @classmethod
    async def any_since(cls, counts: Mapping[Changed, int], seconds: float = inf) -> None:
        """As `since`, for whichever of several counts more first."""
        event = anyio.Event()
        for changed in counts:
            changed._waiting.add(event)
        try:
            with anyio.move_on_after(seconds):
                if all(changed.count == count for changed, count in counts.items()):
                    await event.wait()
        finally:
            for changed in counts:
                changed._waiting.discard(event)
