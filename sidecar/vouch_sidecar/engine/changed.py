"""Says that something changed in an engine or in its sessions."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from math import inf

import anyio

GATHER_SECONDS = 0.02
"""Changes within this time after the first are told together, so that prompts in a row are ranked
once, beside no question right behind them. It is short, as what is typed waited already.
"""
PAUSE_LOOK_SECONDS = 5.0
"""Time between looks whether a knowledge base is paused: the shell, or another editor, says so with
a file.
"""


class Changed:
    """Counts changes, for whoever waits for one. Only the event loop calls its methods, or,
    before there is one, whoever prepares an engine.
    """

    def __init__(self, wider: Changed | None = None) -> None:
        """`wider` counts the same changes, and others."""
        self.count = 0
        self._wider = wider
        self._waiting: set[anyio.Event] = set()

    def bump(self) -> None:
        """Something changed."""
        self.count += 1
        for event in self._waiting:
            event.set()
        if self._wider is not None:
            self._wider.bump()

    async def since(self, count: int, seconds: float = inf) -> None:
        """Wait until more than this was counted, for at most `seconds`."""
        event = anyio.Event()
        self._waiting.add(event)
        try:
            with anyio.move_on_after(seconds):
                if self.count == count:
                    await event.wait()
        finally:
            self._waiting.discard(event)

    async def until(
        self, holds: Callable[[], bool], seconds: float = inf, every: float = inf
    ) -> None:
        """Wait until something holds, for at most `seconds`: it is tried after each change, and
        `every` so many seconds without one.
        """
        with anyio.move_on_after(seconds):
            while not holds():
                await self.since(self.count, every)

    async def rounds(self, seconds: float = inf) -> AsyncIterator[None]:
        """Now, and `GATHER_SECONDS` after every change, or at the latest `seconds` after the round
        before.
        """
        while True:
            count = self.count
            yield
            await self.since(count, seconds)
            await anyio.sleep(GATHER_SECONDS)
