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

from vouch_sidecar.kb.discovery import RESIDENT, BaseInTree, find, start_folder
from vouch_sidecar.kb.pauses import paused_until
from vouch_sidecar.kb.recall_limit import DEFAULT, MOST, VARIABLE, limit_in, limit_of
from vouch_sidecar.kb.runtime_folder import is_supported, usable_folder
from vouch_sidecar.surfaces.local.user_socket import (
    HOOK,
    MAX_LOCAL_MESSAGE,
    MAY_WAIT,
    WAITS,
    connect,
    exchange,
    is_beginning,
    question,
)

TYPE_CHECKING = False  # `typing` takes a prompt three milliseconds
if TYPE_CHECKING:
    from typing import Any, NoReturn

Env = Mapping[str, str]

PROMPT, START, FILE, END = "user-prompt-submit", "session-start", "post-tool-use", "session-end"
NAMES = {PROMPT: "UserPromptSubmit", START: "SessionStart", FILE: "PostToolUse", END: "SessionEnd"}
"""The hosts' names of events, by the names on our command line."""
START_SECONDS = 2.0
"""Time limit of `START`, and of a prompt while a process starts."""
HOST_SECONDS = MOST // 1000 + int(START_SECONDS)
"""Time limit that hosts are given, in whole seconds: a hook has ended by itself before."""
LAST_STEP = 0.04
"""Seconds, at most half of what is left, kept for what an answer needs when its time is over: to
end its last step, and to arrive.
"""
MAX_INPUT = MAX_LOCAL_MESSAGE * 3 // 4
"""Bytes of an event, which is sent with the environment: larger ones are passed over, nobody typed
or read them.
"""
RETRY_SECONDS = 0.02
NO = {"false", "0", "no", "off"}
MINUTE = 60.0
RUNS, FOUND_IT_HELD = None, 0
STARTED = "started"
"""Name of the mark of a process that was started, and does not serve yet."""

_BEGAN = time.monotonic()


def run(arguments: Sequence[str]) -> NoReturn:
    """Read an event from standard input, print the answer, end the process. `arguments` name it.

    Prints nothing on Windows, which has neither the sockets nor the signal for the time limit.
    """
    try:
        event = next((word for word in arguments if not word.startswith("-")), "")
        if event in NAMES and is_supported():
            _end_after(allowed(event, [], os.environ, begins=True))
            answer = _answer(event, sys.stdin.buffer.read(MAX_INPUT + 1), os.environ)
            signal.setitimer(signal.ITIMER_REAL, 0)
            if answer is not None:
                os.write(1, json.dumps(answer, separators=(",", ":")).encode("ascii") + b"\n")
    except BaseException:  # an agent must not be stopped by whatever it is
        pass
    os._exit(0)


def _end_after(seconds: float) -> None:
    """End the process so many seconds after its start."""
    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
    left = _BEGAN + seconds - time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, max(0.001, left))  # 0 would switch it off


def allowed(event: str, places: Sequence[BaseInTree], env: Env, *, begins: bool) -> float:
    """Seconds that an event may take: as the environment says, else the config of the knowledge
    bases, else the default. `begins`: the process that answers has to start, or has just started,
    or just begun to serve these.
    """
    in_env = limit_in(env.get(VARIABLE, ""))
    limits = [in_env] if in_env else [limit_of(place.root) for place in places]
    is_long = event == START or (event == PROMPT and begins)
    return min(filter(None, limits), default=START_SECONDS * 1000 if is_long else DEFAULT) / 1000


def _answer(event: str, data: bytes, env: Env) -> object:
    given = json.loads(data) if len(data) <= MAX_INPUT else None
    if not isinstance(given, dict):
        return None
    cwd = given.get("cwd")
    start = cwd if isinstance(cwd, str) and os.path.isabs(cwd) else start_folder(env)
    awake = [p for p in find(start, env).places if paused_until(p.root, env) is None]
    # A session ends wherever its agent stands.
    return _ask(awake, event, {**given, "cwd": start}, env) if awake or event == END else None


def _ask(places: Sequence[BaseInTree], event: str, payload: Mapping[str, Any], env: Env) -> object:
    """What the process answers that holds the socket; the time limit ends a hook that waits.

    Asks again, with more time, where that one has just begun to serve these; and where it ended
    without an answer. Where none holds the socket, starts one, and asks that if it
    `is_worth_waiting`; another one where that found the socket held. None where it is not, where
    the start failed, and where none may be started. Raises OSError.
    """
    request = question(places, f"{HOOK}{event}", payload, env)
    started: Callable[[], int | None] | None = None
    request[WAITS] = event != PROMPT or is_beginning(env)
    _end_after(allowed(event, places, env, begins=request[WAITS]))
    while True:
        if (connected := connect(env)) is not None:
            left = signal.getitimer(signal.ITIMER_REAL)[0]
            request["until"] = time.monotonic() + left - min(LAST_STEP, left / 2)
            if (answered := exchange(connected, request, None)) is not None:
                if MAY_WAIT not in answered:
                    return answered.get("result")
                request[WAITS] = True
                _end_after(allowed(event, places, env, begins=True))
        elif event == END or starts_none(env):
            return None
        elif started is None or (state := started()) == FOUND_IT_HELD:
            is_worth_it = is_worth_waiting(env)
            started = _start_resident(env)
            if not is_worth_it:
                return None
            _end_after(allowed(event, places, env, begins=True))
        elif state is not RUNS:
            return None
        time.sleep(RETRY_SECONDS)


def starts_none(env: Env) -> bool:
    """Whether the user wants hooks to start no process."""
    return env.get(RESIDENT, "").strip().lower() in NO


def _start_resident(env: Env) -> Callable[[], int | None]:
    """Start a process that outlives this one, unless one holds the socket by then. It inherits no
    viewer and no settings, which come with each request. Returns what tells how it is: it `RUNS`,
    it ended as it `FOUND_IT_HELD`, or the exit code with which it failed. Raises OSError.
    """
    import subprocess  # a hook waits for every import, and seldom needs this one

    return subprocess.Popen(
        [sys.executable, "-m", "vouch_sidecar.surfaces.entry", "resident"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
        env={name: value for name, value in env.items() if not name.startswith("VOUCH_")},
    ).poll


def is_worth_waiting(env: Env) -> bool:
    """Whether no process that was started less than a minute ago failed to start, or was waited for
    in vain. Marks that one is started now, until one serves.
    """
    try:
        path = os.path.join(usable_folder(env, make=True), STARTED)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600), "wb") as mark:
            if START_SECONDS <= time.time() - os.fstat(mark.fileno()).st_mtime < MINUTE:
                return False
            os.utime(path)
    except OSError:
        pass
    return True


def note_serving(env: Env) -> None:
    """Take away the mark of `is_worth_waiting`: a process serves."""
    try:
        os.unlink(os.path.join(usable_folder(env), STARTED))
    except OSError:
        pass
