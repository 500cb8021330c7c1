"""The engines of a process that answers others: one for each set of knowledge bases, so that nobody
sees, or waits for, what somebody else asked about.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import anyio
from anyio.abc import TaskGroup

from vouch_sidecar.engine import DiskFollower, Engine
from vouch_sidecar.kb.discovery import FORCED, is_setting
from vouch_sidecar.surfaces.background import in_background
from vouch_sidecar.surfaces.local.client import carried

Asked = tuple[frozenset[Path], str]
"""Knowledge bases, and the one that the asker's environment names, or an empty text."""
IDLE_SECONDS = 2 * 3600.0
"""An engine that nobody asked for so long ends, and so does a resident process."""


class Engines:
    """Makes engines in a task group, which follow the disk. `window` is that of an editor: it
    answers what is about its own knowledge bases.
    """

    def __init__(self, env: Mapping[str, str], tasks: TaskGroup, window: Engine | None) -> None:
        # What askers set comes with their questions.
        self._env = {n: value for n, value in env.items() if n != FORCED and not is_setting(n)}
        self._tasks = tasks
        self._window = window
        self._made: dict[Asked, tuple[Engine, anyio.CancelScope]] = {}
        self._asked_at: dict[Asked, float] = {}

    def of(self, roots: frozenset[Path], forced: str = "") -> Engine:
        """The engine that answers questions about these knowledge bases. `forced` is the one that
        the asker's environment names.
        """
        asked = roots, forced
        window = self._window
        if window is not None and roots <= window.registry.window and forced == _forced(window):
            self._end(asked)
            return window
        if asked not in self._made:
            engine = Engine(env={**self._env, FORCED: forced} if forced else self._env)
            for root in sorted(roots):
                engine.registry.add_root(root)
            scope = anyio.CancelScope()
            self._made[asked] = engine, scope
            self._tasks.start_soon(self._follow, DiskFollower(engine), scope)
        engine, _ = self._made[asked]
        self._asked_at[asked] = engine.clock()
        return engine

    def about(self, roots: frozenset[Path]) -> list[Engine]:
        """The engines that have some of these knowledge bases."""
        engines = [self._window] if self._window is not None else []
        engines += [engine for engine, _ in self._made.values()]
        return [engine for engine in engines if not roots.isdisjoint(engine.collections)]

    @property
    def roots(self) -> list[str]:
        """The knowledge bases that are served to others."""
        return sorted({str(root) for roots, _ in self._made for root in roots})

    def end_idle(self) -> None:
        """End the engines that nobody asked for `IDLE_SECONDS`."""
        for asked, (engine, _) in list(self._made.items()):
            if engine.clock() - self._asked_at[asked] > IDLE_SECONDS:
                self._end(asked)

    def _end(self, asked: Asked) -> None:
        if asked in self._made:
            self._made.pop(asked)[1].cancel()

    async def _follow(self, follower: DiskFollower, scope: anyio.CancelScope) -> None:
        with scope:
            await in_background(follower.run)


def _forced(engine: Engine) -> str:
    return carried(engine.env).get(FORCED, "")
