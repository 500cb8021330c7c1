"""Who is asking: a connection, and what it said of itself."""

from __future__ import annotations

from dataclasses import dataclass

from sidecar.kb.access import Viewer

__all__ = ["Caller"]


@dataclass(frozen=True, slots=True)
class Caller:
    """A connection. `session_id` is the session of its own, if it has one."""

    connection: str = "local"
    session_id: str | None = None
    viewer: Viewer | None = None
