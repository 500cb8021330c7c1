"""Answers what agents ask a process that serves: MCP's tools, and events of hooks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.kb.sanitize import count
from vouch_sidecar.operations import (
    OPERATIONS,
    InvalidParamsError,
    Operation,
    SearchFailedError,
    as_json,
    perform_async,
    refusing_if_damaged,
)
from vouch_sidecar.operations.context import ContextResult
from vouch_sidecar.retrieval.blocks.block import safe
from vouch_sidecar.surfaces.hook.event_answers import answer_hook
from vouch_sidecar.surfaces.jsonl import session_named
from vouch_sidecar.surfaces.local.client import TOOL

Object = dict[str, Any]


async def answer_agent(
    engine: Engine,
    request: Mapping[str, Any],
    caller: Caller,
    is_awaited: Callable[[], bool],
) -> Object:
    """The answer to a request about a tool, else about an event of a hook, in the form of the JSONL
    surface. Where it is no longer awaited at the end, or was cancelled, its lines were not given to
    the session.
    """
    method, params = str(request.get("method")), request.get("params")
    operation = OPERATIONS.get(method.removeprefix(TOOL)) if method.startswith(TOOL) else None
    unheard: list[Callable[[], None]] = []
    caller = replace(caller, unheard=unheard)
    try:
        if operation is None or not isinstance(params, dict):
            answered = await answer_hook(engine, request, caller)
        else:
            result = await _tool_result(engine, operation, params, caller)
            answered = {"id": request.get("id"), "ok": True, "result": result}
        for record in unheard if is_awaited() else ():
            record()
    finally:
        session = engine.sessions.peek(session_named(request) or "")
        if session is not None:
            session.shared_for = session.shared_for.union(caller.roots or engine.collections)
    return answered


async def _tool_result(
    engine: Engine, operation: Operation[Any, Any], params: Object, caller: Caller
) -> Object:
    """The result of a tool, with texts made `harmless`, and its summary for a model."""
    try:
        with refusing_if_damaged(engine):
            result = await perform_async(engine, operation, params, caller, whole=True)
            structured = harmless(as_json(result))
            if isinstance(result, ContextResult):
                structured["text"] = result.text  # a block is safe and may have several lines
            text = _with_unusable(operation.readable(result), engine, caller)
    except InvalidParamsError as error:
        code = "missing_param" if error.missing else "invalid_request"
        return refused(_with_unusable(f"{code}: {safe(str(error))}", engine, caller))
    except SearchFailedError as error:
        return refused(f"internal_error: {error}")
    return {**content(text), "structuredContent": structured}


def _with_unusable(text: str, engine: Engine, caller: Caller) -> str:
    """An answer, with a sentence for each knowledge base whose claims are all in bad files."""
    said = [text] if text else []
    for served in engine.serving(caller):
        claims, bad = served.view.number_of(Kind.CLAIM), served.collection.published.skipped
        if bad and not claims:
            said.append(
                f"{count(bad, 'file')} of {safe(served.collection.name)} can't be used, and so no "
                "claim of it, which says nothing about what is known. `vouch-sidecar check` names "
                "them."
            )
    return "\n".join(said)


def harmless(value: Any) -> Any:
    """A JSON value with each text made one line that can't close the frame of a context block."""
    if isinstance(value, str):
        return safe(value)
    if isinstance(value, dict):
        return {key: harmless(below) for key, below in value.items()}
    return [harmless(below) for below in value] if isinstance(value, list) else value


def refused(message: str) -> Object:
    """A tool's result that says why there is none."""
    return {**content(message), "isError": True}


def content(text: str) -> Object:
    """A tool's result that is a text."""
    return {"content": [{"type": "text", "text": text}]}
