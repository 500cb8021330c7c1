"""The process's own standard streams, kept for a protocol, and its log."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Mapping
from io import RawIOBase
from typing import BinaryIO

__all__ = ["claim_streams", "die_soon", "leave", "log_to_stderr"]

LEVELS = frozenset({"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"})
GRACE = 1.5
"""Seconds that a process may take to end by itself; two are allowed."""


def log_to_stderr(env: Mapping[str, str]) -> None:
    """Log to standard error at the level that `VOUCH_SIDECAR_LOG` names, else warnings."""
    level = env.get("VOUCH_SIDECAR_LOG", "").strip().upper()
    logging.basicConfig(
        level=logging.WARNING,
        stream=sys.stderr,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    logging.getLogger("vouch_sidecar").setLevel(level if level in LEVELS else logging.WARNING)


def claim_streams() -> tuple[RawIOBase, BinaryIO]:
    """Standard input and output for a protocol alone; whatever else prints goes to stderr."""
    source = os.fdopen(os.dup(0), "rb", buffering=0)
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return source, sink


def die_soon(code: int) -> None:
    """End the process in `GRACE` seconds, however busy its event loop is by then."""
    timer = threading.Timer(GRACE, os._exit, (code,))
    timer.daemon = True
    timer.start()


def leave(code: int) -> None:
    """End the process now: worker threads that still parse or commit are not waited for."""
    logging.shutdown()
    os._exit(code)
