"""What the resident processes of a knowledge base tell each other: texts of named sessions.

Each process has sessions of its own; what a call puts into one of them is told to all, so that
a window is the same everywhere and outlives the process that heard it first.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections import OrderedDict, defaultdict
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from vouch_sidecar.engine import Engine

__all__ = ["Relay"]

REMEMBERED = 1024
MAX_UNSENT = 4 << 20
"""Bytes that may wait for a process which does not read; it is dropped beyond."""


class Relay:
    """Tells the processes that are connected what this one hears, and the other way round."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._peers: defaultdict[Path, set[asyncio.StreamWriter]] = defaultdict(set)
        self._shared: OrderedDict[str, Path | None] = OrderedDict()
        self._known: OrderedDict[str, None] = OrderedDict()

    def __enter__(self) -> Self:
        self._engine.hearers.add(self._heard)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._engine.dismiss(self._heard)

    async def exchange(
        self,
        root: Path,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        first: bool = False,
    ) -> None:
        """Tell and be told until the connection ends; `first` tells what was heard before."""
        peers = self._peers[root]
        peers.add(writer)
        try:
            if first:
                self._catch_up(root, writer)
            while line := await reader.readline():
                self._told(root, line, writer)
        except (OSError, ValueError):
            return
        finally:
            peers.discard(writer)
            writer.close()

    def _heard(self, session_id: str, text: str | None, root: Path | None) -> None:
        """A call put a text into a session, or ended it (None)."""
        self._share(session_id, text, root)
        roots = [root] if root is not None else list(self._peers)
        if any(self._peers[one] for one in roots):
            self._send(self._message(session_id, text), roots)

    def _share(self, session_id: str, text: str | None, root: Path | None) -> None:
        self._shared.pop(session_id, None)
        if text is not None:
            self._shared[session_id] = root
            while len(self._shared) > REMEMBERED:
                self._shared.popitem(last=False)

    def _told(self, root: Path, line: bytes, writer: asyncio.StreamWriter) -> None:
        message = _message(line)
        if message is None or not self._is_new(message["heard"]):
            return
        session_id, text = message["session_id"], message["text"]
        self._share(session_id, text, root)
        if text is None:
            self._engine.sessions.end(session_id)
        else:
            self._engine.observe(session_id, None, text)
        self._send(message, [root], but=writer)
        self._engine.touch()

    def _catch_up(self, root: Path, writer: asyncio.StreamWriter) -> None:
        for session_id, whose in self._shared.items():
            session = self._engine.sessions.peek(session_id)
            if session is None or whose not in (None, root):
                continue
            for text in reversed(session.newest_first(root)):
                writer.write(_line(self._message(session_id, text)))

    def _send(
        self, message: dict[str, Any], roots: list[Path], but: asyncio.StreamWriter | None = None
    ) -> None:
        line = _line(message)
        for writer in {w for root in roots for w in self._peers[root]} - {but}:
            if writer.transport.get_write_buffer_size() > MAX_UNSENT:
                writer.transport.abort()
            else:
                writer.write(line)

    def _message(self, session_id: str, text: str | None) -> dict[str, Any]:
        name = uuid.uuid4().hex
        self._is_new(name)
        return {"heard": name, "session_id": session_id, "text": text}

    def _is_new(self, name: str) -> bool:
        """Whether a message comes for the first time: it may take several ways."""
        if name in self._known:
            return False
        self._known[name] = None
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return True


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


def _message(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
        name, session_id, text = found["heard"], found["session_id"], found["text"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return None
    if not isinstance(name, str) or not isinstance(session_id, str) or len(session_id) > 256:
        return None
    return found if text is None or isinstance(text, str) else None
