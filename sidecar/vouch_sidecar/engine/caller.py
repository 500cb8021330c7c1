"""Who is asking: a connection, and what it said of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from vouch_sidecar.kb.access import Viewer


@dataclass(frozen=True, slots=True)
class Caller:
    """A connection. `session_id` is its own session, if it has one. `env` is its environment; None
    stands for that of this process. `roots` are the knowledge bases that it asks about; None
    stands for all that this process serves. `is_model`: what it is told goes to a model.
    """

    connection: str = "local"
    session_id: str | None = None
    viewer: Viewer | None = None
    env: Mapping[str, str] | None = None
    roots: frozenset[Path] | None = None
    is_model: bool = False
