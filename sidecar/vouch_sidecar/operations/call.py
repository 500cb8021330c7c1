"""The way of a call: params checked, the session told, the answer with what every answer has."""

from __future__ import annotations

import re
from time import perf_counter
from typing import TypeVar

from pydantic import ValidationError

from vouch_sidecar.engine import Caller, Engine, UnknownRootError
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.operations.base import Meta, Params, Result, SalienceMeta, Wire
from vouch_sidecar.operations.errors import InvalidParamsError, Message, UnknownOperationError
from vouch_sidecar.operations.operation import Ask, Operation
from vouch_sidecar.operations.registry import operations

__all__ = ["call", "perform", "read_params"]

M = TypeVar("M", bound=Wire)
P = TypeVar("P", bound=Params)
R = TypeVar("R", bound=Result)


def call(engine: Engine, name: str, raw: object, caller: Caller) -> Result:
    """Answer one call of an operation by its name.

    Raises `UnknownOperationError` and `InvalidParamsError`.
    """
    operation = operations().get(name)
    if operation is None:
        raise UnknownOperationError(name)
    result: Result = perform(engine, operation, raw, caller)
    return result


def perform(engine: Engine, operation: Operation[P, R], raw: object, caller: Caller) -> R:
    """Answer one call. Raises `InvalidParamsError`."""
    started = perf_counter()
    params = read_params(operation.params, raw)
    who = params.viewer
    viewer = Viewer(who.project, who.agent) if who else None
    try:
        engine.require(caller, params.root)
        if params.session_id and operation.text_field:
            text = getattr(params, operation.text_field)
            if text is not None:
                engine.observe(params.session_id, None, text)
        with engine.serving(caller, viewer, params.root) as served:
            ask = Ask(engine, caller, served)
            result = operation.run(ask, params)
            meta = _meta(ask, params.session_id)
    except UnknownRootError:
        message = Message("root", "is no folder of a knowledge base that is served")
        raise InvalidParamsError([message]) from None
    common = {
        "generation": engine.generation,
        "complete": engine.complete,
        "degraded": [*engine.degraded(), *result.degraded],
        "meta": meta,
    }
    engine.stats.took(operation.name, perf_counter() - started)
    return result.model_copy(update=common)


def _meta(ask: Ask, session_id: str | None) -> Meta | None:
    if session_id is None:
        return None
    rows = ask.engine.salience(ask.served, session_id)
    if not rows:
        return None
    return Meta(
        vouch_salience=[
            SalienceMeta(
                entity_id=row.entity.id,
                claim_count=row.claim_count,
                top_claim_id=row.top_claim_id,
                collection=row.view.collection if ask.many else None,
            )
            for row in rows
        ]
    )


def read_params(model: type[M], raw: object) -> M:
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
