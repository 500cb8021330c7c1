"""Many files read at once: in this thread, and beside it in helper processes.

A helper is a gain and never a condition: what it does not answer is read here.
"""

from __future__ import annotations

import logging
import marshal
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue

from sidecar.index.documents import Prepared, prepare
from sidecar.index.helper import LIMIT_SECONDS, receive, send, understood
from sidecar.kb.batches import parse_inline
from sidecar.kb.reader import Reading, parse
from sidecar.kb.records import Artifact

__all__ = ["Parsing", "start_helper"]

log = logging.getLogger(__name__)

PAYS_FROM = 2_000
"""Files from which on helpers pay: they need 0.15 s to start."""
MOST_HELPERS = 3
PATIENCE = LIMIT_SECONDS + 5.0
"""Seconds until a helper that neither answers nor ends is ended."""
AHEAD = 4
"""Batches on their way for each process."""
_CODE = "import sys; sys.path[:] = sys.argv[1:]; from sidecar.index.helper import main; main()"

Files = Sequence[tuple[str, bytes]]
Helper = subprocess.Popen[bytes]
Answer = tuple[Reading, Prepared | None]


class Parsing:
    """Reads the batches of a `Store`; with helpers, also analyses what they say for full text.

    `listener` is told of everything analysed, in the order of the files, while others are read.
    """

    def __init__(self, helpers: int | None = None, pays_from: int = PAYS_FROM) -> None:
        self._helpers = _spare_processors() if helpers is None else helpers
        self._pays_from = pays_from
        self._prepared: dict[str, Prepared] = {}
        self.listener: Callable[[Prepared], object] | None = None

    def __call__(self, batches: Iterable[Files], expected: int) -> Iterator[Sequence[Reading]]:
        """What the files of each batch say, batch for batch; `expected`: how many files come."""
        if expected < self._pays_from or not self._helpers:
            yield from parse_inline(batches, expected)
            return
        crew = _Crew(self._helpers)
        waiting: deque[_Job] = deque()
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
        """An artifact, analysed for full text: now, or when it was read."""
        known = self._prepared.get(artifact.path)
        return known if known is not None and known.artifact is artifact else prepare(artifact)

    def forget(self) -> None:
        """Let go of what was kept aside."""
        self._prepared = {}
        self.listener = None

    def _noted(self, answers: Iterable[Answer]) -> list[Reading]:
        readings = []
        for reading, prepared in answers:
            readings.append(reading)
            if prepared is not None:
                self._prepared[prepared.artifact.path] = prepared
                if self.listener is not None:
                    self.listener(prepared)
        return readings


class _Job:
    """A batch on its way. `done` without answers: the helper that had it is gone."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.done = threading.Event()
        self.answers: bytes | None = None
        self.own: list[Answer] | None = None

    def do(self) -> list[Answer]:
        """Read it in this thread."""
        readings = [parse(path, data) for path, data in self.files]
        self.own = [(r, None if r.artifact is None else prepare(r.artifact)) for r in readings]
        self.done.set()
        return self.own


class _Crew:
    """Helpers at work on one queue, and this thread with them."""

    def __init__(self, helpers: int) -> None:
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._helpers: list[Helper] = []
        with suppress(OSError, ValueError):
            for _ in range(helpers):
                self._helpers.append(start_helper())
        for helper in self._helpers:
            threading.Thread(target=self._talk_to, args=(helper,), daemon=True).start()

    def add(self, files: Files) -> _Job:
        """Have a batch read, after those added before."""
        job = _Job(files)
        self._jobs.put(job)
        return job

    def finish(self, job: _Job) -> list[Answer]:
        """The answers to a batch; while a helper is at it, others are read here."""
        while not job.done.is_set():
            if (other := self._take()) is not None:
                other.do()
            elif not job.done.wait(PATIENCE):
                self._kill()
                break
        if job.own is None and job.answers is not None:
            return understood(job.answers)
        return job.own or job.do()

    def dismiss(self) -> None:
        """Have no more read; the helpers end."""
        while self._take() is not None:
            pass
        for _ in self._helpers:
            self._jobs.put(None)

    def _take(self) -> _Job | None:
        try:
            return self._jobs.get_nowait()
        except Empty:
            return None

    def _kill(self) -> None:
        log.warning("a helper process does not answer; its files are read without it")
        for helper in self._helpers:
            helper.kill()

    def _talk_to(self, helper: Helper) -> None:
        """Hand batches to a helper and its answers back, until either is through."""
        with suppress(OSError, ValueError):
            while (job := self._jobs.get()) is not None:
                job.answers = _asked(helper, job)
                job.done.set()
                if job.answers is None:
                    break
        _end(helper)


def _asked(helper: Helper, job: _Job) -> bytes | None:
    assert helper.stdin is not None
    assert helper.stdout is not None
    try:
        send(helper.stdin, marshal.dumps(list(job.files)))
        return receive(helper.stdout)
    except (OSError, ValueError):
        return None


def start_helper() -> Helper:
    """A process that imports what this one does, and nothing from the folder it stands in.

    Its streams are pipes of its own; it ends when this process does. Raises OSError or ValueError.
    """
    if not sys.executable or getattr(sys, "frozen", False):
        raise ValueError("no interpreter to start")
    return subprocess.Popen(
        [sys.executable, "-I", "-c", _CODE, *sys.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYDANTIC_DISABLE_PLUGINS": "__all__"},
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


def _end(helper: Helper) -> None:
    for stream in (helper.stdin, helper.stdout):
        with suppress(OSError):
            if stream is not None:
                stream.close()
    try:
        helper.wait(LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        helper.kill()
        helper.wait()


def _spare_processors() -> int:
    """How many helpers find a processor, besides this process."""
    usable = getattr(os, "sched_getaffinity", None)
    count = len(usable(0)) if usable is not None else os.cpu_count() or 1
    return min(count - 1, MOST_HELPERS)
