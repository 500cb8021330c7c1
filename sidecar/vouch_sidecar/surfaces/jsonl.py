"""The operations as JSON lines: one request a line, one answer a line."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from io import RawIOBase
from pathlib import Path
from typing import Any, BinaryIO

import anyio

from vouch_sidecar.engine import Caller, DiskFollower, Engine
from vouch_sidecar.operations import (
    OPERATIONS,
    InvalidParamsError,
    SearchFailedError,
    as_json,
    perform_async,
)
from vouch_sidecar.operations.readiness import indexed
from vouch_sidecar.surfaces.background import in_background
from vouch_sidecar.surfaces.lines import as_line, lines_of, send
from vouch_sidecar.surfaces.projects import Projects
from vouch_sidecar.surfaces.stdio import claim_streams, end_with_client, leave

BY_METHOD = {operation.kb_method: operation for operation in OPERATIONS.values()}

log = logging.getLogger(__name__)


def run_jsonl(env: Mapping[str, str], start: Path, *, is_chosen: bool) -> None:
    """Answer lines of standard input on standard output, about the knowledge bases found from
    folder `start`, or from where the host says its project is unless `is_chosen`, or from the
    `root` that a line names; at the end of the input, end the process.

    The first answers wait until they are whole, for at most `READY_SECONDS`. Every request is
    answered, as long as the client reads the answers.
    """
    source, sink = claim_streams()
    answered_all = end_with_client(sink.fileno())
    engine, projects = Engine(env=env), Projects(env, start, is_chosen=is_chosen)
    if not projects.asked(engine, {}) and not projects.refused:
        log.warning("%s", projects.why_none())
    anyio.run(_serve, engine, projects, source, sink, answered_all)


async def _serve(
    engine: Engine,
    projects: Projects,
    source: RawIOBase,
    sink: BinaryIO,
    answered_all: Callable[[], None],
) -> None:
    caller = Caller(connection="jsonl")
    follower = DiskFollower(engine)
    has_asked = False
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(in_background, follower.run)
        async for line in lines_of(source):
            if line.strip():
                has_asked = True
                try:
                    text = line.decode("utf-8")
                    request = json.loads(text, parse_constant=_finite, parse_float=_finite)
                    said = as_line(await answer(engine, request, caller, projects=projects))
                except (ValueError, RecursionError):  # also of an id that can't be written again
                    said = as_line(refusal(None, "invalid_request", "the line is not valid JSON"))
                await send(sink, said)
        answered_all()
        if has_asked:  # the next process, which may ask as little as this one, needs a base
            await indexed(engine)
            await follower.finish_bases()
        leave(0)


async def answer(
    engine: Engine, request: object, caller: Caller, *, projects: Projects | None = None
) -> dict[str, Any]:
    """The answer to one request; the first answers wait to be whole. `projects` finds the knowledge
    bases to ask; None: those of the caller. Never raises, whatever the request is.
    """
    if not isinstance(request, dict):
        return refusal(None, "invalid_request", "a request is one JSON object")
    request_id, method, params = request.get("id"), request.get("method"), request.get("params")
    if not isinstance(method, str):
        return refusal(request_id, "invalid_request", "method: must be a string")
    if (operation := BY_METHOD.get(method)) is None:
        return refusal(request_id, "method_not_found", "there is no such method")
    try:
        if projects is not None:
            caller = replace(caller, roots=projects.asked(engine, params))
        asked = await perform_async(engine, operation, params, caller, whole=True)
        return {"id": request_id, "ok": True, "result": as_json(asked)}
    except InvalidParamsError as error:
        code = "missing_param" if error.missing else "invalid_request"
        return refusal(request_id, code, str(error))
    except SearchFailedError as error:
        return refusal(request_id, "internal_error", str(error))
    except Exception as error:  # the error's text may hold a prompt
        log.error("%s failed: %s", operation.name, type(error).__name__)
        return refusal(request_id, "internal_error", "internal error")


def session_named(request: Mapping[str, Any]) -> str | None:
    """The id of the session that a request names; None without one."""
    params = request.get("params")
    session_id = params.get("session_id") if isinstance(params, Mapping) else None
    return session_id if isinstance(session_id, str) else None


def _finite(number: str) -> float:
    """The number that is meant. Raises ValueError for NaN and infinity, which are no JSON."""
    if not math.isfinite(value := float(number)):
        raise ValueError
    return value


def refusal(request_id: object, code: str, message: str) -> dict[str, Any]:
    """An error as the answer to a request."""
    log.debug("refused: %s", code)
    return {"id": request_id, "ok": False, "error": {"code": code, "message": message}}
