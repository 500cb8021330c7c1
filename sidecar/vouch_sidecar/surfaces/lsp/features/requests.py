"""Answers the requests `vouch/…`: all operations, and prompts without a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from vouch_sidecar.operations.call import perform, read_params
from vouch_sidecar.operations.notifications import (
    PauseParams,
    PauseResult,
    PromptParams,
    pause_or_resume,
)
from vouch_sidecar.operations.operation import Operation
from vouch_sidecar.operations.wire import Result
from vouch_sidecar.surfaces.lsp.features.sync import observe_all
from vouch_sidecar.surfaces.lsp.server import Sidecar


async def answer(server: Sidecar, operation: Operation[Any, Any], params: object) -> Result:
    """The result of an operation; long ones run in a worker thread. What was typed before counts
    for one about a session.
    """
    given = params if isinstance(params, Mapping) else {}
    if server.protocol.msg_id is None:  # only a request is refused for what is unknown
        params = {name: given[name] for name in given if name in operation.params.model_fields}
    if given.get("session_id") or operation.is_of_session:
        observe_all(server)
    caller, document, uri = replace(server.caller, uri_for=server.uris()), None, given.get("uri")
    if isinstance(uri, str):
        caller, document = server.caller_for(uri), server.document(uri)
    result: Result = await perform(server.engine, operation, params, caller, document)
    return result


def prompt(server: Sidecar, params: object) -> None:
    """Put a prompt that was submitted without a document into a new, final slot."""
    observe_all(server)
    given = read_params(PromptParams, params)
    server.engine.observe(given.session_id, None, given.text)


def pause(server: Sidecar, params: object) -> PauseResult:
    """Pause or resume the knowledge bases of this editor."""
    return pause_or_resume(server.engine, server.caller, read_params(PauseParams, params))
