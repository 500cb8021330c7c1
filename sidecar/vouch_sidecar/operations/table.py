"""The table of operations, and the way of a call through it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeVar

from pydantic import ValidationError

from vouch_sidecar import __version__
from vouch_sidecar.engine import Caller, Engine, UnknownRootError
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.operations import handlers, wire
from vouch_sidecar.operations.errors import InvalidParamsError, Message, UnknownOperationError
from vouch_sidecar.operations.handlers import Ask

__all__ = ["NOTIFICATIONS", "OPERATIONS", "PROTOCOL", "Operation", "call", "capabilities"]

PROTOCOL = 1
P = TypeVar("P", bound=wire.Wire)


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation. `text_field` names the param that makes a slot of the session named."""

    name: str
    summary: str
    params: type[wire.Params]
    result: type[wire.Result]
    run: Callable[[Ask, Any], wire.Result]
    text_field: str | None = None

    @property
    def method(self) -> str:
        """Its LSP method."""
        first, *rest = self.name.split("_")
        return "vouch/" + first + "".join(word.capitalize() for word in rest)

    @property
    def kb_method(self) -> str:
        """Its JSONL method."""
        return f"kb.{self.name}"


def _capabilities(_: Ask, __: wire.Params) -> wire.CapabilitiesResult:
    return capabilities()


_TABLE = (
    Operation(
        "experts",
        "Entities ranked by the evidence they carry on a topic.",
        wire.ExpertsParams,
        wire.ExpertsResult,
        handlers.experts,
        "topic",
    ),
    Operation(
        "salience",
        "Entities in play in a session.",
        wire.SalienceParams,
        wire.SalienceResult,
        handlers.salience,
    ),
    Operation(
        "probe",
        "What a text brings in: phrases, hits over all knowledge bases, and which of them leads.",
        wire.ProbeParams,
        wire.ProbeResult,
        handlers.probe,
        "text",
    ),
    Operation(
        "context",
        "A block of reviewed knowledge for a prompt, empty when there is nothing to say.",
        wire.ContextParams,
        wire.ContextResult,
        handlers.context,
        "task",
    ),
    Operation(
        "search",
        "Artifacts that hold words of a query.",
        wire.SearchParams,
        wire.SearchResult,
        handlers.search_for,
        "query",
    ),
    Operation(
        "entity",
        "An entity with its claims, pages and relations.",
        wire.IdParams,
        wire.EntityResult,
        handlers.entity,
    ),
    Operation(
        "claim",
        "A claim with its citations, pages and relations.",
        wire.IdParams,
        wire.ClaimResult,
        handlers.claim,
    ),
    Operation(
        "status",
        "The knowledge bases that are served, and their problems.",
        wire.Params,
        wire.StatusResult,
        handlers.status,
    ),
    Operation(
        "stats",
        "How often each arm spoke, was followed up or was silent, and how long operations took.",
        wire.Params,
        wire.StatsResult,
        handlers.stats,
    ),
    Operation(
        "capabilities",
        "What this server answers and sends.",
        wire.Params,
        wire.CapabilitiesResult,
        _capabilities,
    ),
    Operation(
        "session_end",
        "Drops the window of a session.",
        wire.SessionEndParams,
        wire.Result,
        handlers.session_end,
    ),
)

OPERATIONS = {operation.name: operation for operation in _TABLE}

NOTIFICATIONS: dict[str, type[wire.Wire]] = {
    "vouch/prompt": wire.PromptParams,
    "vouch/sessionEnd": wire.SessionEndParams,
    "vouch/didChangeSalience": wire.DidChangeSalience,
    "vouch/didChangeStatus": wire.DidChangeStatus,
}


def capabilities() -> wire.CapabilitiesResult:
    """What this server answers and sends."""
    return wire.CapabilitiesResult(
        name="vouch-sidecar",
        version=__version__,
        protocol=PROTOCOL,
        methods=[operation.method for operation in _TABLE],
        notifications=sorted(NOTIFICATIONS),
    )


def call(engine: Engine, name: str, raw: object, caller: Caller) -> dict[str, Any]:
    """Answer one call with a JSON-ready object.

    Raises `UnknownOperationError` and `InvalidParamsError`.
    """
    operation = OPERATIONS.get(name)
    if operation is None:
        raise UnknownOperationError(name)
    started = perf_counter()
    params = read_params(operation.params, raw)
    who = params.viewer
    viewer = Viewer(who.project, who.agent) if who else None
    try:
        engine.require(params.root)
        if params.session_id and operation.text_field:
            text = getattr(params, operation.text_field)
            if text is not None:
                engine.hear(params.session_id, text, caller.root)
        with engine.serving(caller, viewer, params.root) as served:
            ask = Ask(engine, caller, served)
            result = operation.run(ask, params)
            meta = _meta(ask, params.session_id)
    except UnknownRootError:
        message = Message("root", "is no folder of a knowledge base that is served")
        raise InvalidParamsError([message]) from None
    answer = result.model_dump(mode="json", by_alias=True)
    answer["generation"] = engine.generation
    answer["complete"] = engine.complete
    answer["degraded"] = [*engine.degraded(), *result.degraded]
    if meta is not None:
        answer["_meta"] = meta.model_dump(mode="json", by_alias=True)
    engine.stats.took(name, perf_counter() - started)
    return answer


def _meta(ask: Ask, session_id: str | None) -> wire.Meta | None:
    if session_id is None:
        return None
    rows = ask.engine.salience(ask.served, session_id)
    if not rows:
        return None
    return wire.Meta(
        vouch_salience=[
            wire.SalienceMeta(
                entity_id=row.entity.id,
                claim_count=row.claim_count,
                top_claim_id=row.top_claim_id,
                collection=row.view.collection if ask.many else None,
            )
            for row in rows
        ]
    )


def read_params(model: type[P], raw: object) -> P:
    """Params as a model; none at all are empty ones."""
    try:
        return model.model_validate({} if raw is None else raw)
    except ValidationError as error:
        raise _invalid(error) from None


def _invalid(error: ValidationError) -> InvalidParamsError:
    """One message a field, without what was sent."""
    found = error.errors(include_input=False, include_url=False, include_context=False)
    messages: dict[str, Message] = {}
    for one in found:
        field = ".".join(part for part in one["loc"] if isinstance(part, str)) or "params"
        messages.setdefault(field, Message(field, _wording(one["type"], one["msg"])))
    missing = all(one["type"] == "missing" for one in found)
    return InvalidParamsError(list(messages.values()), missing=missing)


def _wording(kind: str, message: str) -> str:
    if kind == "missing":
        return "is missing"
    if kind == "string_pattern_mismatch":
        return "must not be blank"
    if kind in ("model_type", "model_attributes_type"):
        return "must be an object"
    return re.sub(r"^[A-Z]\w*(?: \w+)? should ", "must ", message)
