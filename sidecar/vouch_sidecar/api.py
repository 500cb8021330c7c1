"""The operations for Python programs: `with open_kb(path) as kb: kb.experts("jwt")`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.kb.access import Viewer
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
from vouch_sidecar.operations.call import perform, work_out
from vouch_sidecar.operations.capabilities import OPERATION as CAPABILITIES
from vouch_sidecar.operations.operation import Operation
from vouch_sidecar.operations.wire import InvalidParamsError as InvalidParamsError
from vouch_sidecar.operations.wire import NotFoundError as NotFoundError
from vouch_sidecar.operations.wire import Result, Wire

R = TypeVar("R", bound=Result)


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
    engine.registry.search(Path(path))
    if not engine.collections:
        raise NoKnowledgeBaseError(f"no knowledge base found from {os.fspath(path)}")
    return KnowledgeBase(engine, Viewer(project, agent))


def engine_on(roots: Iterable[str | os.PathLike[str]]) -> Engine:
    """An engine for these knowledge bases, unread."""
    engine = Engine(env=os.environ)
    for root in roots:
        engine.registry.search(Path(root))
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
    """An open knowledge base, or several. Use it in one thread, and close it at the end.

    Answers are those of the moment when it was opened, or last refreshed; what git has checked out
    since is taken in once a question depends on files. Opening waits until everything is read. What
    can't be used as a parameter raises `InvalidParamsError`.
    """

    def __init__(self, engine: Engine, viewer: Viewer) -> None:
        self._engine: Engine | None = engine
        self._caller = Caller(viewer=viewer)
        engine.load()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the index. No question is answered after that."""
        self._engine = None

    def refresh(self) -> None:
        """Take in what changed on disk."""
        self._open().load()

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

    def ask(self, operation: Operation[Any, R], params: dict[str, Any]) -> R:
        """Answer an operation. The first one about files or who committed to them works these out,
        for seconds.
        """
        engine = self._open()
        work_out(engine, operation, params, self._caller)
        return perform(engine, operation, params, self._caller)

    def _open(self) -> Engine:
        if self._engine is None:
            raise ValueError("the knowledge base is closed")
        return self._engine
