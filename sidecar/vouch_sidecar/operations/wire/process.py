"""The process itself: what it serves, its figures, what it can do; the end of a session."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from vouch_sidecar.operations.wire.base import Arm, Params, Result, SessionId, Wire

__all__ = [
    "ArmStats",
    "CacheStats",
    "CapabilitiesResult",
    "Counts",
    "OperationStats",
    "ProblemView",
    "RootStatus",
    "SessionEndParams",
    "StatsResult",
    "StatusResult",
]


class Counts(Wire):
    """Artifacts that are served, by kind."""

    claims: int
    entities: int
    pages: int
    relations: int
    sources: int
    evidence: int


class ProblemView(Wire):
    """Something wrong with one file, or with a setting from elsewhere."""

    path: str = Field(
        description="Relative to `.vouch/`; empty for settings of the client or the environment."
    )
    line: int = Field(ge=1)
    column: int = Field(ge=1, description="In characters.")
    field: str | None = Field(description="Dotted name of the field, where it is about one.")
    severity: Literal["error", "warning"] = Field(
        description="error: what the file or the setting says does not count."
    )
    message: str


class RootStatus(Wire):
    """One knowledge base."""

    root: str = Field(description="The folder that holds `.vouch/`.")
    collection: str = Field(description="What it is called in answers.")
    counts: Counts
    problems: list[ProblemView] = Field(description="By file and line.")
    indexed_at: str | None = Field(description="When the index was last changed; ISO 8601.")


class StatusResult(Result):
    """What this process serves, and how it is."""

    roots: list[RootStatus] = Field(
        default_factory=list, description="The knowledge bases, in the order of their folders."
    )
    sessions: int = Field(description="Sessions with a window.")
    watcher: Literal["client", "own", "sweep", "none"] = Field(
        description="How changes on disk are noticed first; the sweep runs beside the others."
    )
    version: str


class ArmStats(Wire):
    """What came of one way to recognise something, since the process began."""

    arm: Arm = Field(description="`text` is full text, the others are ways to name an entity.")
    said: int = Field(description="Times that a block or a push said something by it.")
    opened: int = Field(description="Of these, how often it was opened or hovered afterwards.")
    silent: int = Field(description="Times that it said nothing when it could have.")


class OperationStats(Wire):
    """How long one operation took: the latest thousand calls."""

    operation: str
    count: int = Field(description="Calls since the process began.")
    p50_ms: float = Field(description="Median.")
    p95_ms: float = Field(description="95th percentile.")


class CacheStats(Wire):
    """How often a session remembered a phrase that was looked for before."""

    phrases: int = Field(description="Phrases looked for.")
    remembered: int = Field(description="Of these, those that were remembered.")


class StatsResult(Result):
    """Figures since the process began, none of them text."""

    arms: list[ArmStats] = Field(default_factory=list)
    operations: list[OperationStats] = Field(default_factory=list)
    probe_cache: CacheStats


class CapabilitiesResult(Result):
    """What this server answers and sends."""

    name: str
    version: str
    protocol: int = Field(description="Rises when clients have to change.")
    methods: list[str] = Field(description="Requests, as LSP calls them.")
    notifications: list[str] = Field(description="Taken or sent, as LSP calls them.")


class SessionEndParams(Params):
    """The session to end."""

    session_id: SessionId = Field(description="Session whose window is dropped.")
