"""What an operation is: the object that each module of this package defines as `OPERATION`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar

from vouch_sidecar.engine import Caller, Engine, Served
from vouch_sidecar.engine.sessions import both_ends
from vouch_sidecar.kb.plain import one_line
from vouch_sidecar.kb.records import Artifact, Kind
from vouch_sidecar.operations.artifacts import ArtifactViews
from vouch_sidecar.operations.errors import Message, NotFoundError
from vouch_sidecar.operations.wire import Params, Result, as_json, since_when
from vouch_sidecar.retrieval.lookup import by_name, nearest, successor
from vouch_sidecar.retrieval.meant import Meant
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.slices import slices

if TYPE_CHECKING:
    from vouch_sidecar.operations.printer import Printer


FIRST = ("experts", "salience", "probe", "context", "search", "entity", "claim", "status", "stats")
"""The order in which surfaces list operations; others follow by name."""
MAX_ANALYSED = 16_384
"""Characters of a document that are looked at at once."""

MAX_NAMED = 5
"""Ids that are said where a name is that of several."""


class OpenDocument(Protocol):
    """A document that a client has open. Offsets count characters of `source`."""

    source: str

    def offset_at(self, position: Any) -> int | None:
        """Where an LSP position stands; None below the text."""

    def range_of(self, start: int, end: int) -> object:
        """The LSP range between two offsets."""


class Documents(Protocol):
    """The documents that a client has open."""

    def find(self, uri: str) -> OpenDocument | None:
        """The document, if the client has it open."""


P = TypeVar("P", bound=Params)
R = TypeVar("R", bound=Result)


@dataclass(frozen=True, slots=True)
class Ask:
    """A call under way: who asks, and what that caller sees."""

    engine: Engine
    caller: Caller
    served: Sequence[Served]
    documents: Documents | None = None
    """Those that the caller has open, where the surface knows them."""
    meant: Meant | None = None
    """The text of the call as a vector, where a model heard it."""
    lacks_meaning: bool = False
    """Whether a model is set up and should have heard it."""

    def since(self, since: str | None) -> Ask:
        """The same, about claims that were confirmed or updated since alone."""
        if since is None:
            return self
        at = since_when(since, self.engine.now())
        served = [replace(one, view=replace(one.view, since=at)) for one in self.served]
        return replace(self, served=served)

    @property
    def views(self) -> list[View]:
        return [one.view for one in self.served]

    @property
    def many(self) -> bool:
        """Whether rows name their collection: the caller may ask about several knowledge bases."""
        roots = self.engine.collections if self.caller.roots is None else self.caller.roots
        return len(roots) > 1

    def views_for(self, view: View) -> ArtifactViews:
        root = next(one.collection.root for one in self.served if one.view is view)
        return ArtifactViews(view, root)

    def find(self, kind: Kind, called: str) -> tuple[View, Artifact]:
        """The artifact that has this id, or else this name. Raises `NotFoundError`, which names
        the nearest ones, or the claim that supersedes it.
        """
        for view in self.views:
            if (found := view.visible((kind, called))) is not None:
                return view, found
        named = [(view, one) for view in self.views for one in by_name(view, kind, called)]
        if len(named) == 1:
            return named[0]
        raise NotFoundError([Message("id", self._why_not(kind, called, [a for _, a in named]))])

    def _why_not(self, kind: Kind, called: str, named: Sequence[Artifact]) -> str:
        if named:
            return f"names several: {_list(artifact.id for artifact in named[:MAX_NAMED])}"
        if kind is Kind.CLAIM:
            for view in self.views:
                if (newer := successor(view, called)) is not None:
                    return f"names a claim that is superseded by {one_line(newer)}"
        near = nearest(self.views, kind, called)
        said = f"names no {kind.value} that may be shown"
        return f"{said}; the nearest: {_list(near)}" if near else said

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
    quoting: Callable[[R, Sequence[View]], list[str]] | None = None
    """Instead of `gist`, where the lines quote what the result only names."""
    show: Callable[[Printer, R], None] | None = None
    """Prints a result for people; without it, the shell has no such command."""
    text_field: str | None = None
    """The param whose text becomes a slot of the session that the call names."""
    of_session: bool = False
    """It is about one session's window: MCP needs its id, the shell takes the texts of a window."""
    needs: frozenset[Literal["ties", "commits", "topics"]] = frozenset()
    """What its answer depends on beside the index, where a knowledge base has that and the caller
    may be told: whoever asks no running process works it out first.
    """
    is_long: bool = False
    """It may take so long that it has to be worked on beside the event loop."""
    minds_time: bool = False
    """It says what it has when `timeout_ms` is over; what names say in any case."""
    by_meaning: Literal["no", "yes", "if it speaks"] = "no"
    """Whether a model, where one is set up, is to hear its text before it runs."""
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

    def looks_around(self, served: Served) -> bool:
        """Whether its answer depends on what lies around a knowledge base."""
        return (
            "ties" in self.needs
            or ("commits" in self.needs and served.tells_authors)
            or ("topics" in self.needs and served.collection.may_have_topics)
        )

    def readable(self, result: R, views: Sequence[View] = ()) -> str:
        """What a model reads of a result. Everything else stands in the structured content."""
        if self.quoting is not None:
            lines = self.quoting(result, views)
        elif self.gist is not None:
            lines = self.gist(result)
        else:
            return json.dumps(as_json(result), ensure_ascii=False, separators=(",", ":"))
        if result.degraded:
            lines = [*lines, f"(without all of it: {', '.join(result.degraded)})"]
        return "\n".join(lines)


@cache
def operations() -> dict[str, Operation[Any, Any]]:
    """All operations by name, in the order in which surfaces list them: a file of this package is
    an operation.
    """
    package = __name__.rpartition(".")[0]
    modules = [import_module(f"{package}.{one.name}") for one in slices()]
    found: list[Operation[Any, Any]] = [module.OPERATION for module in modules]
    order = {name: place for place, name in enumerate(FIRST)}
    found.sort(key=lambda operation: (order.get(operation.name, len(order)), operation.name))
    return {operation.name: operation for operation in found}


def _list(ids: Iterable[str]) -> str:
    return ", ".join(map(one_line, ids))


def analysed(text: str) -> str:
    """The part of a text that is looked at: as of a slot, 4 KB of its head and tail."""
    return both_ends(text)
