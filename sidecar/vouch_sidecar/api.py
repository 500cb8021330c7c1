"""The operations for Python programs: `with open_kb(path) as kb: kb.experts("jwt")`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from threading import Thread, main_thread
from typing import Any, Self, TypeVar, get_args
from weakref import ref

import anyio
from anyio.from_thread import BlockingPortal

from vouch_sidecar.engine import Caller, Engine, running
from vouch_sidecar.engine.collection import Need
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.discovery import Found, why_none
from vouch_sidecar.operations import (
    claim,
    context,
    entity,
    experts,
    explain,
    files,
    mentions,
    probe,
    salience,
    search,
    session_end,
    stats,
    status,
)
from vouch_sidecar.operations.call import perform, ready
from vouch_sidecar.operations.capabilities import OPERATION as CAPABILITIES
from vouch_sidecar.operations.operation import Operation
from vouch_sidecar.operations.wire import InvalidParamsError as InvalidParamsError
from vouch_sidecar.operations.wire import NotFoundError as NotFoundError
from vouch_sidecar.operations.wire import Result, Wire

R = TypeVar("R", bound=Result)
FORGOTTEN_SECONDS = 0.2
"""How long who follows the disk may stay after a program that closes nothing."""


class NoKnowledgeBaseError(LookupError):
    """There is no `.vouch/` where one was looked for."""


def open_kb(
    path: str | os.PathLike[str] = ".",
    *,
    project: str | None = None,
    agent: str | None = None,
    settings: Mapping[str, object] | None = None,
) -> KnowledgeBase:
    """Open the knowledge base of a folder: in it, above it, or those below it.

    `project` and `agent` say who asks, as `VOUCH_PROJECT` and `VOUCH_AGENT` do. `settings` are
    nested: `{"recall": {"max_results": 5}}`. Raises `NoKnowledgeBaseError`.
    """
    engine = Engine(env=os.environ, client_settings=settings)
    engine.registry.set_folders([folder := Path(path)])
    if not engine.registry.collections:
        found = engine.registry.found_from(folder)
        raise NoKnowledgeBaseError(why_none(found, folder, os.environ))
    return KnowledgeBase(engine, Viewer(project, agent))


def engine_on(found: Found) -> Engine:
    """An engine for the knowledge bases that were found, unread."""
    engine = Engine(env=os.environ)
    engine.registry.add(found.places)
    return engine


def _method(operation: Operation[Any, R]) -> Callable[..., R]:
    """The method of an operation: `kb.experts("jwt", limit=3)`. Its main param may be given by
    position, all by name; anything that can be iterated over stands for a list. Raises
    `InvalidParamsError`, and `NotFoundError` where one thing is asked for.
    """

    def method(kb: KnowledgeBase, main: object = None, /, **given: object) -> R:
        name = "session_id" if operation.requires_session else operation.params.main()
        params = given if main is None else {**given, name: main}
        for name, value in params.items():
            if isinstance(value, Iterable) and not isinstance(value, str | Mapping | Wire):
                params[name] = [os.fspath(v) if isinstance(v, os.PathLike) else v for v in value]
        return kb.ask(operation, params)

    method.__name__, method.__doc__ = operation.name, operation.summary
    return method


class KnowledgeBase:
    """An open knowledge base, or several. Close it at the end; one that is forgotten closes itself.

    A thread of its own follows the disk. An answer waits until all that it depends on is read, and
    what is worked out of the files around, for seconds the first time. What can't be used as a
    parameter raises `InvalidParamsError`.
    """

    def __init__(self, engine: Engine, viewer: Viewer) -> None:
        self._engine, self._caller = engine, Caller(viewer=viewer)
        started = Future[BlockingPortal]()
        self._thread = Thread(target=anyio.run, args=(_follow, engine, started, ref(self)))
        self._thread.start()
        self._portal = started.result()
        self._is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the index. No question is answered after that."""
        if not self._is_closed:
            self._is_closed = True
            self._portal.start_task_soon(self._portal.stop)
            self._thread.join()

    def refresh(self) -> None:
        """Take in all that has changed on disk until now."""
        found = self._engine.registry.collections.values()
        folders = [folder for each in found for folder in (each.root, each.tree)]
        self._open_portal.call(self._engine.look_soon, folders)
        self.until_read()

    def until_read(self) -> None:
        """Wait until all is read, and what is worked out of the files around is there."""
        needs, served = {*get_args(Need)}, partial(self._engine.registry.serving, self._caller)
        self._open_portal.call(partial(ready, self._engine, needs, served, until="later"))

    experts = _method(experts.OPERATION)
    salience = _method(salience.OPERATION)
    probe = _method(probe.OPERATION)
    context = _method(context.OPERATION)
    search = _method(search.OPERATION)
    entity = _method(entity.OPERATION)
    claim = _method(claim.OPERATION)
    files = _method(files.OPERATION)
    mentions = _method(mentions.OPERATION)
    explain = _method(explain.OPERATION)
    status = _method(status.OPERATION)
    stats = _method(stats.OPERATION)
    capabilities = _method(CAPABILITIES)
    session_end = _method(session_end.OPERATION)

    def ask(
        self, operation: Operation[Any, R], params: dict[str, Any], caller: Caller | None = None
    ) -> R:
        """Answer an operation, by default to the viewer with whom this was opened."""
        asked = self._engine, operation, params, caller or self._caller
        return self._open_portal.call(partial(perform, *asked, until="later"))

    @property
    def _open_portal(self) -> BlockingPortal:
        if self._is_closed:
            raise ValueError("the knowledge base is closed")
        return self._portal


async def _follow(engine: Engine, started: Future[BlockingPortal], kb: ref[KnowledgeBase]) -> None:
    """Follow the disk for an engine and answer what other threads ask, until its knowledge base is
    closed or forgotten, or the program ends.
    """
    async with BlockingPortal() as portal, running(engine):
        started.set_result(portal)
        is_stopped = False
        while not is_stopped and kb() is not None and main_thread().is_alive():
            with anyio.move_on_after(FORGOTTEN_SECONDS):
                await portal.sleep_until_stopped()
                is_stopped = True
        await portal.stop(cancel_remaining=True)  # who follows is waited for by these
