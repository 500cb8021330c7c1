"""`vouch-sidecar hook EVENT`: asks the process that serves, and starts one where none does.

Imports only the standard library: a prompt waits for it. Always exits with 0 and
prints nothing but the answer.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from math import inf
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, NoReturn

from vouch_sidecar.kb.discovery import KB_DIRNAME, Finder, start_folder
from vouch_sidecar.kb.pauses import Pause
from vouch_sidecar.surfaces.hook.events import (
    DEFAULT_LIMIT,
    FILE,
    PROMPT,
    START,
    START_SECONDS,
)
from vouch_sidecar.surfaces.hook.resident_start import (
    is_unwanted,
    remember_in_vain,
    start_resident,
    was_in_vain,
)
from vouch_sidecar.surfaces.local.address import has_sockets
from vouch_sidecar.surfaces.local.client import HOOK, Process, connect, is_beginning

if TYPE_CHECKING:
    import subprocess

Payload = dict[str, Any]

MAX_INPUT = 6 << 20
"""Bytes of an event: larger ones are passed over, nobody typed or read them."""
LIMIT_VARIABLE, SETTING = "VOUCH_SIDECAR_RECALL_TIMEOUT_MS", "timeout_ms"
MAX_CONFIG = 1 << 16
"""Bytes of a config that are looked at."""
STARTING = {START, PROMPT, FILE}
"""The events that start a process where none serves."""
RETRY_SECONDS = 0.02
"""Pause between two tries to reach the process that was started."""


def run(arguments: Sequence[str]) -> NoReturn:
    """Read an event from standard input, print the answer, end the process. `arguments` name it.

    Prints nothing on Windows, which has neither the sockets nor the signal for the time limit.
    """
    try:
        if has_sockets():
            event = next((word for word in arguments if not word.startswith("-")), "")
            limit = TimeLimit(allowed(event, [], os.environ, begins=True))
            answer = _answer(event, sys.stdin.buffer.read(MAX_INPUT + 1), os.environ, limit)
            limit.set(inf)
            if answer is not None:
                os.write(1, json.dumps(answer, separators=(",", ":")).encode("ascii") + b"\n")
    except BaseException:  # an agent must not be stopped by whatever it is
        pass
    os._exit(0)


class TimeLimit:
    """Ends the process so many seconds after its start."""

    def __init__(self, seconds: float) -> None:
        self._started = monotonic()
        self.at_end: Callable[[], object] = lambda: None
        """What is done before, on time."""
        signal.signal(signal.SIGALRM, lambda *_: self._end())
        self.set(seconds)

    @property
    def left(self) -> float:
        """Seconds left, at least 0.001: 0 would disarm the timer."""
        return max(0.001, self._started + self._seconds - monotonic())

    def set(self, seconds: float) -> None:
        """Allow so many seconds since the start; any number of them with `inf`."""
        self._seconds = seconds
        signal.setitimer(signal.ITIMER_REAL, 0 if seconds == inf else self.left)

    def _end(self) -> None:
        try:
            self.at_end()
        finally:
            os._exit(0)


def allowed(event: str, roots: Sequence[str], env: Mapping[str, str], *, begins: bool) -> float:
    """Seconds that an event may take: as the environment says, else the config of the knowledge
    bases, else the default. `begins`: the process that answers has to start, or has just started.
    """
    limits = [_limit_in(env.get(LIMIT_VARIABLE, ""))]
    limits = limits if limits[0] else [*map(_configured, roots)]
    is_long = event == START or (event == PROMPT and begins)
    return min(filter(None, limits), default=START_SECONDS if is_long else DEFAULT_LIMIT)


def _limit_in(milliseconds: str) -> float | None:
    """A time limit in seconds; None where the text is none that may be set."""
    text = milliseconds.strip()
    return int(text) / 1000 if text.isdecimal() and 100 <= int(text[:6]) <= 10_000 else None


def _configured(root: str) -> float | None:
    """The limit in a knowledge base's config, by its lines: YAML takes long to import."""
    try:
        path = os.path.join(root, KB_DIRNAME, "config.yaml")
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW), "rb") as config:
            lines = config.read(MAX_CONFIG).decode("utf-8", "replace").splitlines()
    except OSError:
        return None
    settings = (line.partition("#")[0].partition(":") for line in lines)
    return next((_limit_in(value) for name, _, value in settings if name.strip() == SETTING), None)


def _answer(event: str, data: bytes, env: Mapping[str, str], limit: TimeLimit) -> object:
    given = json.loads(data) if len(data) <= MAX_INPUT else None
    if not isinstance(given, dict):
        return None
    cwd = given.get("cwd")
    start = cwd if isinstance(cwd, str) and os.path.isabs(cwd) else start_folder(env)
    places = Finder(env).placed(start)
    roots = [place.tree for place in places if Pause.of(place.root, env).until() is None]
    return ask(roots, event, {**given, "cwd": start}, env, limit) if roots else None


def ask(
    roots: Sequence[str], event: str, payload: Payload, env: Mapping[str, str], limit: TimeLimit
) -> object:
    """The answer of the process that holds the socket. Where none does, starts one, and waits until
    the time limit ends the hook; not where a start failed, or was waited for in vain, less than a
    minute ago. Raises OSError.
    """
    may_start = event in STARTING and not is_unwanted(env)
    started: subprocess.Popen[bytes] | None = None
    limit.set(allowed(event, roots, env, begins=is_beginning(env)))
    while (connected := connect(env, limit.left)) is None:
        if not may_start:
            return None
        if started is None:
            limit.set(allowed(event, roots, env, begins=True))
            started = start_resident(env)
            if was_in_vain(env):
                return None
            if event != FILE:
                limit.at_end = lambda: remember_in_vain(env)
        elif started.poll():
            remember_in_vain(env)
            return None
        sleep(RETRY_SECONDS)
    with connected:
        answered = Process(connected, roots, env).ask(f"{HOOK}{event}", payload, limit.left) or {}
    return answered.get("result") if answered.get("ok") is True else None
