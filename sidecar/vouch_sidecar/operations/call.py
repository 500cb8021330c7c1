"""Performs calls: checks params, waits for a bounded time until what an answer depends on is known
(who waits for what, and how long, is a table in docs/design.md), records the text in the session,
runs the operation, adds the fields that every answer has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from itertools import chain, islice
from math import inf
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from pydantic import ValidationError

from vouch_sidecar.engine import Caller, Engine, Served, UnknownRootError, health
from vouch_sidecar.engine.collection import Awaited, Need
from vouch_sidecar.engine.sessions import what_counts
from vouch_sidecar.engine.threads import in_turn
from vouch_sidecar.index.layers import DamagedError
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.artifact_files import anchored
from vouch_sidecar.kb.records import Degraded
from vouch_sidecar.operations.open_document import OpenDocument
from vouch_sidecar.operations.operation import (
    Operation,
    OperationCall,
    P,
    R,
)
from vouch_sidecar.operations.wire import (
    FailedError,
    InvalidParamsError,
    Meta,
    SalienceMeta,
    ViewerParams,
    Wire,
)

CATCH_UP_SECONDS = 0.5
"""How long a question waits for the look at what a client reported."""
OTHERS = {"workDoneToken", "partialResultToken", "_meta"}
"""Names that protocols add to params."""
_SUBJECT = re.compile(r"^[A-Z]\w*(?: \w+)? should ")
_WORDINGS = {
    "missing": "is missing",
    "string_pattern_mismatch": "must not be blank",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
}
"""How errors of pydantic read, by their type."""
_NO_NAME = re.compile(r"[^\w-]")
MAX_PARAM_NAME = 60
MAX_UNKNOWN = 3
"""Unknown params that an answer names."""
RESEMBLES = 0.7
"""How similar an unknown param is to the one that was meant."""

M = TypeVar("M", bound=Wire)


async def perform(
    engine: Engine,
    operation: Operation[P, R],
    raw: object,
    caller: Caller,
    document: OpenDocument | None = None,
    patience: float = CATCH_UP_SECONDS,
    until: Awaited = "reported",
) -> R:
    """Perform one call; `raw` holds the params as they came. A long operation runs in a worker
    thread, on the generation that was current when it began: once what it depends on is there, or
    was waited for (`ready`). Who asks about files asks from the working tree of the first.
    `document` is the one asked about, if the caller has it open. Raises
    `InvalidParamsError` and `FailedError`.
    """
    params = read_params(operation.params, raw)
    paths = getattr(params, "paths", None) or ()
    if caller.at is None and paths and Path(paths[0]).is_absolute():
        caller = replace(caller, at=anchored(Path(paths[0])))
    asked = partial(serving, engine, caller, params.viewer, params.root)
    served = await ready(engine, operation.needs, asked, patience, until)
    started, generation = perf_counter(), engine.sessions.generation(engine.registry.roots)
    sent = getattr(params, operation.text_field) if operation.text_field else None
    text = what_counts(sent or "")
    with refusing_if_damaged(engine):
        if params.session_id and sent is not None:
            engine.observe(params.session_id, None, sent, caller)
        lacks = list[Degraded]()
        for kb in served:
            lacks += (own := kb.collection.lacks(operation.needs, kb.view.gates))
            kb.collection.has_said_pending |= "workspace_pending" in own
        complete = all(kb.collection.complete for kb in served)
        session_id = params.session_id or (caller.session_id if operation.is_of_session else None)
        call = OperationCall(engine, caller, served, text, document, session_id, complete=complete)
        embeddings = engine.embeddings
        if operation.is_semantic and text and served and embeddings.reads(text):
            call = replace(call, vector=await embeddings.vector(text, served))
            lacks += ["semantic_unavailable"] if call.vector is None else []
        with engine.breath:
            run = partial(_run, operation, call, params)
            result = await in_turn(run) if operation.is_long else run()
    for record in call.to_record if caller.hears else ():
        record()
    engine.stats.count_call(operation.name, perf_counter() - started)
    cut: list[Degraded] = ["timed_out"] if any(view.deadline.has_cut for view in call.views) else []
    degraded = health.degraded(engine, [kb.collection for kb in served])
    return result.model_copy(
        update={
            "generation": generation,
            "complete": call.complete,
            "degraded": [*dict.fromkeys([*lacks, *degraded, *cut, *result.degraded])],
        }
    )


async def ready(
    engine: Engine,
    needs: Set[Need],
    serving: Callable[[], Sequence[Served]],
    seconds: float = CATCH_UP_SECONDS,
    until: Awaited = "reported",
) -> Sequence[Served]:
    """Wait for what an answer out of the knowledge bases of `serving` depends on, and return these:
    for the look at what was reported as changed, for at most `seconds`; `until` it is there for the
    `first` time, in the first seconds of a knowledge base (`Collection.ready_at`); or, with
    `later`, for whatever is missing.
    """
    served = serving()
    ready_at = max((kb.collection.ready_at for kb in served), default=-inf)
    left = {"first": ready_at - engine.clock(), "later": inf}.get(until, 0.0)
    awaited = {"reported", "first", until} if left > 0 else {"reported"}

    seen: list[int] = []
    """The worlds after which topics were asked for: a later one may have those of other viewers."""

    def is_ready(served: Sequence[Served]) -> bool:
        if seen != (serials := [kb.collection.world.serial for kb in served]):
            seen[:] = serials
            engine.have_topics_derived(served)
        lacks = (kb.collection.lacks(needs, kb.view.gates).values() for kb in served)
        return awaited.isdisjoint(chain.from_iterable(lacks))

    if not is_ready(served):
        await engine.changed.until(lambda: is_ready(serving()), max(left, seconds))
        served = serving()
    return served


@contextmanager
def refusing_if_damaged(engine: Engine) -> Iterator[None]:
    """Raises `FailedError` if the index turns out to be damaged, and has it rebuilt."""
    try:
        yield
    except DamagedError:
        engine.changed.bump()  # the follower rebuilds it
        raise FailedError("the index could not be read; it is being rebuilt") from None


def serving(
    engine: Engine, caller: Caller, who: ViewerParams | None, root: str | None
) -> list[Served]:
    """The knowledge bases that a call is about, as its viewer sees them. Raises
    `InvalidParamsError`.
    """
    viewer = Viewer(who.project, who.agent) if who else None
    try:
        return engine.registry.serving(caller, viewer, root)
    except UnknownRootError:
        raise InvalidParamsError(
            {"root": "is no folder of a knowledge base that is served"}
        ) from None


def _run(operation: Operation[P, R], call: OperationCall, params: P) -> R:
    """The operation's result, with the salience of the session that the call names."""
    result = operation.run(call, params)
    if not params.session_id:
        return result
    salience = [
        SalienceMeta(**row.fields) for row in call.engine.salience(call.served, params.session_id)
    ]
    return result.model_copy(update={"meta": Meta(vouch_salience=salience)}) if salience else result


def read_params(model: type[M], raw: object, *, strict: bool | None = None) -> M:
    """Params as a model, which says how strictly unless `strict` does; null stands for what is not
    given. Raises `InvalidParamsError`, with one message a field, which does not repeat the values
    sent.
    """
    items = raw.items() if isinstance(raw, Mapping) else ()
    given = {name: value for name, value in items if value is not None and name not in OTHERS}
    try:
        taken = given if raw is None or isinstance(raw, Mapping) else raw
        return model.model_validate(taken, strict=strict)
    except ValidationError as error:
        faults = error.errors(include_input=False, include_url=False, include_context=False)
    messages: dict[str, str] = {}
    unknown = [fault for fault in faults if fault["type"] == "extra_forbidden"]
    wrong = [fault for fault in faults if fault["type"] != "extra_forbidden"]
    for fault in wrong:
        field = ".".join(part for part in fault["loc"] if isinstance(part, str)) or "params"
        text = _WORDINGS.get(fault["type"]) or _SUBJECT.sub("must ", fault["msg"])
        messages.setdefault(field, text)
    for fault in unknown[:MAX_UNKNOWN]:
        # A call that lacks what it asks about most likely gave that another name.
        least = 0.0 if model.main() in given else RESEMBLES
        shown, near = resembling(str(fault["loc"][0]), model.model_fields, least)
        messages[shown] = f"is no parameter; did you mean {near or model.main()}?"
    raise InvalidParamsError(messages, missing={fault["type"] for fault in wrong} == {"missing"})


def resembling(name: str, known: Iterable[str], least: float = RESEMBLES) -> tuple[str, str]:
    """The name of something unknown, shortened and with odd characters replaced; and the known one
    that it resembles most, "" where none does.
    """
    name = name[:MAX_PARAM_NAME]
    near = get_close_matches(name.lower(), known, 1, least)
    return _NO_NAME.sub("?", name), near[0] if near else ""


def not_known(what: str, asked: Iterable[str], known: Collection[str]) -> list[str]:
    """A sentence for each that is not among the known ones, with the one that it resembles; at most
    three.
    """
    others = (resembling(each, known) for each in asked if each.strip() and each not in known)
    return [
        f"{name} is no {what}" + (f"; did you mean {near}?" if near else "")
        for name, near in islice(others, MAX_UNKNOWN)
    ]
