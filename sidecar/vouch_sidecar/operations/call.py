"""The way of a call: params checked, the session told, the answer with what every answer has."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from time import perf_counter
from typing import TYPE_CHECKING, Generic, TypeVar

from pydantic import ValidationError

from vouch_sidecar.engine import Caller, Engine, UnknownRootError
from vouch_sidecar.engine.sessions import both_ends
from vouch_sidecar.index.derived import TOPIC
from vouch_sidecar.index.layers import DamagedError
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.operations.errors import (
    InvalidParamsError,
    Message,
    SearchFailedError,
    UnknownOperationError,
)
from vouch_sidecar.operations.operation import Ask, Documents, Operation, analysed, operations
from vouch_sidecar.operations.turns import Turns
from vouch_sidecar.operations.wire import Choices, Meta, Params, Result, SalienceMeta, Wire

if TYPE_CHECKING:
    from vouch_sidecar.engine.embedding import Meaning


log = logging.getLogger(__name__)

OTHERS = {"workDoneToken", "partialResultToken", "_meta"}
"""What protocols add to params."""
NO_NAME = re.compile(r"[^\w-]")
MAX_NAME = 60


M = TypeVar("M", bound=Wire)
P = TypeVar("P", bound=Params)
R = TypeVar("R", bound=Result)
T = TypeVar("T")


_QUESTIONS = Turns("question")
_LATE = Turns("late")
"""Answers those whose time was up before their turn came: little is left to do for each."""
MAX_LATE_BYTES = 1024
"""Of a text whose turn did not come in time, the bytes that are looked at."""


def call(engine: Engine, name: str, raw: object, caller: Caller) -> Result:
    """Answer one call of an operation by its name.

    Raises `UnknownOperationError` and `InvalidParamsError`.
    """
    operation = operations().get(name)
    if operation is None:
        raise UnknownOperationError(name)
    result: Result = perform(engine, operation, raw, caller)
    return result


def perform(
    engine: Engine,
    operation: Operation[P, R],
    raw: object,
    caller: Caller,
    documents: Documents | None = None,
) -> R:
    """Answer one call. `documents`: what the caller has open. Raises `InvalidParamsError` and
    `SearchFailedError`.
    """
    with _searching(engine):
        begun = _Call.begin(engine, operation, raw, caller, documents)
        return begun.completed(begun.run())


@contextmanager
def _searching(engine: Engine) -> Iterator[None]:
    """Raises `SearchFailedError` where the index turns out to be damaged, and tells those who make
    it anew.
    """
    try:
        yield
    except DamagedError:
        engine.tell()
        raise SearchFailedError from None


async def perform_async(
    engine: Engine,
    operation: Operation[P, R],
    raw: object,
    caller: Caller,
    documents: Documents | None = None,
) -> R:
    """The same for whoever has an event loop: what can be long runs beside it, over the knowledge
    that it began with. Raises `InvalidParamsError` and `SearchFailedError`.
    """
    with _searching(engine):
        begun = _Call.begin(engine, operation, raw, caller, documents)
        if engine.meaning is not None and engine.meaning.is_on:
            begun = await begun.heard(engine.meaning)
        if not operation.is_long:
            return begun.completed(begun.run())
        return begun.completed(await begun.run_in_turn())


async def beside(caller: Caller, run: Callable[[], T]) -> T:
    """What `run` gives, beside the event loop, when it is the caller's turn among the questions."""
    import asyncio  # the shell asks without an event loop

    waiting = _QUESTIONS.submit(caller.session_id or caller.connection, run)
    try:
        return await asyncio.wrap_future(waiting)
    finally:
        waiting.cancel()


async def behind(begin: Callable[[], Callable[[], T] | None]) -> T | None:
    """Once nobody waits for an answer, call `begin`, and run beside the event loop what that
    returns. It begins with all that came in meanwhile.
    """
    import asyncio  # the shell asks without an event loop

    for turns in (_QUESTIONS, _LATE):
        await asyncio.wrap_future(turns.behind(_nothing))
    run = begin()
    return None if run is None else await asyncio.wrap_future(_LATE.behind(run))


def _nothing() -> None:
    """For whoever waits for a turn alone."""


@dataclass(frozen=True)
class _Call(Generic[P, R]):
    """A call under way. It begins and is completed by the thread to which the engine belongs; any
    thread may run it.
    """

    operation: Operation[P, R]
    params: P
    ask: Ask
    generation: int
    started: float
    has_unknown: bool
    """Whether some params are none of the operation's."""
    is_pending: bool = False
    """Whether ties or topics that its answer depends on were not worked out when it began."""

    @classmethod
    def begin(
        cls,
        engine: Engine,
        operation: Operation[P, R],
        raw: object,
        caller: Caller,
        documents: Documents | None,
    ) -> _Call[P, R]:
        """Check the params and tell the session. Raises `InvalidParamsError`."""
        started = perf_counter()
        params = read_params(operation.params, raw)
        others = list(unknown(operation.params, raw))
        for _, nearest in others:
            words = "an unknown parameter is ignored; did you mean %s?"
            log.warning(f"%s: {words}", operation.name, nearest)
        who = params.viewer
        viewer = Viewer(who.project, who.agent) if who else None
        try:
            served = engine.serving(caller, viewer, params.root)
            if params.session_id and operation.text_field:
                text = getattr(params, operation.text_field)
                if text is not None:
                    engine.observe(params.session_id, None, text)
        except UnknownRootError:
            message = Message("root", "is no folder of a knowledge base that is served")
            raise InvalidParamsError([message]) from None
        ask = Ask(engine, caller, served, documents)
        pending = any(
            operation.looks_around(one)
            and one.collection.complete
            and one.collection.is_workspace_pending
            for one in served
        )
        return cls(operation, params, ask, engine.generation, started, bool(others), pending)

    async def heard(self, meaning: Meaning) -> _Call[P, R]:
        """The same, with its text as a vector where a model has the time to hear it."""
        operation = self.operation
        wanted = operation.by_meaning == "yes" or (
            operation.by_meaning == "if it speaks" and meaning.speaks
        )
        text = getattr(self.params, operation.text_field or "text", None) if wanted else None
        if not text or not self.ask.served:
            return self
        text = analysed(text)
        meant = await meaning.meant(text, self.ask.served)
        lacks = meant is None and meaning.reads(text)
        return replace(self, ask=replace(self.ask, meant=meant, lacks_meaning=lacks))

    def run(self) -> R:
        """What the operation gives, with what is in play in the session that the call names."""
        result = self.operation.run(self.ask, self.params)
        return result.model_copy(update={"meta": _meta(self.ask, self.params.session_id)})

    def run_late(self) -> R:
        """What can be said at once when time is up: of less of a long text, and without what is in
        play.
        """
        params, field = self.params, self.operation.text_field
        text = getattr(params, field) if field else None
        if field and text:
            params = params.model_copy(update={field: both_ends(text, MAX_LATE_BYTES)})
        return self.operation.run(self.ask, params)

    async def run_in_turn(self) -> R:
        """The same in a thread, when it is its turn. Where time is up before that, what can be said
        at once: the names of the text, if the operation minds the time at all.
        """
        import asyncio  # the shell asks without an event loop

        who = self.params.session_id or self.ask.caller.session_id or self.ask.caller.connection
        waiting = _QUESTIONS.submit(who, self.run)
        answer = asyncio.wrap_future(waiting)
        try:
            if self.operation.minds_time and self.ask.served:
                left = min(view.deadline.left for view in self.ask.views)
                await asyncio.wait([answer], timeout=max(left, 0))
                if waiting.cancel():
                    answer = asyncio.wrap_future(_LATE.submit(who, self.run_late))
            return await answer
        finally:
            waiting.cancel()

    def completed(self, result: R) -> R:
        """That with what every answer has."""
        engine = self.ask.engine
        cut = any(view.deadline.cut for view in self.ask.views)
        lacking = [*result.degraded]
        lacking += ["semantic_unavailable"] if self.ask.lacks_meaning else []
        lacking += ["workspace_pending"] if self.is_pending else []
        lacking += ["unknown_param"] if self.has_unknown else []
        common = {
            "generation": self.generation,
            "complete": engine.complete,
            "degraded": [*engine.degraded(), *(["timed_out"] if cut else []), *lacking],
        }
        took = perf_counter() - self.started
        engine.stats.took(self.operation.name, took)
        who = self.ask.caller.connection
        log.debug("%s for %s: %.1f ms", self.operation.name, who, took * 1000)
        return result.model_copy(update=common)


def _meta(ask: Ask, session_id: str | None) -> Meta | None:
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
                collection=row.view.collection if ask.many else None,
            )
            for row in rows
        ]
    )


def read_params(model: type[M], raw: object) -> M:
    """Params as a model; none at all are empty ones."""
    try:
        return model.model_validate({} if raw is None else raw)
    except ValidationError as error:
        raise _invalid(error) from None


def refuse_unknown(operation: Operation[P, R], raw: object, engine: Engine | None = None) -> None:
    """Raises `InvalidParamsError` where a param is none of the operation's, or a word none of its
    `Choices`, to which those of the engine's knowledge bases belong. LSP and JSONL ignore the one,
    and take the default for the other.
    """
    said = [
        Message(name, f"is no parameter; did you mean {near}?")
        for name, near in unknown(operation.params, raw)
    ]
    given = raw if isinstance(raw, Mapping) else {}
    for name, field in operation.params.model_fields.items():
        choices = next((one for one in field.metadata if isinstance(one, Choices)), None)
        if choices is None:
            continue
        known = sorted({*choices.values, *(_types(engine) if choices.of_entities else ())})
        words = given.get(name)
        for word in words if isinstance(words, list) else [words]:
            if isinstance(word, str) and word not in known:
                (near,) = get_close_matches(word[:MAX_NAME], known, 1, 0)
                text = f"must be one of {', '.join(known)}; did you mean {near}?"
                said.append(Message(name, text))
                break
    if said:
        raise InvalidParamsError(said)


def _types(engine: Engine | None) -> set[str]:
    """The types of the entities that an engine serves."""
    collections = engine.collections.values() if engine else ()
    declared = {one.type for c in collections for one in c.knowledge.names.entities()}
    return declared | {TOPIC}


def unknown(model: type[Wire], raw: object) -> Iterator[tuple[str, str]]:
    """Each name in some params that is no param, made harmless, with the nearest one that is."""
    if not isinstance(raw, Mapping):
        return
    for name in map(str, raw):
        if name not in model.model_fields and name not in OTHERS:
            (nearest,) = get_close_matches(name[:MAX_NAME], model.model_fields, 1, 0)
            yield NO_NAME.sub("?", name[:MAX_NAME]), nearest


def _invalid(error: ValidationError) -> InvalidParamsError:
    """One message a field, without what was sent."""
    found = error.errors(include_input=False, include_url=False, include_context=False)
    messages: dict[str, Message] = {}
    for one in found:
        field = ".".join(part for part in one["loc"] if isinstance(part, str)) or "params"
        messages.setdefault(field, Message(field, _wording(one["type"], one["msg"])))
    missing = all(one["type"] == "missing" for one in found)
    return InvalidParamsError(list(messages.values()), missing=missing)


def _wording(kind: str, message: str) -> str:
    if kind == "missing":
        return "is missing"
    if kind == "string_pattern_mismatch":
        return "must not be blank"
    if kind in ("model_type", "model_attributes_type"):
        return "must be an object"
    return re.sub(r"^[A-Z]\w*(?: \w+)? should ", "must ", message)
