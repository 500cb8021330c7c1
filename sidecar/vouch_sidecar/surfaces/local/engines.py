"""The engines of a process that answers others: one for each set of knowledge bases, so that nobody
sees, or waits for, what somebody else asked about.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import anyio
from anyio.abc import TaskGroup

from vouch_sidecar.engine import DiskFollower, Engine
from vouch_sidecar.kb.discovery import is_setting
from vouch_sidecar.surfaces.background import in_background

IDLE_SECONDS = 2 * 3600.0
"""An engine that nobody asked for so long ends, and so does a resident process."""


class Engines:
    """Makes engines in a task group, which follow the disk. `window` is that of an editor: it
    answers what is about its own knowledge bases.
    """

    def __init__(self, env: Mapping[str, str], tasks: TaskGroup, window: Engine | None) -> None:
        # What askers set comes with their questions.
        self._env = {name: value for name, value in env.items() if not is_setting(name)}
        self._tasks = tasks
        self._window = window
        self._made: dict[frozenset[Path], tuple[Engine, anyio.CancelScope]] = {}
        self._asked_at: dict[frozenset[Path], float] = {}

    def of(self, roots: frozenset[Path]) -> Engine:
        """The engine that answers questions about these knowledge bases."""
        if self._window is not None and roots <= self._window.registry.window:
            self._end(roots)
            return self._window
        if roots not in self._made:
            engine = Engine(env=self._env)
            for root in sorted(roots):
                engine.registry.add_root(root)
            scope = anyio.CancelScope()
            self._made[roots] = engine, scope
            self._tasks.start_soon(self._follow, DiskFollower(engine), scope)
        engine, _ = self._made[roots]
        self._asked_at[roots] = engine.clock()
        return engine

    def about(self, roots: frozenset[Path]) -> list[Engine]:
        """The engines that have some of these knowledge bases."""
        engines = [self._window] if self._window is not None else []
        engines += [engine for engine, _ in self._made.values()]
        return [engine for engine in engines if not roots.isdisjoint(engine.collections)]

    @property
    def roots(self) -> list[str]:
        """The knowledge bases that are served to others."""
        return sorted({str(root) for roots in self._made for root in roots})

    def end_idle(self) -> None:
        """End the engines that nobody asked for `IDLE_SECONDS`."""
        for roots, (engine, _) in list(self._made.items()):
            if engine.clock() - self._asked_at[roots] > IDLE_SECONDS:
                self._end(roots)

    def _end(self, roots: frozenset[Path]) -> None:
        if roots in self._made:
            self._made.pop(roots)[1].cancel()

    async def _follow(self, follower: DiskFollower, scope: anyio.CancelScope) -> None:
        with scope:
            await in_background(follower.run)
