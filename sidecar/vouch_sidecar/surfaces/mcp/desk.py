"""Answers the calls of an MCP client, one after another.

A call that names a session is answered by the process that owns the socket, this one or another.
All other calls, and all calls while nobody owns the socket, are answered here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import anyio
import anyio.to_thread
from pydantic import ValidationError

from vouch_sidecar.engine import Caller, Engine, Keeper
from vouch_sidecar.kb.discovery import discover
from vouch_sidecar.operations import Operation, as_json, perform_beside, refuse_unknown
from vouch_sidecar.operations.base import Result
from vouch_sidecar.operations.context import ContextResult
from vouch_sidecar.surfaces.hook.events import edited_file, limit_of, respond, viewer_in
from vouch_sidecar.surfaces.keeping import indexed
from vouch_sidecar.surfaces.local.client import ask, viewer_of
from vouch_sidecar.surfaces.mcp import resources
from vouch_sidecar.surfaces.mcp.harmless import harmless

__all__ = ["Desk"]

OWNER_SECONDS = 2.0
"""How long the owner of the socket may take."""

Object = Mapping[str, Any]
R = TypeVar("R", bound=Result)


class Desk:
    """The calls of one client. Belongs to the event loop."""

    def __init__(self, engine: Engine, keeper: Keeper, start: Path) -> None:
        self._engine = engine
        self._keeper = keeper
        self._start = start
        self._caller = Caller(connection="mcp")
        self._turn = anyio.Lock()

    async def call(
        self, operation: Operation[Any, Any], params: Object
    ) -> tuple[dict[str, Any], str]:
        """The result of an operation, made harmless, and what a model reads of it. Raises
        `OperationError`, also for a param that is unknown.
        """
        refuse_unknown(operation, params)
        async with self._turn:
            await self._ready()
            result = await self._result(operation, params)
        structured = harmless(as_json(result))
        if isinstance(result, ContextResult):
            structured["text"] = result.text  # a block is harmless, and has lines
        shown = operation.result.model_validate(structured)
        served = self._engine.serving(self._caller, viewer_in(params))
        return structured, operation.readable(shown, [one.view for one in served])

    async def _result(self, operation: Operation[Any, R], params: Object) -> R:
        if isinstance(params.get("session_id"), str):
            roots = self._engine.collections
            answered = await self._ask_owner(roots, operation.kb_method, params)
            if answered is not None and "result" in answered:
                with suppress(ValidationError):  # an owner of another version
                    return operation.result.model_validate(answered["result"])
        return await perform_beside(self._engine, operation, params, self._caller)

    async def hook(self, event: str, payload: Object) -> dict[str, Any] | None:
        """The answer of a hook to an event; None when there is nothing to say."""
        async with self._turn:
            cwd = payload.get("cwd")
            cwd = cwd if isinstance(cwd, str) and cwd else str(self._start)
            payload = {**payload, "cwd": cwd}
            roots = frozenset(Path(root) for root in discover(cwd, env=self._engine.env))
            if not roots:
                return None
            self._look_for(Path(cwd))
            await indexed(self._engine, limit_of(self._engine))
            answered = await self._ask_owner(roots, f"hook.{event}", payload)
            if answered is not None and answered.get("ok") is True:
                return answered.get("result")
            if not roots <= self._engine.collections.keys():
                return None
            if (path := edited_file(payload)) is not None:
                self._keeper.poke([path])
            return await respond(self._engine, event, payload, replace(self._caller, roots=roots))

    async def read(self, uri: str) -> str | None:
        """A resource. Raises `InvalidParamsError`."""
        async with self._turn:
            await self._ready()
            return resources.read(self._engine, self._caller, uri)

    async def _ask_owner(
        self, roots: Iterable[Path], method: str, params: Object
    ) -> dict[str, Any] | None:
        """The answer of the owner of a socket, which may be this process."""
        asked = partial(
            ask,
            list(roots),
            method,
            {**params, "viewer": self._viewer(params.get("viewer"))},
            timeout=OWNER_SECONDS,
            env=self._engine.env,
        )
        return await anyio.to_thread.run_sync(asked)

    def _viewer(self, given: object) -> object:
        """The viewer given, completed from this process's environment: the owner has another."""
        if given is not None and not isinstance(given, Mapping):
            return given
        own = viewer_of(self._engine.env)
        return {**own, **{k: v for k, v in (given or {}).items() if v is not None}}

    async def _ready(self) -> None:
        self._look_for(self._start)
        await indexed(self._engine)

    def _look_for(self, start: Path) -> None:
        """Look for a knowledge base once more while there is none."""
        if not self._engine.collections and self._engine.add_start(start):
            self._keeper.poke()
