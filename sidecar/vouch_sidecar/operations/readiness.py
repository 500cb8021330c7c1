"""Waits, for a bounded time, until what an answer depends on is known, and says what is not. Who
waits for what, and how long, is a table in docs/design.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import anyio

from vouch_sidecar.engine import Caller, Engine, Served
from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.faults import WORKSPACE
from vouch_sidecar.operations.operation import Operation

READY_SECONDS = 10.0
"""For so long after a process begins to serve a knowledge base, answers wait until they are
complete.
"""
CATCH_UP_SECONDS = 0.5
"""How long a question waits for the look at what a client reported."""


async def indexed(engine: Engine, seconds: float = math.inf) -> None:
    """Wait until the first read of every knowledge base has ended, also if it failed; for at most
    `seconds`.
    """
    await _until(engine, lambda: engine.registry.has_looked, seconds)


def hook_limit(engine: Engine, caller: Caller) -> float:
    """Seconds that a hook may take: the shortest `timeout_ms` of the caller's knowledge bases."""
    limits = [served.settings.recall.timeout_ms for served in engine.serving(caller)]
    return min(limits, default=0) / 1000


async def ready(
    engine: Engine,
    operation: Operation[Any, Any] | None,
    caller: Caller,
    seconds: float = CATCH_UP_SECONDS,
    *,
    whole: bool = False,
) -> None:
    """If a client reported a file as changed, wait for the look at it, for at most `seconds`. With
    `whole`, wait until the first answer of an operation is whole: for the index and, if the
    operation looks around, for the workspace; until `READY_SECONDS` after a knowledge base was
    added. Without an operation, the files of the knowledge bases alone count.
    """

    def is_pending(collection: Collection) -> bool:
        looks_around = operation is not None and operation.needs_workspace(collection)
        lacks = bool(collection.reported_around) if collection.world.is_whole else whole
        will_look = looks_around and lacks and WORKSPACE not in collection.faults
        return collection.is_behind or will_look

    def is_ready() -> bool:
        chosen = engine.registry.chosen(caller, None)
        return (engine.registry.has_looked or not whole) and not any(map(is_pending, chosen))

    added = max((c.since for c in engine.collections.values()), default=-math.inf)
    left = added + READY_SECONDS - engine.clock() if whole else 0.0
    whole = left > 0
    if not is_ready():
        await _until(engine, is_ready, max(left, seconds))


def lacking(
    engine: Engine, operation: Operation[Any, Any], caller: Caller, served: Sequence[Served]
) -> list[str]:
    """What an answer that begins now does not know, as values of `degraded`."""
    is_behind = any(collection.is_behind for collection in engine.registry.chosen(caller, None))
    lacks = ["index_building"] if is_behind else []
    for kb in served:
        if kb.collection.complete and operation.needs_workspace(kb.collection):
            lacks_topics = "topics" in operation.needs and kb.collection.lacks_topics(kb.view.gates)
            is_pending = kb.collection.world_is_behind or lacks_topics
            lacks += ["workspace_pending"] if is_pending else []
    return lacks


async def _until(engine: Engine, holds: Callable[[], bool], seconds: float) -> None:
    """Wait until something holds, for at most `seconds`. It is tried again after each change."""
    with anyio.move_on_after(seconds):
        while not holds():
            await engine.changed.since(engine.changed.count)
