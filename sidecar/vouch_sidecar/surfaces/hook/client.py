"""`vouch-sidecar hook EVENT`: asks a running process for the answer, else works it out itself.

Imports only the standard library while another process answers. Always exits with 0 and prints
nothing but the answer.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import monotonic
from types import FrameType
from typing import Any, NoReturn

from vouch_sidecar.kb.discovery import LOG, RESIDENT, TRUST, discover, start_folder
from vouch_sidecar.kb.runtime_folder import is_supported
from vouch_sidecar.surfaces.hook.payload import edited_file, prompt_of, session_of, text_of
from vouch_sidecar.surfaces.hook.seen_events import Mark, forget
from vouch_sidecar.surfaces.local.client import Owner, owners, viewer_of

Payload = dict[str, Any]


MAX_INPUT = 16 << 20
DEFAULT_LIMIT = 0.5
"""Time limit in seconds, unless the environment or the knowledge base's config sets one."""
LIMIT_VARIABLE = "VOUCH_SIDECAR_RECALL_TIMEOUT_MS"
NO = {"false", "0", "no", "off"}


def run(arguments: Sequence[str]) -> NoReturn:
    """Read an event from standard input, print the answer, end the process. `arguments` name it.

    Prints nothing on Windows, which has neither the sockets nor the signal for the time limit.
    """
    if not is_supported():
        os._exit(0)
    env = os.environ
    event = ""
    try:
        deadline = TimeLimit(env)
        event, log_file = _parsed(arguments)
        sink = _claim_output(env, log_file)
        answer = _answer(event, sys.stdin.buffer.read(MAX_INPUT + 1), env, deadline)
        deadline.disarm()
        if answer is not None:
            os.write(sink, answer)
        if _is_logged():
            _log(f"hook {event}: {len(answer or b'')} bytes in {deadline.passed * 1000:.1f} ms")
    except BaseException as error:
        _log(f"hook {event}: {type(error).__name__}")  # the error's text may hold a prompt
    os._exit(0)


def _parsed(arguments: Sequence[str]) -> tuple[str, str | None]:
    """The event ("" without one), and the file to log to."""
    event, log_file = "", None
    words = iter(arguments)
    for word in words:
        if word == "--log-file":
            log_file = next(words, None)
        elif word.startswith("--log-file="):
            log_file = word.partition("=")[2]
        elif not event and not word.startswith("-"):
            event = word
    return event, log_file


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
    """Ends the process at its time limit, by a signal; calls the functions in `at_end` before."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._started = monotonic()
        given = env.get(LIMIT_VARIABLE, "").strip()
        self.known = given.isdecimal() and 100 <= int(given[:6]) <= 10_000
        self._limit = int(given) / 1000 if self.known else DEFAULT_LIMIT
        self.at_end: list[Callable[[], None]] = []
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

    def set(self, limit: float) -> None:
        """Set the limit, in seconds since the start."""
        self._limit, self.known = limit, True
        self._arm()

    def disarm(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _arm(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, self.left)

    def _end(self, _number: int, _frame: FrameType | None) -> None:
        if _is_logged():
            _log("the time limit ended a hook")
        try:
            for do in self.at_end:
                do()
        finally:
            os._exit(0)


def _claim_output(env: Mapping[str, str], log_file: str | None) -> int:
    """A descriptor for the answer. All other output is dropped, except that standard error goes to
    the log file, or stays if the environment asks for a log.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    if log_file is not None and ".vouch" not in os.path.realpath(log_file).split(os.sep):
        os.dup2(os.open(log_file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)
        os.environ.setdefault(LOG, "debug")
    elif not env.get(LOG, "").strip():
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
    given["cwd"] = start
    payload = _reduced(event, given)
    if payload is None:
        return None
    roots = discover(start, env=env)
    if not roots:
        return None
    session_id = payload["session_id"]
    mark = Mark.take(env, session_id, event, *roots, json.dumps(payload, sort_keys=True))
    payload["cwd"] = start
    payload["viewer"] = viewer_of(env)
    if session_id is not None and _loses_answers(event, payload):
        forget(env, session_id, mark)
    if mark is None:
        if _loses_answers(event, payload):
            _ask_owner(roots, event, payload, env, deadline)
        return None
    deadline.at_end.append(mark.take_back)
    result = _ask(roots, event, payload, env, deadline)
    if result is None:
        mark.take_back()
        return None
    return json.dumps(result, separators=(",", ":")).encode("ascii") + b"\n"


def _loses_answers(event: str, payload: Payload) -> bool:
    """Whether the agent no longer has the answers that it was given in the session."""
    return event == "session-end" or payload.get("source") in ("compact", "clear")


def _read(data: bytes) -> Payload | None:
    if len(data) > MAX_INPUT:
        return None
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return given if isinstance(given, dict) else None


def _reduced(event: str, given: Payload) -> Payload | None:
    """The part of an event on which the answer depends; None if it gets no answer."""
    try:
        session_id = session_of(given)
    except ValueError:
        return None
    if event == "user-prompt-submit":
        prompt = prompt_of(given)
        return None if prompt is None else {"session_id": session_id, "prompt": prompt}
    if event == "post-tool-use":
        text, path = text_of(given), edited_file(given)
        changed = {"file_path": path, "new_string": text}
        return {"session_id": session_id, "tool_input": changed} if path is not None else None
    if event == "session-start":
        return {"session_id": session_id, "source": given.get("source")}
    if event == "session-end":
        return {"session_id": session_id}
    return None


def _ask(
    roots: Sequence[str], event: str, payload: Payload, env: Mapping[str, str], deadline: TimeLimit
) -> object:
    """The answer of a process that serves these knowledge bases, else of this process."""
    answered = _ask_owner(roots, event, payload, env, deadline)
    if answered is not None:
        return answered.get("result")
    return None if event == "session-end" else _answer_here(roots, event, payload, env, deadline)


def _ask_owner(
    roots: Sequence[str], event: str, payload: Payload, env: Mapping[str, str], deadline: TimeLimit
) -> Mapping[str, Any] | None:
    """The answer of a process that serves these knowledge bases; None without one."""
    for owner in owners(roots, env, lambda: deadline.left):
        answered = _answer_of(owner, event, payload, deadline)
        if answered is not None:
            return answered
    return None


def _answer_of(
    owner: Owner, event: str, payload: Payload, deadline: TimeLimit
) -> Mapping[str, Any] | None:
    """The answer of an owner, which first sends the time limit from the config.

    None if the owner ends, sends nonsense, or does not serve all these knowledge bases.
    """
    owner.send("hook.limit", {})
    owner.send(f"hook.{event}", payload)
    limit_answer = owner.answer()
    if limit_answer is None or limit_answer.get("ok") is not True:
        return None
    limit = limit_answer.get("result")
    if not deadline.known and isinstance(limit, int | float):
        deadline.set(limit)
    answered = owner.answer()
    return answered if answered is not None and answered.get("ok") is True else None


def _answer_here(
    roots: Sequence[str], event: str, payload: Payload, env: Mapping[str, str], deadline: TimeLimit
) -> object:
    """The answer of an engine in this process; None if the cache holds no base. Starts a resident
    process for the next hook. If the user wants none, starts a process that fills the cache,
    should the base be missing or old or the time limit pass.
    """
    has_resident = _wants_resident(env)
    if has_resident:
        _start_resident(roots, env)
    warm = partial(_warm, [] if has_resident else roots, env)
    deadline.at_end.append(warm)
    gc.disable()  # the process ends soon; collecting would take a tenth of its time
    from pathlib import Path

    from vouch_sidecar.engine import Caller, Engine
    from vouch_sidecar.surfaces.hook.events import limit_of, respond
    from vouch_sidecar.surfaces.stdio import log_to_stderr

    log_to_stderr(env)
    engine = Engine(env=env)
    collections = [engine.add_root(Path(root)) for root in roots]
    if not all(collection.find_base() for collection in collections):
        warm()
        return None
    engine.read()
    if any(one.wants_base for one in collections):
        warm()
    deadline.set(limit_of(engine))
    return respond(engine, event, payload, Caller(is_model=True))


def _warm(roots: Sequence[str], env: Mapping[str, str]) -> None:
    """For each knowledge base, start a process that fills its cache, unless one is running."""
    from vouch_sidecar.surfaces.local.ownership import hold

    for root in roots:
        try:
            lock = hold(root, env, "warm")
        except OSError:
            return
        if lock is None:
            continue
        os.close(lock)  # the new process takes it
        _start_process(["warm", "--root", root], env)


def _wants_resident(env: Mapping[str, str]) -> bool:
    return env.get(RESIDENT, "").strip().lower() not in NO


def _start_resident(roots: Sequence[str], env: Mapping[str, str]) -> None:
    """Start a process that serves these knowledge bases, unless each has one. It inherits no viewer
    and no settings, which come with each request, except the trusted folders of other users.
    """
    from vouch_sidecar.surfaces.local.ownership import hold

    try:
        locks = [lock for root in roots if (lock := hold(root, env, "lock")) is not None]
    except OSError:
        return
    for lock in locks:
        os.close(lock)
    if locks:
        kept = {n: v for n, v in env.items() if n == TRUST or not n.startswith("VOUCH_")}
        _start_process(["resident", *(f"--root={root}" for root in roots)], kept)


def _start_process(command: Sequence[str], env: Mapping[str, str]) -> None:
    """Start a process that outlives this one."""
    import subprocess

    subprocess.Popen(
        [sys.executable, "-m", "vouch_sidecar.surfaces.entry", *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
        env=dict(env),
    )
