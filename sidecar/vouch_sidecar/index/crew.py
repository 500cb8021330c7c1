"""Helper processes at work on one queue of batches, and this thread with them.

A helper is a gain and never a condition: what it does not answer is read here.
"""

from __future__ import annotations

import logging
import marshal
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, Queue, SimpleQueue

from vouch_sidecar.index.documents import Prepared, prepare
from vouch_sidecar.index.helper import LIMIT_SECONDS, receive, send, understood
from vouch_sidecar.kb.reader import Reading, parse

__all__ = ["Answer", "Crew", "Files", "Helper", "Job", "ask", "end", "hear", "start_helper"]

log = logging.getLogger(__name__)

PATIENCE = LIMIT_SECONDS + 5.0
"""Seconds until a helper that neither answers nor ends is ended."""
AT_HAND = 2
"""Batches that a helper has beside the one that it reads, so that it never waits for its next."""
PIPE = 1 << 20
"""Bytes that a pipe to or from a helper holds, where that can be said: more than a batch has."""
_CODE = (
    "import sys; sys.path[:] = sys.argv[1:]; from vouch_sidecar.index.helper import main; main()"
)

Files = Sequence[tuple[str, bytes]]
Helper = subprocess.Popen[bytes]
Answer = tuple[Reading, Prepared | None]


class Job:
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


class Crew:
    """So many helpers; fewer where they can't be started."""

    def __init__(self, helpers: int) -> None:
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._helpers: list[Helper] = []
        with suppress(OSError, ValueError):
            for _ in range(helpers):
                self._helpers.append(start_helper())
        for helper in self._helpers:
            asked: Queue[Job | None] = Queue(AT_HAND)
            for work in (self._ask, self._hear):
                threading.Thread(target=work, args=(helper, asked), daemon=True).start()

    def add(self, files: Files) -> Job:
        """Have a batch read, after those added before."""
        job = Job(files)
        self._jobs.put(job)
        return job

    def finish(self, job: Job) -> list[Answer]:
        """The answers to a batch; while a helper is at it, others are read here."""
        while not job.done.is_set():
            if (other := self._take()) is not None:
                other.do()
            elif not job.done.wait(PATIENCE):
                log.warning("a helper process does not answer; its files are read without it")
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

    def _take(self) -> Job | None:
        try:
            return self._jobs.get_nowait()
        except Empty:
            return None

    def _kill(self) -> None:
        for helper in self._helpers:
            helper.kill()

    def _ask(self, helper: Helper, asked: Queue[Job | None]) -> None:
        """Hand batches to a helper, some ahead of its answers, until either is through."""
        with suppress(OSError, ValueError):
            while (job := self._jobs.get()) is not None:
                asked.put(job)
                ask(helper, job.files)
        asked.put(None)

    def _hear(self, helper: Helper, asked: Queue[Job | None]) -> None:
        """Take a helper's answers to what it was asked; after one that is none, it ends."""
        with suppress(OSError, ValueError):
            while (job := asked.get()) is not None:
                if helper.returncode is None:
                    job.answers = hear(helper)
                job.done.set()
                if job.answers is None:
                    helper.kill()
        end(helper)


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
        pipesize=PIPE,
        env={**os.environ, "PYDANTIC_DISABLE_PLUGINS": "__all__"},
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


def ask(helper: Helper, files: Files) -> None:
    """Hand a batch to a helper. Raises OSError or ValueError where it is gone."""
    assert helper.stdin is not None
    send(helper.stdin, marshal.dumps(list(files)))


def hear(helper: Helper) -> bytes | None:
    """Its next answer; None where there will be none."""
    assert helper.stdout is not None
    try:
        return receive(helper.stdout)
    except (OSError, ValueError):
        return None


def end(helper: Helper) -> None:
    """Wait until a helper has ended that is asked nothing more."""
    for stream in (helper.stdin, helper.stdout):
        with suppress(OSError):
            if stream is not None:
                stream.close()
    try:
        helper.wait(LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        helper.kill()
        helper.wait()
