"""The results of MCP's tools, as JSON objects of the protocol.

The process that holds the user's socket answers. Where none does, or this one's environment sets a
model, this process makes an engine.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.operations import Operation
from vouch_sidecar.operations.readiness import READY_SECONDS
from vouch_sidecar.surfaces.agent_requests import answer_agent, content, refused
from vouch_sidecar.surfaces.local.client import (
    PROCESS,
    SOON_SECONDS,
    TOOL,
    UnansweredError,
    ask,
)
from vouch_sidecar.surfaces.mcp.tools import read
from vouch_sidecar.surfaces.projects import UNFILLED, Projects, path_of, serve

log = logging.getLogger(__name__)

HOLDER_SECONDS = READY_SECONDS + 1.0
"""Time limit for the holder's answer to a question, while there is no engine here; then it is
`SOON_SECONDS`.
"""

Object = dict[str, Any]
Folders = Callable[[], Awaitable[Iterable[str]]]
"""Asks the client for its folders, as file URIs."""


class Answers:
    """Answers the calls of one client, one after another, on the event loop.

    `begin` makes an engine for the knowledge bases of `projects`, and follows the disk for it.
    """

    def __init__(
        self, env: Mapping[str, str], projects: Projects, begin: Callable[[], Engine]
    ) -> None:
        self._env = env
        self._projects = projects
        self._begin = begin
        self._engine: Engine | None = None
        self._turn = anyio.Lock()

    async def begin_unless_served(self) -> None:
        """Begin to read the knowledge bases, if no process serves them."""
        try:
            await self._ask_holder(PROCESS, {}, self._projects.named(), SOON_SECONDS)
        except UnansweredError:
            self._own_engine()

    async def called(
        self, operation: Operation[Any, Any], arguments: Object, folders: Folders
    ) -> Object:
        """The result of a tool. `folders` gives those that the client names."""
        params, notes = read(operation, arguments)
        if params.get("root") in (".", "./") or UNFILLED in str(params.get("root")):
            del params["root"]  # the project, whichever it is
        try:
            async with self._turn:
                root = params.get("root")
                if isinstance(root, str):
                    root = params["root"] = path_of(root)
                    roots = self._projects.named([root], only=True)
                else:
                    named = [] if self._projects.is_chosen else await folders()
                    root, roots = None, self._projects.named(named)
                if not roots:
                    params.pop("root", None)
                result = await self._answered(TOOL + operation.name, params, roots)
                if not roots:
                    result["content"] = content(self._projects.why_none(root))["content"]
                    result["isError"] = UNFILLED in str(self._projects.start)  # to be mended
        except Exception as error:  # the error's text may hold a prompt
            log.error("a tool failed: %s", type(error).__name__)
            return refused("internal_error: internal error")
        result["content"] += [part for note in notes for part in content(note)["content"]]
        return result

    async def _answered(self, method: str, params: Object, roots: frozenset[Path]) -> Object:
        """The result of a tool, from the process that holds the socket, else from this one."""
        if roots:
            with suppress(UnansweredError):
                seconds = HOLDER_SECONDS if self._engine is None else SOON_SECONDS
                return await self._ask_holder(method, params, roots, seconds)
        engine = self._own_engine()
        serve(engine, roots)
        request = {"method": method, "params": params}
        caller = Caller("mcp", roots=roots, is_model=True)
        result: Object = (await answer_agent(engine, request, caller, lambda: True))["result"]
        return result

    async def _ask_holder(
        self, method: str, params: Object, roots: frozenset[Path], seconds: float
    ) -> Object:
        """The result that the holder of the socket gives. Raises `UnansweredError`."""
        asked = partial(ask, roots, method, params, env=self._env, timeout=seconds)
        result: Object = await anyio.to_thread.run_sync(asked, abandon_on_cancel=True)
        return result

    def _own_engine(self) -> Engine:
        """The engine of this process, made when it is first needed."""
        self._engine = self._engine or self._begin()
        return self._engine
