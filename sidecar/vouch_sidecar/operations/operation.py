"""What an operation is: the object that each module of this package defines as `OPERATION`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from vouch_sidecar.operations import NAMES
from vouch_sidecar.operations.table import NOT_READ, Shown, Table, Words
from vouch_sidecar.operations.wire import Params, Result, since_when

if TYPE_CHECKING:  # the help of a command imports none of it
    from vouch_sidecar.engine import Caller, Engine, Served
    from vouch_sidecar.engine.collection import Need
    from vouch_sidecar.operations.open_document import OpenDocument
    from vouch_sidecar.retrieval.view import View
    from vouch_sidecar.semantic.vectors import TextVector

KB = "kb."
"""What their methods in a line of JSON begin with."""


P = TypeVar("P", bound=Params)
R = TypeVar("R", bound=Result)


@dataclass(frozen=True, slots=True)
class OperationCall:
    """A call in progress: the caller, and the knowledge bases as the caller sees them."""

    engine: Engine
    caller: Caller
    served: Sequence[Served]
    text: str = ""
    """The part that counts of the text that was sent, as of one in a slot of a session."""
    document: OpenDocument | None = None
    """The document asked about, if the caller has it open."""
    session_id: str | None = None
    """The session that the call names, or else the one that it is about."""
    vector: TextVector | None = None
    """The vectors for a search by meaning; None without a model, or if it was late."""
    complete: bool = True
    """Whether the first index of each of them was built when it began."""
    to_record: list[Callable[[], None]] = field(default_factory=list)
    """What the operation wants recorded once its answer was heard."""

    def since(self, since: str | None) -> OperationCall:
        """A copy that is limited to claims confirmed or updated since `since` (`since_when`)."""
        if since is None:
            return self
        at = since_when(since, self.engine.now())
        served = [replace(kb, view=replace(kb.view, since=at)) for kb in self.served]
        return replace(self, served=served)

    @property
    def views(self) -> list[View]:
        return [kb.view for kb in self.served]


@dataclass(frozen=True, slots=True)
class Operation(Generic[P, R]):
    """One operation: its params and result, its handler, and what is shown of the result."""

    name: str
    summary: str
    """What the operation returns, for the documentation of the protocol."""
    params: type[P]
    result: type[R]
    run: Callable[[OperationCall, P], R]
    when: str
    """Tells a model when a call helps, and when it does not."""
    example: Mapping[str, Any]
    """Params for the demo knowledge base, used in docs/protocol.md and in tests."""
    table: Callable[[R], list[Shown]] | None = None
    """What people and models read of a result; None: only programs ask."""
    nothing: str = ""
    """What is said if no table has a row; "" if there is always something to say."""
    text_field: str | None = None
    """The param whose text becomes a slot of the session that the call names."""
    is_of_session: bool = False
    """Whether it is about the caller's own session where the call names none."""
    requires_session: bool = False
    """Whether it is about a session's window. Who has no session of his own has to name one."""
    needs: frozenset[Need] = frozenset()
    """What the answer depends on beside the index: it says `workspace_pending` until that is known.
    """
    is_long: bool = False
    """Whether it may take long: it runs in the thread for answers, and returns at `timeout_ms` what
    it has found by then. A block has at least what the strongest name brings in.
    """
    is_semantic: bool = False
    """Whether to compute the vector of its text first, where a model is set up."""

    @property
    def method(self) -> str:
        """Its method over JSON-RPC, as `capabilities` lists it."""
        first, *rest = self.name.split("_")
        return "vouch/" + first + "".join(word.capitalize() for word in rest)

    def is_empty(self, result: R) -> bool:
        """Whether nothing was found."""
        shown = self.table(result) if self.table is not None and self.nothing else None
        return shown is not None and not any(isinstance(p, Table) and p.rows for p in shown)

    def shown(self, result: R) -> list[Shown]:
        """What is read of a result: that nothing was found, and what it had to do without, too."""
        shown = self.table(result) if self.table is not None else []
        if self.is_empty(result):
            is_unread = {"index_building", "workspace_pending"}.intersection(result.degraded)
            shown.insert(0, Words(NOT_READ if is_unread else self.nothing, aside=True))
        if lacks := [each for each in result.degraded if each != "unknown_weight"]:
            shown.append(Words(f"(without all of it: {', '.join(lacks)})", aside=True))
        return shown


@cache
def operations() -> dict[str, Operation[Any, Any]]:
    """All operations by name, in the order of listing."""
    return {name: import_module(f".{name}", __package__).OPERATION for name in NAMES}
