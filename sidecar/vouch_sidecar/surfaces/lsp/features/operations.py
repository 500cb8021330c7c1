"""The operations as requests or notifications `vouch/…`, and prompts without a document."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from vouch_sidecar.operations import (
    OPERATIONS,
    InvalidParamsError,
    PromptParams,
    as_json,
    call,
    read_params,
)
from vouch_sidecar.surfaces.lsp.server import Sidecar

__all__ = ["register"]


def register(server: Sidecar) -> None:
    """Answer every operation."""
    for operation in OPERATIONS.values():
        server.own[operation.method] = _handler(server, operation.name)
    server.own["vouch/prompt"] = partial(_prompt, server)


def _handler(server: Sidecar, name: str) -> Callable[[object], dict[str, Any]]:
    def handle(params: object) -> dict[str, Any]:
        try:
            return as_json(call(server.engine, name, params, server.caller))
        except InvalidParamsError as error:
            raise _refusal(error) from None
        finally:
            server.touch()

    return handle


def _prompt(server: Sidecar, params: object) -> None:
    """A prompt submitted without a document is a slot of its own, final from the start."""
    try:
        prompt = read_params(PromptParams, params)
    except InvalidParamsError as error:
        raise _refusal(error) from None
    server.observe(prompt.session_id, None, prompt.text)


def _refusal(error: InvalidParamsError) -> JsonRpcInvalidParams:
    return JsonRpcInvalidParams(str(error), data=[str(message) for message in error.messages])
