"""Passes open documents under `.vouch/` to the engine; parses large ones in a thread."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from anyio.to_thread import run_sync as in_worker

from vouch_sidecar.engine import Engine

LARGE = 20_000
"""Documents with this many characters are parsed in a thread: 4 MB take seconds."""

log = logging.getLogger(__name__)


class Unsaved:
    """The documents of one connection. `spawn` runs a coroutine as a task; `on_settled` is called
    when all documents are parsed. Older texts of a document are skipped.
    """

    def __init__(
        self,
        engine: Engine,
        connection: str,
        spawn: Callable[[Coroutine[Any, Any, None]], None],
        on_settled: Callable[[], None],
    ) -> None:
        self._engine = engine
        self._connection = connection
        self._spawn = spawn
        self._on_settled = on_settled
        self._waiting: dict[Path, str | None] = {}
        self.is_reading = False

    def put(self, path: Path, text: str | None) -> None:
        """Set the text of a document; None: it was closed."""
        if self.is_reading:
            self._waiting.pop(path, None)
            self._waiting[path] = text
        elif text is None or len(text) < LARGE:
            self._engine.overlay(self._connection, path, text)
        else:
            self._waiting[path] = text
            self.is_reading = True
            self._spawn(self._read())

    async def _read(self) -> None:
        try:
            while self._waiting:
                path = next(iter(self._waiting))
                text = self._waiting.pop(path)
                read = self._engine.read_overlay
                try:
                    put = await in_worker(read, self._connection, path, text)
                    put()
                except Exception as error:  # the error's text may quote the document
                    log.error("a document was not taken in: %s", type(error).__name__)
        finally:
            self.is_reading = False
            self._on_settled()
