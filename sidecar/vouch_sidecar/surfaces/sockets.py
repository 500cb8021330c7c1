"""Answers hooks and commands of the shell over the sockets of a process."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from vouch_sidecar.engine import Caller, Engine, Indexer
from vouch_sidecar.retrieval.turn import PUSH_PARTS, PushPart
from vouch_sidecar.surfaces.hook.events import EVENTS, limit_of, prepare, respond_async
from vouch_sidecar.surfaces.hook.payload import edited_file
from vouch_sidecar.surfaces.jsonl import refusal
from vouch_sidecar.surfaces.local.follower import Tell
from vouch_sidecar.surfaces.local.server import LocalServer
from vouch_sidecar.surfaces.shell.remote import SHELL

HOOK = "hook"
LIMIT = "limit"
"""The event by which a hook asks for its time limit."""

log = logging.getLogger(__name__)


def local_server(
    engine: Engine,
    indexer: Indexer,
    tell: Tell | None = None,
    *,
    watches: bool = False,
    parts: Callable[[], Collection[PushPart]] = lambda: PUSH_PARTS,
    stop: Callable[[], object] | None = None,
) -> LocalServer:
    """A `LocalServer` that answers operations, hooks and commands of the shell."""
    local = LocalServer(engine, indexer, tell, watches=watches, parts=parts, stop=stop)
    local.register(HOOK, _answer_hook)
    local.register(SHELL, _answer_shell)
    return local


async def _answer_hook(
    engine: Engine, indexer: Indexer, request: Mapping[str, Any], caller: Caller
) -> dict[str, Any]:
    request_id, payload = request.get("id"), request.get("params")
    event = request["method"].partition(".")[2]
    if event == LIMIT:
        return {"id": request_id, "ok": True, "result": limit_of(engine)}
    if event not in EVENTS or not isinstance(payload, dict):
        return refusal(request_id, "invalid_request", "there is no such event")
    await prepare(engine, event, caller)
    if (path := edited_file(payload)) is not None:
        indexer.poke([Path(path)])
    result = None
    try:
        result = await respond_async(engine, event, payload, caller)
    except Exception as error:
        log.error("%s failed: %s", event, type(error).__name__)  # its message may hold a prompt
    return {"id": request_id, "ok": True, "result": result}


async def _answer_shell(
    engine: Engine, _: Indexer, request: Mapping[str, Any], caller: Caller
) -> dict[str, Any]:
    from vouch_sidecar.surfaces.shell.served_commands import (
        printed,  # imports rich, which is seldom needed
    )

    output = await printed(engine, replace(caller, is_model=False), request.get("params"))
    return {"id": request.get("id"), "ok": True, "result": output and output._asdict()}
