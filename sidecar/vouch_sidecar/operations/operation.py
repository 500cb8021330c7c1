"""What an operation is: the object that each module of this package defines as `OPERATION`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from vouch_sidecar.engine import Caller, Engine, Served
from vouch_sidecar.kb.records import Artifact, Kind
from vouch_sidecar.operations.artifacts import ArtifactViews
from vouch_sidecar.operations.base import Degraded, Params, Result, as_json
from vouch_sidecar.operations.errors import Message, NotFoundError
from vouch_sidecar.retrieval.view import View

if TYPE_CHECKING:
    from vouch_sidecar.operations.page import Page

__all__ = ["Ask", "Operation", "analysed", "degraded"]

MAX_ANALYSED = 16_384
"""Characters of a text that are looked at; so much is a prompt with a long paste."""

P = TypeVar("P", bound=Params)
R = TypeVar("R", bound=Result)


@dataclass(frozen=True, slots=True)
class Ask:
    """A call under way: who asks, and what that caller sees."""

    engine: Engine
    caller: Caller
    served: Sequence[Served]

    @property
    def views(self) -> list[View]:
        return [one.view for one in self.served]

    @property
    def many(self) -> bool:
        """Whether rows name their collection: the caller may ask about several knowledge bases."""
        roots = self.engine.collections if self.caller.roots is None else self.caller.roots
        return len(roots) > 1

    def root_of(self, view: View) -> Path:
        return next(one.collection.root for one in self.served if one.view is view)

    def views_for(self, view: View) -> ArtifactViews:
        return ArtifactViews(view, self.root_of(view))

    def find(self, kind: Kind, artifact_id: str) -> tuple[View, Artifact]:
        """The first artifact that has this id and may be shown. Raises `NotFoundError`."""
        for view in self.views:
            if (found := view.visible((kind, artifact_id))) is not None:
                return view, found
        raise NotFoundError([Message("id", f"names no {kind.value} that may be shown")])

    def late(self) -> Callable[[], bool]:
        """Tells whether the time limit of the strictest knowledge base has passed since now."""
        limits = [one.settings.recall.timeout_ms for one in self.served]
        clock, until = self.engine.clock, self.engine.clock() + min(limits, default=0) / 1000
        return lambda: clock() >= until

    def session(self, params: Params) -> str | None:
        """The session that `salience` and `context` mean: the one named, else the connection's."""
        return params.session_id or self.caller.session_id


@dataclass(frozen=True, slots=True)
class Operation(Generic[P, R]):
    """One operation: what it takes and gives, how it answers, and how surfaces show the answer."""

    name: str
    summary: str
    """What it gives, for whoever reads the protocol."""
    params: type[P]
    result: type[R]
    run: Callable[[Ask, P], R]
    when: str
    """For a model: when a call helps, and when it does not."""
    example: Mapping[str, Any]
    """Params about the demo knowledge base, asked in docs/protocol.md and in tests."""
    gist: Callable[[R], list[str]] | None = None
    """The lines that a model reads; without it, JSON."""
    show: Callable[[Page, R], None] | None = None
    """Prints a result for people; without it, the shell has no such command."""
    text_field: str | None = None
    """The param whose text becomes a slot of the session that the call names."""
    of_session: bool = False
    """It is about one session's window: MCP needs its id, the shell takes the texts of a window."""
    of_process: bool = False
    """It is about the process that answers: the shell asks the one that runs already."""
    forgets: bool = False
    """It drops something; the others only read."""

    @property
    def method(self) -> str:
        """Its LSP method."""
        first, *rest = self.name.split("_")
        return "vouch/" + first + "".join(word.capitalize() for word in rest)

    @property
    def kb_method(self) -> str:
        """Its JSONL method."""
        return f"kb.{self.name}"

    def readable(self, result: R) -> str:
        """What a model reads of a result. Everything else stands in the structured content."""
        if self.gist is None:
            return json.dumps(as_json(result), ensure_ascii=False, separators=(",", ":"))
        lines = self.gist(result)
        if result.degraded:
            lines = [*lines, f"(without all of it: {', '.join(result.degraded)})"]
        return "\n".join(lines)


def degraded(timed_out: bool) -> list[Degraded]:
    """What an answer says of itself that had to end early."""
    return ["timed_out"] if timed_out else []


def analysed(text: str) -> str:
    """The part of a text that is looked at."""
    return text[:MAX_ANALYSED]
