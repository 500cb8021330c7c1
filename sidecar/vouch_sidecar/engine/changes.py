"""Waits for changes of an engine and of its sessions."""

from __future__ import annotations

from typing import Self

import anyio

from vouch_sidecar.engine.engine import Engine

GATHER_SECONDS = 0.05
"""Changes within this time after the first count as one."""


class Changes:
    """Waits for changes of an engine and of its sessions. A context manager."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._event = anyio.Event()

    def __enter__(self) -> Self:
        self._engine.listeners.add(self._on_change)
        self._engine.session_listeners.add(self._on_change)
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.dismiss(self._on_change)

    def _on_change(self) -> None:
        self._event.set()

    async def wait(self, seconds: float) -> None:
        """Wait for a change since the last call, and `GATHER_SECONDS` more; for at most `seconds`
        in all.
        """
        with anyio.move_on_after(seconds):
            await self._event.wait()
            await anyio.sleep(GATHER_SECONDS)
        self._event = anyio.Event()
