"""Many files read at once: in this thread, and beside it in helper processes."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from vouch_sidecar.index.crew import Answer, Crew, Files, Job
from vouch_sidecar.index.documents import Prepared, prepare
from vouch_sidecar.kb.batches import parse_inline
from vouch_sidecar.kb.large import let_go
from vouch_sidecar.kb.reader import Reading
from vouch_sidecar.kb.records import Artifact

__all__ = ["Parsing"]

PAYS_FROM = 2_000
"""Files from which on helpers pay: they need 0.15 s to start."""
MOST_HELPERS = 3
AHEAD = 4
"""Batches on their way for each process."""


class Parsing:
    """Reads the batches of a `Store`; with helpers, also analyses what they say for full text."""

    def __init__(self, helpers: int | None = None, pays_from: int = PAYS_FROM) -> None:
        self._helpers = _spare_processors() if helpers is None else helpers
        self._pays_from = pays_from
        self._prepared: dict[str, Prepared] = {}

    def __call__(self, batches: Iterable[Files], expected: int) -> Iterator[Sequence[Reading]]:
        """What the files of each batch say, batch for batch; `expected`: how many files come."""
        if expected < self._pays_from or not self._helpers:
            yield from parse_inline(batches, expected)
            return
        crew = Crew(self._helpers)
        waiting: deque[Job] = deque()
        try:
            for files in batches:
                waiting.append(crew.add(files))
                if len(waiting) > AHEAD * (self._helpers + 1):
                    yield self._noted(crew.finish(waiting.popleft()))
            while waiting:
                yield self._noted(crew.finish(waiting.popleft()))
        finally:
            crew.dismiss()

    def prepared(self, artifact: Artifact) -> Prepared:
        """An artifact, analysed for full text: now, or when it was read; asked for once."""
        known = self._prepared.pop(artifact.path, None)
        return known if known is not None and known.artifact is artifact else prepare(artifact)

    def forget(self) -> None:
        """Let go of what was kept aside."""
        let_go(self._prepared)
        self._prepared = {}

    def _noted(self, answers: Iterable[Answer]) -> list[Reading]:
        readings = []
        for reading, prepared in answers:
            readings.append(reading)
            if prepared is not None:
                self._prepared[prepared.artifact.path] = prepared
        return readings


def _spare_processors() -> int:
    """How many helpers find a processor, besides this process."""
    usable = getattr(os, "sched_getaffinity", None)
    count = len(usable(0)) if usable is not None else os.cpu_count() or 1
    return min(count - 1, MOST_HELPERS)
