"""`vouch-sidecar hook EVENT`: asks the sidecar that runs for the knowledge base, else works alone.

Standard library only, unless it has to work alone or wait long. Whatever happens, the exit code
is 0, and nothing is printed but an answer.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Mapping
from time import monotonic

from vouch_sidecar.surfaces.hook.marks import Mark
from vouch_sidecar.surfaces.hook.payload import edited_file, prompt_of, session_of, text_of
from vouch_sidecar.surfaces.hook.place import nearest, start_of
from vouch_sidecar.surfaces.local.client import Question, reach

TYPE_CHECKING = False  # `typing` costs two milliseconds
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any, NoReturn

    Payload = dict[str, Any]

__all__ = ["run"]

MAX_INPUT = 16 << 20
DEFAULT_LIMIT = 0.5
"""Seconds, where neither environment nor config says otherwise."""
SOON = 0.05
"""Seconds after which it is worth reading the config to learn how long to wait."""
LIMIT_VARIABLE = "VOUCH_SIDECAR_RECALL_TIMEOUT_MS"
LOG_VARIABLE = "VOUCH_SIDECAR_LOG"
VIEWER = {"project": "VOUCH_PROJECT", "agent": "VOUCH_AGENT"}


def run(event: str) -> NoReturn:
    """Answer one event of standard input on standard output, and end the process."""
    env = os.environ
    try:
        deadline = Deadline(env)
        sink = _claim_output(env)
        answer = _answer(event, sys.stdin.buffer.read(MAX_INPUT + 1), env, deadline)
        deadline.disarm()
        if answer is not None:
            os.write(sink, answer)
    except BaseException as error:
        _log(error)
    os._exit(0)


def _log(error: BaseException) -> None:
    try:
        sys.stderr.write(f"vouch-sidecar: {type(error).__name__}\n")  # its text may hold a prompt
        sys.stderr.flush()
    except (OSError, AttributeError):  # there is no standard error
        return


class Deadline:
    """The end of the process, come what may."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._started = monotonic()
        given = env.get(LIMIT_VARIABLE, "").strip()
        self.known = given.isdecimal() and 100 <= int(given[:6]) <= 10_000
        self._limit = int(given) / 1000 if self.known else DEFAULT_LIMIT
        signal.signal(signal.SIGALRM, _end)
        self._arm()

    @property
    def left(self) -> float:
        """Seconds."""
        return max(0.001, self._started + self._limit - monotonic())

    def set(self, limit: float) -> None:
        """The limit turned out to be another one."""
        self._limit, self.known = limit, True
        self._arm()

    def disarm(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _arm(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, self.left)


def _end(_number: int, _frame: FrameType | None) -> None:
    os._exit(0)


def _claim_output(env: Mapping[str, str]) -> int:
    """Standard output for the answer alone; standard error only where a log is asked for."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    if not env.get(LOG_VARIABLE, "").strip():
        os.dup2(nowhere, 2)
    try:
        sink = os.dup(1)
    except OSError:  # it is closed: nobody listens
        return nowhere
    os.dup2(nowhere, 1)
    return sink


def _answer(event: str, data: bytes, env: Mapping[str, str], deadline: Deadline) -> bytes | None:
    given = _read(data)
    if given is None:
        return None
    start = given["cwd"] = start_of(given.get("cwd"), env)
    wanted = _reduced(event, given)
    if wanted is None:
        return None
    root = nearest(start, env)
    if root is None:
        return None
    mark = Mark.take(env, event, root, json.dumps(wanted, sort_keys=True))
    if mark is None:
        return None
    wanted["cwd"] = start
    wanted["viewer"] = {name: env.get(variable) for name, variable in VIEWER.items()}
    result = _ask(root, event, wanted, env, deadline)
    if result is None:
        mark.take_back()
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


def _reduced(event: str, given: Payload) -> Payload | None:
    """What of an event is needed to answer it; None where nothing can be said to it."""
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
        known = path is not None and (text is not None or ".vouch" in path.split(os.sep))
        return {"session_id": session_id, "tool_input": changed} if known else None
    if event == "session-start":
        return {"session_id": session_id, "source": given.get("source")}
    if event == "session-end":
        return {"session_id": session_id}
    return None


def _ask(
    root: str, event: str, wanted: Payload, env: Mapping[str, str], deadline: Deadline
) -> object:
    question = reach(root, timeout=deadline.left, env=env)
    if question is not None:
        return _wait(question, root, event, wanted, env, deadline)
    if event == "session-end":
        return None
    from vouch_sidecar.surfaces.hook.alone import answer

    return answer(root, event, wanted, env, deadline)


def _wait(
    question: Question,
    root: str,
    event: str,
    wanted: Payload,
    env: Mapping[str, str],
    deadline: Deadline,
) -> object:
    """The resident process's answer, for which as long is waited as the config allows."""
    if not question.send(f"hook.{event}", wanted, deadline.left):
        return None
    answered = question.answer(deadline.left if deadline.known else min(SOON, deadline.left))
    if answered is None and not deadline.known:
        from vouch_sidecar.surfaces.hook.limit import limit_for

        deadline.set(limit_for(root, env))
        answered = question.answer(deadline.left)
    return answered.get("result") if answered is not None and answered.get("ok") else None
