"""The user's socket, one for each version: asks the process that holds it, holds it, and ends a
resident process that does. A file lock ensures that one process at a time holds it. Blocks.

Standard library only, and little of it: a hook waits for every import, and a process holds the
socket before it imports the engine, which takes half a second. Who asks meanwhile connects and
waits, and starts none.
"""

from __future__ import annotations

import _socket  # of which `socket` is made, and for which a hook would wait two milliseconds more
import json
import os
import time
from collections.abc import Iterable, Mapping

from vouch_sidecar.kb.discovery import ASKS_AS, FORCED, SETTINGS_PREFIX, SOUGHT_BY, is_setting
from vouch_sidecar.kb.runtime_folder import (
    READY_SECONDS,
    is_supported,
    runtime_folder,
    usable_folder,
)
from vouch_sidecar.version import __version__

TYPE_CHECKING = False  # `typing` takes a hook three milliseconds
if TYPE_CHECKING:
    from typing import Any

    from vouch_sidecar.kb.discovery import BaseInTree

SUFFIX = ".sock"
MAX_LOCAL_MESSAGE = 8 << 20
"""Bytes of a message over the socket, either way."""
STOP_PROCESS = "stop"
"""The method that ends a resident process, which gives no answer; an editor's gives one."""
HOOK, TOOL = "hook.", "tool."
"""What the methods begin with by which agents ask: an event of a hook or an operation as a tool of
MCP, whose names follow.
"""
LINE, TYPED = "line", "typed"
"""The method by which a shell asks: a command line, of which the answer is what it prints; and the
answer where that depends on standard input, which is to come with the line.
"""
# Of a request: whether who asks waits for what the holder has yet to read. Of an answer: that he
# may, as the holder began to serve that a moment ago.
WAITS, MAY_WAIT = "waits", "may_wait"
SOON_SECONDS = 2.0
"""Time limit for a process that has read its files."""
STOP_SECONDS = 10.0
STOPPED, HANGS = "stopped", "the process does not end; try again"
CHECK_SECONDS = 1.0
"""Pause between looks whether somebody asks or follows, and whether the socket is still held."""
MODEL = f"{SETTINGS_PREFIX}SEMANTIC_"
"""How the variables begin that set a model. A process that has one asks nobody, as no other process
has loaded it.
"""


def socket_path(env: Mapping[str, str], version: str = __version__) -> str:
    """The path of the socket of a version's processes."""
    return os.path.join(runtime_folder(env), version + SUFFIX)


def connect(env: Mapping[str, str], path: str | None = None) -> _socket.socket | None:
    """A connection to the holder of the socket, or of that at `path`; None without one. The folder
    of the socket is closed to other users.
    """
    if not is_supported():
        return None
    connected = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        usable_folder(env)
        connected.settimeout(SOON_SECONDS)
        connected.connect(path or socket_path(env))
        return connected
    except OSError:
        connected.close()
        return None


def question(
    places: Iterable[BaseInTree],
    method: str,
    params: Mapping[str, Any],
    env: Mapping[str, str],
) -> dict[str, Any]:
    """A request about knowledge bases. Viewer and settings in `env` go with it, because the process
    that answers has another environment.
    """
    asked = {"method": method, "params": params, "env": carried(env)}
    return {**asked, "places": sorted(places)}


def exchange(
    connected: _socket.socket, request: Mapping[str, Any], seconds: float | None
) -> dict[str, Any] | None:
    """The answer to a request, in the form of the JSONL surface; None if it is none, or none comes
    within `seconds`, where there is a limit. Closes the connection.
    """
    line = bytearray()
    try:
        connected.settimeout(seconds)
        # With code points as `json.loads` reads them: escaped, other scripts are too large.
        sent = json.dumps(request, separators=(",", ":"), ensure_ascii=False)
        connected.sendall(sent.encode("utf-8", "surrogatepass") + b"\n")
        while not line.endswith(b"\n") and (part := connected.recv(MAX_LOCAL_MESSAGE - len(line))):
            line += part
        answered = json.loads(line)
    except (OSError, ValueError, RecursionError):
        return None
    finally:
        connected.close()
    return answered if isinstance(answered, dict) else None


def _bound_at(path: str) -> float | None:
    """When a process bound the socket at a path, in seconds since 1970; None where none is."""
    try:
        return os.stat(path).st_mtime
    except OSError:
        return None


def is_beginning(env: Mapping[str, str]) -> bool:
    """Whether the holder of the socket took it a moment ago, and may answer nobody yet, or has yet
    to.
    """
    at = _bound_at(socket_path(env))
    return at is None or time.time() - at < READY_SECONDS


def ask(
    places: Iterable[BaseInTree],
    method: str,
    params: Mapping[str, Any],
    *,
    env: Mapping[str, str],
    is_patient: bool = False,
    timeout: float = SOON_SECONDS,
) -> Any:
    """The result that the holder of the socket gives of these knowledge bases. None without one: no
    process holds it, it refuses, or no valid answer comes within `timeout` seconds, and
    `READY_SECONDS` more where it may have yet to read them: it began a moment ago, or who asks,
    who would have to read them himself, `is_patient`.
    """
    if any(name.startswith(MODEL) for name in env) or (connected := connect(env)) is None:
        return None
    seconds = timeout + (READY_SECONDS if is_patient or is_beginning(env) else 0.0)
    answered = exchange(connected, question(places, method, params, env), seconds)
    return None if answered is None else answered.get("result")


def carried(env: Mapping[str, str]) -> dict[str, str]:
    """The variables of an environment that go with a question: the viewer, settings, and what
    decides which knowledge bases are found.
    """
    others = {*ASKS_AS, *SOUGHT_BY}
    sent = {name: value for name, value in env.items() if name in others or is_setting(name)}
    return {**sent, FORCED: os.path.abspath(sent[FORCED])} if sent.get(FORCED) else sent


class Ownership:
    """The socket, bound by this process, and its lock, which goes with the process however it ends:
    whoever has it may remove an old socket.
    """

    def __init__(self, path: str, lock: int) -> None:
        """Bind the socket, whose lock is held by a descriptor. Raises OSError."""
        import socket  # which the event loop needs

        self._path, self._lock = path, lock
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            if os.path.lexists(path):
                os.unlink(path)
            self.listener.bind(path)  # in a folder that is closed to others
            os.chmod(path, 0o600)
            self.listener.listen()
            self.listener.setblocking(False)
            self._bound = os.lstat(path).st_ino
        except OSError:
            self.listener.close()
            raise

    @classmethod
    def take(cls, env: Mapping[str, str]) -> Ownership | None:
        """Own the socket; None while another process does, or where there are none. Raises OSError
        if creating it fails.
        """
        if not is_supported():
            return None
        import fcntl  # absent on Windows

        usable_folder(env, make=True)
        path, flags = socket_path(env), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        lock = os.open(f"{path}.lock", flags, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return cls(path, lock)
        except OSError as error:
            os.close(lock)  # else nobody could own it as long as this process runs
            if isinstance(error, BlockingIOError):
                return None
            raise

    def holds(self) -> bool:
        """Whether the socket's file still exists: systems clean temporary folders."""
        try:
            return os.lstat(self._path).st_ino == self._bound
        except OSError:
            return False

    def release(self) -> None:
        """Remove the socket, and let another process own it."""
        self.listener.close()
        if self.holds():
            os.unlink(self._path)
        os.close(self._lock)


def stop(path: str, env: Mapping[str, str]) -> str | None:
    """Have the resident process that holds the socket `path` end, and wait until it has: what came
    of it, in words; None where no process does. It is asked over its socket: a process id that is
    kept may be that of another by the time it is read.
    """
    bound = _bound_at(path)
    if (connected := connect(env, path)) is None:
        return None
    answered = exchange(connected, {"method": STOP_PROCESS}, STOP_SECONDS)
    if answered is None:  # one that ends lets go of the socket, which another may hold at once
        return HANGS if _bound_at(path) == bound else STOPPED
    # Other versions say that they will end.
    return STOPPED if answered.get("ok") else "the process is an editor's, which ends with it"
