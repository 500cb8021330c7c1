"""Open documents under `.vouch/` on their way to the engine."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from vouch_sidecar.engine import Engine

__all__ = ["Unsaved"]

LARGE = 20_000
"""Characters from which a document is not read at every keystroke."""
IDLE_SECONDS = 0.3

log = logging.getLogger(__name__)


class Unsaved:
    """The documents of one connection. A small one is read at once, a large one when it has not
    changed for `IDLE_SECONDS`, or when `flush` is called.
    """

    def __init__(self, engine: Engine, connection: str) -> None:
        self._engine = engine
        self._connection = connection
        self._waiting: dict[Path, str | None] = {}
        self._timer: asyncio.TimerHandle | None = None

    def put(self, path: Path, text: str | None) -> None:
        """Take the new text of a document; None where it was closed."""
        self._waiting[path] = text
        if self._timer is not None:
            self._timer.cancel()
        if text is None or len(text) < LARGE:
            self.flush()
        else:
            self._timer = asyncio.get_running_loop().call_later(IDLE_SECONDS, self.flush)

    def flush(self) -> None:
        """Read the newest text of every document that waits."""
        waiting, self._waiting = self._waiting, {}
        for path, text in waiting.items():
            try:
                self._engine.overlay(self._connection, path, text)
            except Exception as error:  # its text may quote the document
                log.error("a document was not taken in: %s", type(error).__name__)
