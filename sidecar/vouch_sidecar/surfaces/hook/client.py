"""`vouch-sidecar hook EVENT`: asks the process that serves, and starts one where none does.

Imports only the standard library: a prompt waits for it. Always exits with 0 and
prints nothing but the answer.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import inf
from time import monotonic, sleep
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from vouch_sidecar.kb.discovery import KB_DIRNAME, LOG, Finder, start_folder
from vouch_sidecar.kb.pauses import Pause
from vouch_sidecar.surfaces.hook.events import (
    DEFAULT_LIMIT,
    END,
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
from vouch_sidecar.surfaces.local.client import HOOK, Process, connect

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
    if not has_sockets():
        os._exit(0)
    env = os.environ
    event = next((word for word in arguments if not word.startswith("-")), "")
    try:
        deadline = TimeLimit(event, env)
        sink = _claim_output(env)
        answer = _answer(event, sys.stdin.buffer.read(MAX_INPUT + 1), env, deadline)
        deadline.disarm()
        if answer is not None:
            os.write(sink, answer)
        if _is_logged():
            _log(f"hook {event}: {len(answer or b'')} bytes in {deadline.passed * 1000:.1f} ms")
    except BaseException as error:
        _log(f"hook {event}: {type(error).__name__}")  # the error's text may hold a prompt
    os._exit(0)


def _is_logged() -> bool:
    return os.environ.get(LOG, "").strip().lower() == "debug"


def _log(line: str) -> None:
    """Write a line to standard error; it is only open if a log is wanted."""
    try:
        sys.stderr.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} DEBUG vouch_sidecar: {line}\n")
        sys.stderr.flush()
    except (OSError, AttributeError):  # there is no standard error
        return


class TimeLimit:
    """Ends the process at its time limit, by a signal."""

    def __init__(self, event: str, env: Mapping[str, str]) -> None:
        self._started = monotonic()
        self._is_start = event == START
        given = _limit_in(env.get(LIMIT_VARIABLE, ""))
        self._is_set = given is not None
        """Whether the environment sets it."""
        self._limit = given or (START_SECONDS if self._is_start else DEFAULT_LIMIT)
        self._in_vain: Callable[[], None] | None = None
        signal.signal(signal.SIGALRM, self._end)
        self._arm()

    @property
    def passed(self) -> float:
        """Seconds since the start."""
        return monotonic() - self._started

    @property
    def left(self) -> float:
        """Seconds left, at least 0.001: 0 would disarm the timer."""
        return max(0.001, self._started + self._limit - monotonic())

    def wait_for_start(self, roots: Sequence[str], in_vain: Callable[[], None]) -> None:
        """Allow a process the time to start, unless somebody set a limit. `in_vain` is called at
        the end if no process has said anything before.
        """
        self._in_vain = in_vain
        self._take(min(filter(None, map(_configured, roots)), default=START_SECONDS))

    def adopt(self, about: Mapping[str, Any]) -> None:
        """Take the limit that a process says, in seconds since the start; where it is the default,
        a process that began a moment ago keeps the time for its start.
        """
        self._in_vain = None
        limit, wait = about.get("limit"), about.get("wait")
        has_begun = isinstance(wait, int | float) and wait > 0
        if not isinstance(limit, int | float):
            return
        if limit != DEFAULT_LIMIT or not (self._is_start or has_begun):
            self._take(limit)

    def disarm(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _take(self, limit: float) -> None:
        if not self._is_set:
            self._limit = limit
            self._arm()

    def _arm(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, self.left)

    def _end(self, _number: int, _frame: FrameType | None) -> None:
        if _is_logged():
            _log("the time limit ended a hook")
        try:
            if self._in_vain is not None:
                self._in_vain()
        finally:
            os._exit(0)


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


def _claim_output(env: Mapping[str, str]) -> int:
    """A descriptor for the answer. All other output is dropped, except that standard error stays if
    the environment asks for a log.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    if not env.get(LOG, "").strip():
        os.dup2(nowhere, 2)
    try:
        sink = os.dup(1)
    except OSError:  # it is closed: nobody listens
        return nowhere
    os.dup2(nowhere, 1)
    return sink


def _answer(event: str, data: bytes, env: Mapping[str, str], deadline: TimeLimit) -> bytes | None:
    given = _read(data)
    if given is None:
        return None
    cwd = given.get("cwd")
    start = cwd if isinstance(cwd, str) and os.path.isabs(cwd) else start_folder(env)
    places = Finder(env).placed(start)
    roots = [place.tree for place in places]
    speaking = [place.tree for place in places if Pause.of(place.root, env).until() is None]
    # Who is paused says nothing, but learns what the agent has no longer.
    is_forgotten = event == END or given.get("source") in ("compact", "clear")
    asked = speaking or (roots if is_forgotten else [])
    result = _ask(asked, event, {**given, "cwd": start}, env, deadline) if asked else None
    if result is None or not speaking:
        return None
    return json.dumps(result, separators=(",", ":")).encode("ascii") + b"\n"


def _read(data: bytes) -> Payload | None:
    if len(data) > MAX_INPUT:
        return None
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return given if isinstance(given, dict) else None


def _ask(
    roots: Sequence[str], event: str, payload: Payload, env: Mapping[str, str], deadline: TimeLimit
) -> object:
    """The answer of the process that holds the socket. Where none does, starts one, and waits until
    the time limit ends the hook; not where a start failed, or was waited for in vain, less than a
    minute ago. Raises OSError.
    """
    may_start = event in STARTING and not is_unwanted(env)
    has_time = event in (START, PROMPT) and may_start and not was_in_vain(env)
    if has_time:
        deadline.wait_for_start(roots, partial(remember_in_vain, env))
    started: subprocess.Popen[bytes] | None = None
    while (connected := connect(env, deadline.left)) is None:
        if not may_start:
            return None
        if started is None:
            started = start_resident(env)
            if not has_time and event != FILE:
                return None
        elif started.poll():
            remember_in_vain(env)
            return None
        sleep(RETRY_SECONDS)
    with connected:
        process = Process(connected, roots, env, lambda: deadline.left)
        if about := process.about(inf):  # it may just begin to import what it needs
            deadline.adopt(about)
        answered = process.ask(f"{HOOK}{event}", payload)
    return answered.get("result") if answered is not None and answered.get("ok") is True else None
