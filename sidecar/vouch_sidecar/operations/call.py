"""Performs calls: checks params, records the text in the session, runs the operation, adds the
fields that every answer has.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Generic, TypeVar

from pydantic import ValidationError

from vouch_sidecar.engine import Caller, Engine, UnknownRootError
from vouch_sidecar.engine.question_queue import in_turn
from vouch_sidecar.index.layers import DamagedError
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.artifact_files import anchored
from vouch_sidecar.operations.errors import (
    InvalidParamsError,
    Message,
    SearchFailedError,
)
from vouch_sidecar.operations.operation import (
    OpenDocuments,
    Operation,
    OperationCall,
    excerpt,
)
from vouch_sidecar.operations.readiness import CATCH_UP_SECONDS, caught_up, lacking, ready
from vouch_sidecar.operations.wire import (
    Meta,
    Params,
    Paths,
    Result,
    SalienceMeta,
    Wire,
    marked,
)

if TYPE_CHECKING:
    from vouch_sidecar.engine.embedding import Embeddings


log = logging.getLogger(__name__)

OTHERS = {"workDoneToken", "partialResultToken", "_meta"}
"""Names that protocols add to params."""
_SUBJECT = re.compile(r"^[A-Z]\w*(?: \w+)? should ")
NO_NAME = re.compile(r"[^\w-]")
MAX_PARAM_NAME = 60
MAX_UNKNOWN = 3
"""Unknown params that a refusal names."""
RESEMBLES = 0.7
"""How similar an unknown param is to the one that was meant."""


M = TypeVar("M", bound=Wire)
P = TypeVar("P", bound=Params)
R = TypeVar("R", bound=Result)
T = TypeVar("T")


def perform(
    engine: Engine,
    operation: Operation[P, R],
    raw: object,
    caller: Caller,
) -> R:
    """Perform one call; `raw` holds the params as they came. Raises `InvalidParamsError` and
    `SearchFailedError`.
    """
    with refusing_if_damaged(engine):
        this = _Call.begin(engine, operation, raw, caller, None)
        return this.completed(this.run())


def viewer_in(operation: Operation[P, R], raw: object) -> Viewer | None:
    """The viewer whom params name. Raises `InvalidParamsError`."""
    return _viewer(_params(operation, raw))


def _viewer(params: Params) -> Viewer | None:
    who = params.viewer
    return Viewer(who.project, who.agent) if who else None


@contextmanager
def refusing_if_damaged(engine: Engine) -> Iterator[None]:
    """Raises `SearchFailedError` if the index turns out to be damaged, and has it rebuilt."""
    try:
        yield
    except DamagedError:
        engine.notify()  # the follower rebuilds it; without one the next `read` does
        raise SearchFailedError from None


async def perform_async(
    engine: Engine,
    operation: Operation[P, R],
    raw: object,
    caller: Caller,
    documents: OpenDocuments | None = None,
    patience: float = CATCH_UP_SECONDS,
    *,
    whole: bool = False,
) -> R:
    """As `perform`, on an event loop: a long operation runs in a worker thread, on the generation
    that was current at the call. After a report that files changed, the call begins when these were
    looked at, at the latest after `patience` seconds. With `whole`, a first answer
    waits to be whole (`ready`). `documents` are those that the caller has open.
    Raises `InvalidParamsError` and `SearchFailedError`.
    """
    if whole:
        await ready(engine, operation, caller)
    await caught_up(engine, operation, caller, patience)
    with refusing_if_damaged(engine):
        this = _Call.begin(engine, operation, raw, caller, documents)
        if engine.embeddings is not None and engine.embeddings.is_on:
            this = await this.with_vector(engine.embeddings)
        with engine.breath:
            async with this.giving:
                result = await in_turn(this.run) if operation.is_long else this.run()
                return this.completed(result)


@dataclass(frozen=True)
class _Call(Generic[P, R]):
    """A call in progress. The engine's thread begins and completes it; any thread may run it."""

    operation: Operation[P, R]
    params: P
    ask: OperationCall
    generation: int
    started: float
    lacking: Sequence[str] = ()
    """What was not known when the call began, as values of `degraded`."""

    @classmethod
    def begin(
        cls,
        engine: Engine,
        operation: Operation[P, R],
        raw: object,
        caller: Caller,
        documents: OpenDocuments | None,
    ) -> _Call[P, R]:
        """Check the params and put the text into the session named. Raises `InvalidParamsError`."""
        started = perf_counter()
        params = _params(operation, raw)
        places = [Path(path) for path in paths_in(operation, raw) if os.path.isabs(path)]  # noqa: PTH117
        if places and caller.at is None:
            caller = replace(caller, at=anchored(places[0]))
        try:
            served = engine.serving(caller, _viewer(params), params.root)
            if params.session_id and operation.text_field:
                text = getattr(params, operation.text_field)
                if text is not None:
                    engine.observe(params.session_id, None, text)
        except UnknownRootError:
            message = Message("root", "is no folder of a knowledge base that is served")
            raise InvalidParamsError([message]) from None
        ask = OperationCall(engine, caller, served, documents)
        lacks = lacking(engine, operation, caller, served)
        return cls(operation, params, ask, engine.generation, started, lacks)

    async def with_vector(self, embeddings: Embeddings) -> _Call[P, R]:
        """The call with the vector of its text, if the operation wants one and the model is in
        time.
        """
        operation = self.operation
        field = operation.text_field or "text"
        text = getattr(self.params, field, None) if operation.is_semantic else None
        if not text or not self.ask.served:
            return self
        text = excerpt(text)
        vector = await embeddings.vector(text, self.ask.served)
        lacks = vector is None and embeddings.reads(text)
        return replace(self, ask=replace(self.ask, vector=vector, lacks_vector=lacks))

    @property
    def giving(self) -> AbstractAsyncContextManager[object]:
        """What the call holds while it runs, so that its session is given nothing twice."""
        session_id = self.ask.session(self.params)
        if session_id is None or getattr(self.params, "repeat", True):
            return nullcontext()
        return self.ask.engine.sessions.open(session_id).giving

    def run(self) -> R:
        """The operation's result, with the salience of the session that the call names."""
        result = self.operation.run(self.ask, self.params)
        return result.model_copy(update={"meta": _meta(self.ask, self.params.session_id)})

    def completed(self, result: R) -> R:
        """The result with the fields that every answer has. Records the duration of the call, and
        what the operation wants recorded.
        """
        engine = self.ask.engine
        for record in self.ask.to_record:
            self.ask.caller.when_heard(record)
        cut = any(view.deadline.cut for view in self.ask.views)
        degraded = [*engine.problems.degraded(), *(["timed_out"] if cut else []), *result.degraded]
        degraded += [value for value in self.lacking if value not in degraded]
        degraded += ["semantic_unavailable"] if self.ask.lacks_vector else []
        common = {
            "generation": self.generation,
            "complete": engine.registry.complete,
            "degraded": degraded,
        }
        took = perf_counter() - self.started
        engine.stats.count_call(self.operation.name, took)
        who = self.ask.caller.connection
        log.debug("%s for %s: %.1f ms", self.operation.name, who, took * 1000)
        return result.model_copy(update=common)


def _meta(ask: OperationCall, session_id: str | None) -> Meta | None:
    if session_id is None:
        return None
    rows = ask.engine.salience(ask.served, session_id)
    if not rows:
        return None
    return Meta(
        vouch_salience=[
            SalienceMeta(
                entity_id=row.entity.id,
                claim_count=row.claim_count,
                top_claim_id=row.top_claim_id,
                collection=row.view.shown_collection,
            )
            for row in rows
        ]
    )


def paths_in(operation: Operation[P, R], raw: object) -> list[str]:
    """The paths of files that a call asks about."""
    given = raw if isinstance(raw, Mapping) else {}
    lists = (given.get(name) for name in marked(operation.params, Paths))
    paths = (path for some in lists if isinstance(some, list) for path in some)
    return [path for path in paths if isinstance(path, str)]


def read_params(model: type[M], raw: object) -> M:
    """Params as a model; None counts as {}. Raises `InvalidParamsError`."""
    try:
        return model.model_validate({} if raw is None else raw)
    except ValidationError as error:
        raise _invalid(error) from None


def _params(operation: Operation[P, R], raw: object) -> P:
    """The params of a call. Raises `InvalidParamsError`, also for those that there are not."""
    others = [
        Message(name, f"is no parameter; did you mean {near}?")
        for name, near in islice(unknown(operation, raw), MAX_UNKNOWN)
    ]
    try:
        params = read_params(operation.params, raw)
    except InvalidParamsError as error:
        raise InvalidParamsError([*error.messages, *others], missing=error.missing) from None
    if others:
        raise InvalidParamsError(others)
    return params


def unknown(operation: Operation[P, R], raw: object) -> Iterator[tuple[str, str]]:
    """Unknown names in params, shortened and with odd characters replaced. Each comes with the
    known name that it resembles, else with the one without which there is nothing to ask.
    """
    if not isinstance(raw, Mapping):
        return
    fields = operation.params.model_fields
    required = (name for name, field in fields.items() if field.is_required())
    asks = (name for name in (*required, operation.text_field) if name and name not in raw)
    missing = next(asks, None)
    for name in map(str, raw):
        if name not in fields and name not in OTHERS:
            cutoff = 0.0 if missing is None else RESEMBLES
            near = get_close_matches(name[:MAX_PARAM_NAME], fields, 1, cutoff)
            yield NO_NAME.sub("?", name[:MAX_PARAM_NAME]), near[0] if near else missing or ""


def _invalid(error: ValidationError) -> InvalidParamsError:
    """An error with one message a field, which does not repeat the values sent."""
    errors = error.errors(include_input=False, include_url=False, include_context=False)
    messages: dict[str, Message] = {}
    for fault in errors:
        field = ".".join(part for part in fault["loc"] if isinstance(part, str)) or "params"
        messages.setdefault(field, Message(field, _wording(fault["type"], fault["msg"])))
    missing = all(error["type"] == "missing" for error in errors)
    return InvalidParamsError(list(messages.values()), missing=missing)


def _wording(kind: str, message: str) -> str:
    if kind == "missing":
        return "is missing"
    if kind == "string_pattern_mismatch":
        return "must not be blank"
    if kind in ("model_type", "model_attributes_type"):
        return "must be an object"
    return _SUBJECT.sub("must ", message)
