"""When typing pauses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Idle:
    """Calls `do` with the URI of a document once nobody has typed there for `seconds()`."""

    def __init__(self, seconds: Callable[[], float], do: Callable[[str], None]) -> None:
        self._seconds = seconds
        self._do = do
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def __contains__(self, uri: str) -> bool:
        """Whether a document waits for its pause."""
        return uri in self._timers

    def wait(self, uri: str) -> None:
        """Begin to wait, also where the document waits already."""
        self.stop(uri)
        later = asyncio.get_running_loop().call_later
        self._timers[uri] = later(self._seconds(), self._pause, uri)

    def stop(self, uri: str) -> None:
        """Wait no longer."""
        if (timer := self._timers.pop(uri, None)) is not None:
            timer.cancel()

    def _pause(self, uri: str) -> None:
        self.stop(uri)
        self._do(uri)
