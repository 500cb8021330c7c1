"""The standard streams of a process that serves a protocol, its log, and how it ends."""

from __future__ import annotations

import atexit
import logging
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Mapping
from typing import BinaryIO

from vouch_sidecar import surfaces
from vouch_sidecar.kb.discovery import LOG
from vouch_sidecar.kb.sanitize import LONE_SURROGATE, escaped

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
CLIENT_POLL_SECONDS = 0.25
INTERRUPTED, TERMINATED = 130, 143


def log_to_stderr(env: Mapping[str, str]) -> None:
    """Log to standard error at the level that the environment names, by default WARNING."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format=FORMAT)
    level = logging.getLevelNamesMapping().get(env.get(LOG, "").strip().upper(), logging.WARNING)
    logging.getLogger("vouch_sidecar").setLevel(level)


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print a text to standard output or standard error, with control characters escaped. Commands
    print only through this function or `surfaces.console.printing`.
    """
    stream = sys.stderr if err else sys.stdout
    print(escaped(text), end="\n" if nl else "", file=stream, flush=True)


def well_formed(text: str) -> str:
    """The text with lone surrogates replaced, which JSON allows and UTF-8 does not."""
    return LONE_SURROGATE.sub("\ufffd", text)


def claim_streams() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output, reserved for the client of a protocol, with which the process
    ends; `print` goes to stderr from now on.
    """
    # A thread that waits for input can be neither interrupted nor cancelled.
    signal.signal(signal.SIGINT, lambda *_: leave(INTERRUPTED))
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    end_with_client(sink.fileno())
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return source, sink


def leave(code: int) -> None:
    """End the process now, as Python would, but without waiting for worker threads."""
    atexit._run_exitfuncs()
    os._exit(code)


def end_with_client(sink: int) -> None:
    """End the process on SIGTERM, when its parent has died, or when nobody reads the descriptor
    `sink` any more, which is no failure. The input may end later, if other processes hold it open.
    """
    signal.signal(signal.SIGTERM, lambda *_: leave(TERMINATED))
    readers = select.poll() if hasattr(select, "poll") else None
    if readers is not None:
        readers.register(os.dup(sink), 0)  # it is closed before the process ends by itself

    def watch() -> None:
        while os.getppid() == surfaces.PARENT:
            if readers is not None and readers.poll(0):
                leave(0)
            time.sleep(CLIENT_POLL_SECONDS)
        leave(1)

    threading.Thread(target=watch, name="client", daemon=True).start()
