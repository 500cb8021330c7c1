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
"""Knowledge bases, and the one that the asker's environment names."""
IDLE_SECONDS = 2 * 3600.0
"""An engine that nobody asked for so long ends, and so does a resident process."""
CHECK_SECONDS = 1.0
"""Pause between looks whether something is asked, and whether the socket is still held."""


class Engines:
    """Makes engines in a task group, which follow the disk. `window` is that of an editor: it
    answers what is about its own knowledge bases.
    """

    def __init__(self, env: Mapping[str, str], tasks: TaskGroup, window: Engine | None) -> None:
        # What askers set comes with their questions.
        self._env = {n: value for n, value in env.items() if n != FORCED and not is_setting(n)}
        self._tasks = tasks
        self._window = window
        self._made: dict[Asked, Engine] = {}
        self._asked_at: dict[Asked, float] = {}

    def of(self, roots: frozenset[Path], forced: str = "") -> Engine:
        """The engine that answers questions about these knowledge bases. `forced` is the one that
        the asker's environment names.
        """
        asked, window = (roots, forced), self._window
        is_own = window is not None and forced == carried(window.env).get(FORCED, "")
        if window is not None and is_own and roots <= window.registry.window:
            self._made.pop(asked, None)
            return window
        self._asked_at[asked] = anyio.current_time()
        if asked not in self._made:
            engine = Engine(env={**self._env, FORCED: forced} if forced else self._env)
            for root in sorted(roots):
                engine.registry.add_root(root)
            self._made[asked] = engine
            self._tasks.start_soon(self._follow, asked, engine)
        return self._made[asked]

    def about(self, roots: frozenset[Path]) -> list[Engine]:
        """The engines that have some of these knowledge bases."""
        engines = [*([self._window] if self._window is not None else []), *self._made.values()]
        return [engine for engine in engines if not roots.isdisjoint(engine.collections)]

    async def _follow(self, asked: Asked, engine: Engine) -> None:
        """Follow the disk for an engine until nobody asked it for `IDLE_SECONDS`."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(in_background, DiskFollower(engine).run)
            while self._made.get(asked) is engine:
                await anyio.sleep(CHECK_SECONDS)
                if anyio.current_time() - self._asked_at[asked] > IDLE_SECONDS:
                    self._made.pop(asked, None)
            tasks.cancel_scope.cancel()
