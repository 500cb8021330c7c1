"""Many files parsed at once: in this process, and beside it in others.

Another process is a gain and never a condition: what none answers is parsed here.
"""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing.connection import wait

from vouch_sidecar.kb.reader import Reading, parse

__all__ = ["Files", "parse_at_once", "parse_each"]

log = logging.getLogger(__name__)

PAYS_FROM = 2_000
"""Files from which on other processes pay: they take half a second to start."""
MOST_PROCESSES = 3
AHEAD = 4
"""Batches on their way for each process."""
NICE = 5
PATIENCE = 20.0
"""Seconds after which a batch is parsed here."""
_QUIET = "ignore::UserWarning:multiprocessing.resource_tracker"
"""What clears semaphores when this process was killed says so on its standard error."""

Files = Sequence[tuple[str, bytes]]


def parse_each(files: Files) -> list[Reading]:
    """What files say: path below `.vouch/` and bytes of each."""
    return [parse(path, data) for path, data in files]


def parse_at_once(batches: Iterable[Files], expected: int) -> Iterator[list[Reading]]:
    """What the files of each batch say, batch for batch; `expected` files come at most."""
    processes = min(_usable_processors() - 1, MOST_PROCESSES)
    if expected < PAYS_FROM or processes < 1:
        yield from map(parse_each, batches)
        return
    for readings in _parsed_beside(batches, processes):
        yield readings
        gc.freeze()  # what files say lives on: to look through so much of it stalls the loop


def _parsed_beside(batches: Iterable[Files], processes: int) -> Iterator[list[Reading]]:
    """What other processes make of batches, some of them ahead."""
    pool = _pool(processes)
    waiting: deque[tuple[Files, Future[list[Reading]] | None]] = deque()
    try:
        for files in batches:
            waiting.append((files, _submitted(pool, files)))
            if len(waiting) > AHEAD * processes:
                yield _finished(pool, *waiting.popleft())
        while waiting:
            yield _finished(pool, *waiting.popleft())
    finally:
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)


def _pool(processes: int) -> ProcessPoolExecutor | None:
    """Processes that end with this one; None where they can't be started."""
    os.environ.setdefault("PYTHONWARNINGS", _QUIET)
    try:
        spawn = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(processes, mp_context=spawn, initializer=_begin)
    except (OSError, ImportError, NotImplementedError):
        return None


def _begin() -> None:
    """In another process: hold nobody's streams, give way, and end when the parent does."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(NICE)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
    os._exit(1)


def _submitted(pool: ProcessPoolExecutor | None, files: Files) -> Future[list[Reading]] | None:
    try:
        return None if pool is None else pool.submit(parse_each, files)
    except (BrokenProcessPool, RuntimeError, OSError):
        return None


def _finished(
    pool: ProcessPoolExecutor | None, files: Files, answer: Future[list[Reading]] | None
) -> list[Reading]:
    """What a batch says: as another process found, else as this one does; all others as well where
    one does not answer in time.
    """
    if pool is not None and answer is not None:
        try:
            return answer.result(PATIENCE)
        except (BrokenProcessPool, CancelledError, TimeoutError, OSError) as error:
            log.warning("a batch is parsed here: %s", type(error).__name__)
            pool.shutdown(wait=False, cancel_futures=True)
    return parse_each(files)


def _usable_processors() -> int:
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable is not None else os.cpu_count() or 1
