"""The operations as JSON lines: one request a line, one answer a line."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import anyio
from anyio.to_thread import run_sync as in_worker

from vouch_sidecar.engine import Caller, Engine, running
from vouch_sidecar.operations.call import perform
from vouch_sidecar.operations.operation import KB, operations
from vouch_sidecar.operations.wire import OperationError, as_json
from vouch_sidecar.surfaces.projects import Projects
from vouch_sidecar.surfaces.stdio import claim_streams, leave

log = logging.getLogger(__name__)


def run_jsonl(env: Mapping[str, str], start: Path, *, is_chosen: bool) -> None:
    """Answer lines of standard input on standard output, about the knowledge bases found from
    folder `start`, or from where the host says its project is unless `is_chosen`, or from the
    `root` that a line names; at the end of the input, end the process.

    The first answers wait until they are whole, for at most `READY_SECONDS`. Every request is
    answered, as long as the client reads the answers.
    """
    source, sink = claim_streams()
    engine, projects = Engine(env=env), Projects(env, start, is_chosen=is_chosen)
    engine.registry.add((found := projects.asked({})).places)
    if not found.places:
        log.warning("%s", projects.why_none(found))
        engine.registry.serve_from(start, found)  # `status` says why there is none
    anyio.run(_serve, engine, projects, source, sink)


async def _serve(engine: Engine, projects: Projects, source: BinaryIO, sink: BinaryIO) -> None:
    async with running(engine):
        async for line in lines_of(source):
            if line.strip():
                try:
                    request = json.loads(line.decode("utf-8"))
                    said = as_line(await answer(engine, request, projects))
                except (ValueError, RecursionError):  # also of an id that can't be written again
                    said = as_line(refusal(None, "invalid_request", "the line is not valid JSON"))
                await send(sink, said)
        await engine.until_looked()  # the next process, which may ask as little, needs a base
    leave(0)


async def answer(engine: Engine, request: object, projects: Projects) -> dict[str, Any]:
    """The answer to one request, of the knowledge bases that `projects` finds; the first answers
    wait to be whole. Never raises, whatever the request is.
    """
    if not isinstance(request, dict):
        return refusal(None, "invalid_request", "a request is one JSON object")
    request_id, method, params = request.get("id"), request.get("method"), request.get("params")
    if not isinstance(method, str):
        return refusal(request_id, "invalid_request", "method: must be a string")
    operation = operations().get(method.removeprefix(KB)) if method.startswith(KB) else None
    if operation is None:
        return refusal(request_id, "method_not_found", "there is no such method")
    try:
        engine.registry.add(places := frozenset(projects.asked(params).places))
        caller = Caller(places=places)
        asked = await perform(engine, operation, params, caller, until="first")
        return {"id": request_id, "ok": True, "result": as_json(asked)}
    except OperationError as error:
        return refusal(request_id, error.code, str(error))
    except Exception as error:  # the error's text may hold a prompt
        log.error("%s failed: %s", operation.name, type(error).__name__)
        return refusal(request_id, "internal_error", "internal error")


def refusal(request_id: object, code: str, message: str) -> dict[str, Any]:
    """An error as the answer to a request."""
    return {"id": request_id, "ok": False, "error": {"code": code, "message": message}}


async def lines_of(source: BinaryIO) -> AsyncIterator[bytes]:
    """The lines of a stream. The last needs no line end."""
    while line := await in_worker(source.readline, abandon_on_cancel=True):
        yield line


async def send(sink: BinaryIO, line: bytes) -> None:
    """Write a line; the process ends where nobody reads."""
    try:
        await in_worker(sink.write, line, abandon_on_cancel=True)
        await in_worker(sink.flush, abandon_on_cancel=True)
    except (OSError, ValueError):
        leave(0)


def as_line(answered: Mapping[str, Any]) -> bytes:
    """An object as a line of JSON. Raises ValueError for numbers that JSON has not."""
    return json.dumps(answered, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"
