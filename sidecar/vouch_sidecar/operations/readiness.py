"""Waits, for a bounded time, until what an answer depends on is known, and says what is not. Who
waits for what, and how long, is a table in docs/design.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Set
from itertools import chain

from vouch_sidecar.engine import Engine, Served
from vouch_sidecar.engine.collection import Need

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
    await engine.changed.until(lambda: engine.registry.has_looked, seconds)


async def ready(
    engine: Engine,
    needs: Set[Need],
    serving: Callable[[], Sequence[Served]],
    seconds: float = CATCH_UP_SECONDS,
    *,
    whole: bool = False,
) -> Sequence[Served]:
    """Wait for what an answer out of the knowledge bases of `serving` depends on, and return these.
    If a client reported a file as changed, for the look at it, for at most `seconds`. With `whole`,
    until a first answer with these needs is whole, or `READY_SECONDS` after a knowledge base was
    added. Who has endless `seconds` waits for whatever is missing.
    """
    added = max((c.since for c in engine.collections.values()), default=-math.inf)
    left = added + READY_SECONDS - engine.clock() if whole else 0.0
    awaited = {"reported", "first"} if left > 0 else {"reported"}
    awaited |= {"first", "later"} if seconds == math.inf else set()

    seen: list[int] = []
    """The worlds after which topics were asked for: a later one may have those of other viewers."""

    def is_ready(served: Sequence[Served]) -> bool:
        if seen != (serials := [kb.collection.world.serial for kb in served]):
            seen[:] = serials
            engine.have_topics_derived(served)
        lacks = (kb.collection.lacks(needs, kb.view.gates).values() for kb in served)
        return awaited.isdisjoint(chain.from_iterable(lacks))

    if not is_ready(served := serving()):
        await engine.changed.until(lambda: is_ready(serving()), max(left, seconds))
        served = serving()
    return served
