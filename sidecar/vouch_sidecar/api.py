"""The operations for Python programs: `with open_kb(path) as kb: kb.experts("jwt")`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self, TypedDict, TypeVar, Unpack

from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.engine.workspaces import State, settle
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
from vouch_sidecar.operations.base import Params, Result, SearchKind
from vouch_sidecar.operations.call import perform
from vouch_sidecar.operations.capabilities import OPERATION as CAPABILITIES
from vouch_sidecar.operations.capabilities import CapabilitiesResult
from vouch_sidecar.operations.claim import ClaimResult
from vouch_sidecar.operations.context import ContextResult
from vouch_sidecar.operations.entity import EntityResult
from vouch_sidecar.operations.errors import InvalidParamsError, NotFoundError
from vouch_sidecar.operations.experts import ExpertsResult
from vouch_sidecar.operations.explain import ExplainResult
from vouch_sidecar.operations.files import FilesResult
from vouch_sidecar.operations.mentions import MentionsResult
from vouch_sidecar.operations.operation import Operation
from vouch_sidecar.operations.probe import ProbeResult
from vouch_sidecar.operations.salience import SalienceResult
from vouch_sidecar.operations.search import SearchResult
from vouch_sidecar.operations.stats import StatsResult
from vouch_sidecar.operations.status import StatusResult
from vouch_sidecar.retrieval.experts import Linking

__all__ = [
    "InvalidParamsError",
    "KnowledgeBase",
    "NoKnowledgeBaseError",
    "NotFoundError",
    "open_kb",
]

P = TypeVar("P", bound=Params)
R = TypeVar("R", bound=Result)


class NoKnowledgeBaseError(LookupError):
    """There is no `.vouch/` where one was looked for."""


class Common(TypedDict, total=False):
    """What every question takes: a session that it belongs to, and the folder of one knowledge base
    where several are open.
    """

    session_id: str
    root: str


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
    engine = Engine(env=os.environ, client_settings=settings)
    for root in roots:
        engine.add_root(Path(root))
    engine.load()
    return KnowledgeBase(engine, Viewer(project, agent))


class KnowledgeBase:
    """An open knowledge base, or several. Use it in one thread, and close it at the end.

    Answers are those of the moment when it was opened, or last refreshed. What can't be used as a
    parameter raises `InvalidParamsError`.
    """

    def __init__(self, engine: Engine, viewer: Viewer) -> None:
        self._engine: Engine | None = engine
        self._caller = Caller(connection="python", viewer=viewer)
        self._workspaces: dict[Path, State] = {}

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

    def experts(
        self,
        topic: str,
        *,
        limit: int = 10,
        min_claims: int = 1,
        weight: str = "count",
        types: Iterable[str] | None = None,
        linking: Linking = "auto",
        explain: bool = False,
        since: str | None = None,
        **common: Unpack[Common],
    ) -> ExpertsResult:
        """Entities ranked by the evidence they carry on a topic."""
        params = {
            "topic": topic,
            "limit": limit,
            "min_claims": min_claims,
            "weight": weight,
            "types": _list(types),
            "linking": linking,
            "explain": explain,
            "since": since,
        }
        return self._ask(experts.OPERATION, params, common)

    def salience(
        self, session_id: str, *, top_k: int | None = None, root: str | None = None
    ) -> SalienceResult:
        """Entities in play in a session: in the texts of the calls that named it."""
        params = {"session_id": session_id, "top_k": top_k, "root": root}
        return self._ask(salience.OPERATION, params, {})

    def probe(self, text: str, **common: Unpack[Common]) -> ProbeResult:
        """What the knowledge base knows of a text, phrase by phrase."""
        return self._ask(probe.OPERATION, {"text": text}, common)

    def context(
        self,
        task: str | None = None,
        *,
        max_chars: int | None = None,
        repeat: bool = True,
        adjacent: bool = False,
        since: str | None = None,
        **common: Unpack[Common],
    ) -> ContextResult:
        """The block for a prompt that a task, or else a session, brings in."""
        params = {
            "task": task,
            "max_chars": max_chars,
            "repeat": repeat,
            "adjacent": adjacent,
            "since": since,
        }
        return self._ask(context.OPERATION, params, common)

    def search(
        self,
        query: str,
        *,
        kinds: Iterable[SearchKind] | None = None,
        limit: int = 10,
        exclude: Iterable[str] | None = None,
        since: str | None = None,
        **common: Unpack[Common],
    ) -> SearchResult:
        """Claims, pages, entities, relations and sources that hold words of a query."""
        params = {
            "query": query,
            "kinds": _list(kinds),
            "limit": limit,
            "exclude": _list(exclude),
            "since": since,
        }
        return self._ask(search.OPERATION, params, common)

    def entity(self, id: str, **common: Unpack[Common]) -> EntityResult:  # noqa: A002
        """An entity by id, name or alias: whom to ask, its claims, pages and relations.

        Raises `NotFoundError`.
        """
        return self._ask(entity.OPERATION, {"id": id}, common)

    def claim(self, id: str, **common: Unpack[Common]) -> ClaimResult:  # noqa: A002
        """A claim by id, with its citations, pages and relations. Raises `NotFoundError`."""
        return self._ask(claim.OPERATION, {"id": id}, common)

    def files(
        self, paths: Iterable[str | os.PathLike[str]], **common: Unpack[Common]
    ) -> FilesResult:
        """The claims tied to files of the workspace. The first call works the ties out, which may
        take seconds.
        """
        engine = self._open()
        settle(engine.collections.values(), engine.env, self._workspaces)
        given = [os.fspath(path) for path in paths]
        return self._ask(files.OPERATION, {"paths": given}, common)

    def mentions(self, text: str, **common: Unpack[Common]) -> MentionsResult:
        """Every place of a text that names an entity."""
        return self._ask(mentions.OPERATION, {"text": text}, common)

    def explain(self, text: str, **common: Unpack[Common]) -> ExplainResult:
        """What a text brings in and what does not, with the reasons."""
        return self._ask(explain.OPERATION, {"text": text}, common)

    def status(self, **common: Unpack[Common]) -> StatusResult:
        """The knowledge bases that are open, with the problems of their files."""
        return self._ask(status.OPERATION, {}, common)

    def stats(self, **common: Unpack[Common]) -> StatsResult:
        """What was asked since the knowledge base was opened, and how long it took."""
        return self._ask(stats.OPERATION, {}, common)

    def capabilities(self, **common: Unpack[Common]) -> CapabilitiesResult:
        """The version, and the methods of the language server."""
        return self._ask(CAPABILITIES, {}, common)

    def session_end(self, session_id: str) -> None:
        """Drop the window of a session."""
        self._ask(session_end.OPERATION, {"session_id": session_id}, {})

    def _ask(self, operation: Operation[P, R], params: dict[str, Any], common: Common) -> R:
        return perform(self._open(), operation, {**params, **common}, self._caller)

    def _open(self) -> Engine:
        if self._engine is None:
            raise ValueError("the knowledge base is closed")
        return self._engine


def _list(values: Iterable[str] | None) -> list[str] | None:
    return None if values is None else list(values)
