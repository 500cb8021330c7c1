"""Parses files in a process of its own: a parser holds the interpreter's lock and can't be
interrupted, and a hostile file can take it the square of its length.

The process reads a line of JSON and the bytes of a file, and answers with a line of JSON. It ends
when its input does, at a file that is too much work, and when nothing was asked for a while.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread, Timer
from typing import BinaryIO

from vouch_sidecar.workspace import syntax_trees
from vouch_sidecar.workspace.cancellation import Checkpoint, never_cancelled
from vouch_sidecar.workspace.syntax_trees import Defined

MAX_PARSED = 256 * 1024
"""Bytes that a file may have to be parsed."""
PARSER_SECONDS = 1.0
"""Seconds of processor time that a file may take; files that people wrote need a fifth at most."""
WAITING_SECONDS = 20.0
"""Seconds after which a file is given up where the system can't limit processor time (Windows), or
has none to spare.
"""
MAX_PARSER_MEMORY = 512 << 20
"""Bytes of memory that a parser may take, where the system can limit it (Linux)."""
MAX_FAILURES = 10
"""Files without an answer one after the other, after which no process is begun for a while."""
PARSER_REST_SECONDS = 60.0
"""That while."""
UNASKED_SECONDS = 600.0
"""Seconds after which a process ends that was asked nothing."""
CHECKPOINT_SECONDS = 0.05
"""Seconds between checkpoints while a file is parsed."""


class ParserProcess:
    """The process, started whenever it is needed. Thread-safe; files wait for each other."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._answers = SimpleQueue[bytes]()
        self._failures = 0
        self._rests_until = 0.0

    def parsed(
        self, data: bytes, ending: str, words: Iterable[str], checkpoint: Checkpoint
    ) -> dict[str, list[Defined]] | None:
        """The places that define each word, in order; None if they can't be had."""
        header = {"ending": ending, "words": sorted(words), "length": len(data)}
        with self._lock:
            answer = self._ask(json.dumps(header).encode() + b"\n" + data, checkpoint)
        places: dict[str, list[tuple[int, int, bool]]] | None = json.loads(answer or "null")
        if places is None:
            return None
        return {word: [Defined(*place) for place in there] for word, there in places.items()}

    def _ask(self, request: bytes, checkpoint: Checkpoint) -> bytes:
        """The line that answers a request; empty if there is none."""
        answer = b""
        if time.monotonic() < self._rests_until:
            return answer
        try:
            process = self._running()
            assert process.stdin is not None
            process.stdin.write(request)
            process.stdin.flush()
            answer = self._next_answer(checkpoint)
        except OSError:  # there can be no process, or it has just ended
            pass
        finally:
            self._failures = 0 if answer else self._failures + 1
            if not answer:
                self.end()
            if self._failures >= MAX_FAILURES:
                self._failures, self._rests_until = 0, time.monotonic() + PARSER_REST_SECONDS
        return answer

    def _next_answer(self, checkpoint: Checkpoint) -> bytes:
        until = time.monotonic() + WAITING_SECONDS
        while True:
            with suppress(Empty):
                return self._answers.get(timeout=CHECKPOINT_SECONDS)
            if time.monotonic() > until:
                return b""
            checkpoint()

    def _running(self) -> subprocess.Popen[bytes]:
        """The process; a new one if there is none any more. Raises OSError."""
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.end()
        self._process = subprocess.Popen(
            [sys.executable or "", "-P", "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=sys.prefix,  # not the workspace, which relative parts of `PYTHONPATH` would lead to
        )
        self._answers = SimpleQueue()
        Thread(target=_forward, args=(self._process, self._answers), daemon=True).start()
        return self._process

    def end(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            assert process.stdin is not None
            with suppress(OSError):  # the rest of a request that was not read
                process.stdin.close()


def _forward(process: subprocess.Popen[bytes], answers: SimpleQueue[bytes]) -> None:
    """Hand over the answers of a process; an empty one at its end."""
    assert process.stdout is not None
    with process.stdout as lines:
        for line in lines:
            answers.put(line)
    process.wait()
    answers.put(b"")


_process = ParserProcess()
atexit.register(_process.end)


def parsed(
    data: bytes, ending: str, words: Iterable[str], checkpoint: Checkpoint = never_cancelled
) -> dict[str, list[Defined]] | None:
    """The places that define each word, in order; None for a file without a grammar, and for one
    that is too large or too much work to parse.
    """
    if len(data) > MAX_PARSED or not syntax_trees.has_grammar(ending):
        return None
    return _process.parsed(data, ending, words, checkpoint)


def _serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until there are none."""
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MAX_PARSER_MEMORY, MAX_PARSER_MEMORY))
    while True:
        idle = Timer(UNASKED_SECONDS, os._exit, (0,))
        idle.daemon = True
        idle.start()
        line = requests.readline()
        idle.cancel()
        if not line:
            return
        header = json.loads(line)
        data = requests.read(header["length"])
        _limit_time(PARSER_SECONDS)
        places = syntax_trees.definitions(data, header["ending"], header["words"])
        _limit_time(0)
        answers.write(json.dumps(places).encode() + b"\n")
        answers.flush()


def _limit_time(seconds: float) -> None:
    """End this process when it has taken so much processor time; 0: no limit."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)


if __name__ == "__main__":
    _serve(sys.stdin.buffer, sys.stdout.buffer)
