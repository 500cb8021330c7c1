"""The engines of a process that answers others: one for each set of knowledge bases, so that nobody
sees, or waits for, what somebody else asked about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import anyio
from anyio.abc import TaskGroup

from vouch_sidecar.engine import DiskFollower, Engine
from vouch_sidecar.kb.discovery import FORCED, is_setting
from vouch_sidecar.surfaces.background import in_background
from vouch_sidecar.surfaces.local.client import carried

IDLE_SECONDS = 2 * 3600.0
"""An engine that nobody asked for so long ends, and so does a resident process."""


@dataclass(slots=True)
class _Made:
    engine: Engine
    following: anyio.CancelScope
    asked_at: float = 0.0


class Engines:
    """Makes engines in a task group, which follow the disk. `window` is that of an editor: it
    answers what is about its own knowledge bases.
    """

    def __init__(self, env: Mapping[str, str], tasks: TaskGroup, window: Engine | None) -> None:
        # What askers set comes with their questions.
        self._env = {n: value for n, value in env.items() if n != FORCED and not is_setting(n)}
        self._tasks = tasks
        self._window = window
        self._made: dict[tuple[frozenset[Path], str], _Made] = {}

    def of(self, roots: frozenset[Path], forced: str = "") -> Engine:
        """The engine that answers questions about these knowledge bases. `forced` is the one that
        the asker's environment names.
        """
        window = self._window
        is_own = window is not None and forced == carried(window.env).get(FORCED, "")
        if window is not None and is_own and roots <= window.registry.window:
            self._end((roots, forced))
            return window
        made = self._made.get((roots, forced))
        if made is None:
            engine = Engine(env={**self._env, FORCED: forced} if forced else self._env)
            for root in sorted(roots):
                engine.registry.add_root(root)
            made = self._made[roots, forced] = _Made(engine, anyio.CancelScope())
            self._tasks.start_soon(self._follow, made)
        made.asked_at = made.engine.clock()
        return made.engine

    def about(self, roots: frozenset[Path]) -> list[Engine]:
        """The engines that have some of these knowledge bases."""
        engines = [self._window] if self._window is not None else []
        engines += [made.engine for made in self._made.values()]
        return [engine for engine in engines if not roots.isdisjoint(engine.collections)]

    def end_idle(self) -> None:
        """End the engines that nobody asked for `IDLE_SECONDS`."""
        for asked, made in list(self._made.items()):
            if made.engine.clock() - made.asked_at > IDLE_SECONDS:
                self._end(asked)

    def _end(self, asked: tuple[frozenset[Path], str]) -> None:
        if (made := self._made.pop(asked, None)) is not None:
            made.following.cancel()

    async def _follow(self, made: _Made) -> None:
        with made.following:
            await in_background(DiskFollower(made.engine).run)
