"""The operations for Python programs: `with open_kb(path) as kb: kb.experts("jwt")`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any, Generic, ParamSpec, Self, TypeVar, overload

from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.engine.worlds import settle
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.discovery import discover
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
from vouch_sidecar.operations.artifacts import IdParams
from vouch_sidecar.operations.call import params_of, perform, serving
from vouch_sidecar.operations.capabilities import OPERATION as CAPABILITIES
from vouch_sidecar.operations.operation import Operation
from vouch_sidecar.operations.wire import EditorOnly, Params, Result, Wire, marked
from vouch_sidecar.operations.wire import InvalidParamsError as InvalidParamsError
from vouch_sidecar.operations.wire import NotFoundError as NotFoundError

P = ParamSpec("P")
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
    roots = discover(path, env=os.environ)
    if not roots:
        raise NoKnowledgeBaseError(f"no knowledge base found from {os.fspath(path)}")
    return KnowledgeBase(engine_on(roots, settings), Viewer(project, agent))


def engine_on(
    roots: Iterable[str | os.PathLike[str]], settings: Mapping[str, object] | None = None
) -> Engine:
    """An engine for these knowledge bases, unread."""
    engine = Engine(env=os.environ, client_settings=settings)
    for root in roots:
        engine.registry.add_root(Path(root))
    return engine


class Method(Generic[P, R]):
    """An operation as a method: `kb.experts("jwt", limit=3)`. Its main param may be given by
    position, all by name; anything that can be iterated over stands for a list.
    """

    _kb: KnowledgeBase

    def __init__(self, operation: Operation[Any, R], _: Callable[P, Params]) -> None:
        self._operation = operation
        self.__doc__ = operation.summary
        self.__name__ = operation.name
        self.__signature__ = _signature(operation)

    def __get__(self, kb: KnowledgeBase | None, _: object = None) -> Method[P, R]:
        bound = copy(self)
        if kb is not None:
            bound._kb = kb
        return bound

    @overload
    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R: ...
    @overload
    def __call__(self, main: object, /, **others: Any) -> R: ...
    def __call__(self, /, *args: Any, **kwargs: Any) -> R:
        """Answer. Raises `InvalidParamsError`, and `NotFoundError` where one thing is asked for."""
        given = self.__signature__.bind(*args, **kwargs).arguments
        for name, value in given.items():
            if isinstance(value, Iterable) and not isinstance(value, str | Mapping | Wire):
                given[name] = [os.fspath(v) if isinstance(v, os.PathLike) else v for v in value]
        return self._kb.ask(self._operation, given)


def _signature(operation: Operation[Any, Any]) -> Signature:
    """The params of an operation, but for those about open documents: its own before those that
    others have too. The session comes first where an operation is about one.
    """
    model = operation.params
    names = model.model_fields.keys() - marked(model, EditorOnly)
    order = [name for name in (*model.__annotations__, *model.model_fields) if name in names]
    if operation.requires_session or operation.drops_state:
        order.insert(0, "session_id")
    taken: list[Parameter] = []
    for name in dict.fromkeys(order):
        kind = Parameter.KEYWORD_ONLY if taken else Parameter.POSITIONAL_OR_KEYWORD
        field = model.model_fields[name]
        default = Parameter.empty if field.is_required() else field.default
        taken.append(Parameter(name, kind, default=default, annotation=field.annotation))
    return Signature(taken, return_annotation=operation.result)


class KnowledgeBase:
    """An open knowledge base, or several. Use it in one thread, and close it at the end.

    Answers are those of the moment when it was opened, or last refreshed. Opening waits until
    everything is read. What can't be used as a parameter raises `InvalidParamsError`.
    """

    def __init__(self, engine: Engine, viewer: Viewer) -> None:
        self._engine: Engine | None = engine
        self._caller = Caller(connection="python", viewer=viewer)
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

    experts = Method(experts.OPERATION, experts.ExpertsParams)
    salience = Method(salience.OPERATION, salience.SalienceParams)
    probe = Method(probe.OPERATION, probe.ProbeParams)
    context = Method(context.OPERATION, context.ContextParams)
    search = Method(search.OPERATION, search.SearchParams)
    entity = Method(entity.OPERATION, IdParams)
    claim = Method(claim.OPERATION, IdParams)
    files = Method(files.OPERATION, files.FilesParams)
    mentions = Method(mentions.OPERATION, mentions.MentionsParams)
    explain = Method(explain.OPERATION, explain.ExplainParams)
    status = Method(status.OPERATION, Params)
    stats = Method(stats.OPERATION, Params)
    capabilities = Method(CAPABILITIES, Params)
    session_end = Method(session_end.OPERATION, session_end.SessionEndParams)

    def ask(self, operation: Operation[Any, R], params: dict[str, Any]) -> R:
        """Answer an operation. The first one about files or who committed to them works these out,
        for seconds.
        """
        engine = self._open()
        viewer = params_of(operation, params).viewer
        served = [kb.collection for kb in serving(engine, self._caller, viewer, None)]
        settle(
            [c for c in served if c.complete and operation.needs_workspace(c)],
            with_commits=operation.needs != {"topics"},
        )
        return perform(engine, operation, params, self._caller)

    def _open(self) -> Engine:
        if self._engine is None:
            raise ValueError("the knowledge base is closed")
        return self._engine
