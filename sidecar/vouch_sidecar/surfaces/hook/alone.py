"""A hook without a resident process: from the warm cache, or not at all."""

from __future__ import annotations

import fcntl
import gc
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from vouch_sidecar.surfaces.hook.payload import output
from vouch_sidecar.surfaces.local.address import socket_path, usable_folder

__all__ = ["Limited", "answer", "hold_warming"]

SPARE = 0.05
"""Seconds that are kept for saying what was found."""


class Limited(Protocol):
    """How long there is; may turn out to be longer or shorter."""

    @property
    def left(self) -> float: ...

    def set(self, limit: float) -> None: ...


def answer(
    root: str, event: str, payload: Mapping[str, Any], env: Mapping[str, str], deadline: Limited
) -> object:
    """What to print, None for nothing: also where the cache is cold, or the knowledge base has
    changed since, which leaves one process behind to warm it.
    """
    gc.disable()  # the process ends before there is anything to collect
    from vouch_sidecar.surfaces.hook.swift import about, speaker

    one = speaker(Path(root), env)
    if one is None:
        _warm(root, env)
        return None
    deadline.set(one.settings.recall.timeout_ms / 1000)
    return output(event, about(one, event, payload, lambda: deadline.left < SPARE))


def hold_warming(root: str | os.PathLike[str], env: Mapping[str, str]) -> bool:
    """Whether this process is the only one, until it ends, to warm the cache of a knowledge base.

    Raises OSError where that can't be known.
    """
    usable_folder(env, make=True)
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    lock = os.open(f"{socket_path(root, env)}.warm", flags, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return False
    return True


def _warm(root: str, env: Mapping[str, str]) -> None:
    """Leave one process behind that fills the cache."""
    command = [sys.executable, "-m", "vouch_sidecar.surfaces.entry", "warm", "--root", root]
    try:
        if not hold_warming(root, env):
            return
    except OSError:
        return
    import subprocess

    subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
        env=dict(env),
    )
