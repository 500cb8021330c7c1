"""Answers what agents ask a process that serves: MCP's tools, and events of hooks."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import anyio

from vouch_sidecar.engine import Caller, Engine, Served
from vouch_sidecar.engine.answering import context_for
from vouch_sidecar.engine.collection import Need
from vouch_sidecar.engine.sessions import MAX_SLOT_BYTES, Session
from vouch_sidecar.engine.threads import in_turn
from vouch_sidecar.kb.access import viewer_in
from vouch_sidecar.kb.artifact_files import anchored
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.kb.runtime_folder import READY_SECONDS
from vouch_sidecar.kb.sanitize import count
from vouch_sidecar.operations import context, files
from vouch_sidecar.operations.call import perform, ready, refusing_if_damaged
from vouch_sidecar.operations.operation import Operation
from vouch_sidecar.operations.table import for_model
from vouch_sidecar.operations.wire import OperationError, as_json
from vouch_sidecar.retrieval.blocks.block import safe, without_blocks
from vouch_sidecar.retrieval.blocks.session_brief import brief
from vouch_sidecar.retrieval.blocks.touched_files import lines_at
from vouch_sidecar.surfaces.hook import payload as given
from vouch_sidecar.surfaces.hook.client import FILE, MINUTE, NAMES, PROMPT, START

log = logging.getLogger(__name__)

Object = dict[str, Any]
Payload = Mapping[str, Any]
HOW_TO_ASK = "Asked with kb_context (MCP) or `vouch-sidecar context TEXT`."
COUNTS = ("prompt", "source", "tool_input", "tool_response")
"""The fields of an event by which it is the same as another one."""


async def tool_result(
    engine: Engine, operation: Operation[Any, Any], params: Object, caller: Caller
) -> Object:
    """The result of a tool, with texts made `harmless`, and its summary for a model."""
    try:
        result = await perform(engine, operation, params, caller, until="first")
    except OperationError as error:
        return refused(_with_unusable(f"{error.code}: {safe(str(error))}", engine, caller))
    structured = harmless(as_json(result))
    if isinstance(result, context.ContextResult):
        structured["text"] = result.text  # a block is safe and may have several lines
    text = _with_unusable(for_model(operation.shown(result)), engine, caller)
    return {**content(text), "structuredContent": structured}


def _with_unusable(text: str, engine: Engine, caller: Caller) -> str:
    """An answer, with a sentence for each knowledge base whose claims are all in bad files."""
    said = [text] if text else []
    for served in engine.registry.serving(caller):
        claims, bad = served.view.number_of(Kind.CLAIM), served.collection.on_disk.skipped
        if bad and not claims:
            said.append(
                f"{count(bad, 'file')} of {safe(served.collection.name)} can't be used, and so no "
                "claim of it, which says nothing about what is known. `vouch-sidecar check` names "
                "them."
            )
    return "\n".join(said)


def harmless(value: Any) -> Any:
    """A JSON value with each text made one line that can't close the frame of a context block."""
    if isinstance(value, str):
        return safe(value)
    if isinstance(value, dict):
        return {key: harmless(below) for key, below in value.items()}
    return [harmless(below) for below in value] if isinstance(value, list) else value


def refused(message: str) -> Object:
    """A tool's result that says why there is none."""
    return {**content(message), "isError": True}


def content(text: str) -> Object:
    """A tool's result that is a text."""
    return {"content": [{"type": "text", "text": text}]}


async def respond(engine: Engine, event: str, payload: Payload, caller: Caller) -> Object | None:
    """What a hook prints for an event, once what it depends on is known; None for nothing. Never
    raises. `payload["viewer"]` may name the viewer, as for any operation.
    """
    text, key = "", 0
    session: Session | None = None
    try:
        key = hash((caller.places, json.dumps([event, *map(payload.get, COUNTS)], sort_keys=True)))
        session_id, file = given.session_of(payload), given.edited_file(payload)
        session = engine.sessions.open(session_id) if session_id else None
        if session is not None and _is_again(session, key, engine.clock()):
            return None
        if (place := Path(str(file or payload.get("cwd")))).is_absolute():
            caller = replace(caller, at=anchored(place))
        caller = replace(caller, viewer=viewer_in(payload))
        handler, needs = EVENTS[event]
        await _wait(engine, needs, caller)
        if file is not None:
            engine.look_soon([Path(file)])
        unasked = replace(caller, is_unasked=True)
        with refusing_if_damaged(engine), engine.breath:
            text = await handler(engine, payload, session, unasked)
    except Exception as error:
        log.error("%s failed: %s", event, type(error).__name__)  # its message may hold a prompt
    if session is not None and not caller.hears:
        session.events.pop(key, None)  # it is answered when it comes again
    said = {"hookEventName": NAMES[event], "additionalContext": text}
    return {"hookSpecificOutput": said} if text else None


def _is_again(session: Session, key: int, now: float) -> bool:
    """Whether the same event came less than a minute ago, as two hooks may report one."""
    seen = {each: at for each, at in session.events.items() if now - at < MINUTE}
    session.events = {key: now, **seen}
    return key in seen


async def _wait(engine: Engine, needs: Set[Need], caller: Caller) -> None:
    """Wait for the first index, as long as the hook may, then for half of the time that it has left
    (who does not say how much, has that of a question) for the first look at the workspace, and at
    what was reported as changed. A workspace that is looked at again is not waited for. `perform`
    would wait for each as long as an answer may.
    """
    await engine.until_looked(READY_SECONDS)
    served = partial(engine.registry.serving, caller)
    limits = (
        [kb.view.deadline.seconds_left for kb in served()]
        if caller.until == inf
        else [caller.until - anyio.current_time()]
    )
    with anyio.move_on_after(min(limits, default=0) / 2):
        await ready(engine, needs, served, READY_SECONDS, "first")


async def _prompt(engine: Engine, payload: Payload, session: Session | None, caller: Caller) -> str:
    if not (prompt := given.prompt_of(payload)):
        return ""
    session_id = None if session is None else session.id
    task = {"task": prompt, "session_id": session_id, "repeat": session is None}
    result = await perform(engine, context.OPERATION, task, caller, patience=0)
    engine.stats.counts.update(prompts=1, told=bool(result.text))
    return result.text


async def _begin(engine: Engine, payload: Payload, session: Session | None, caller: Caller) -> str:
    """The brief. After `clear` or `compact` the agent no longer has earlier answers, so the session
    forgets them, too.
    """
    if session is not None and payload.get("source") == "compact":
        session.forget_answers()
    elif session is not None and payload.get("source") == "clear":
        engine.sessions.end(session.id)
    return brief([kb.view for kb in engine.registry.serving(caller)], HOW_TO_ASK)


async def _file(engine: Engine, payload: Payload, session: Session | None, caller: Caller) -> str:
    """The block for a file: the claims tied to what was read or changed, then those on entities
    that its text names, each once a session. Searches in turn with long answers, and reads at most
    the file itself.
    """
    if (touched := given.touched_of(payload)) is None:
        return ""
    served = engine.registry.serving(caller)
    lines = await in_turn(partial(_lines_naming, served, given.text_of(payload)))
    if session is not None and lines:
        engine.observe(session.id, None, lines, caller)

    def told() -> str:
        tied = [line for kb in served for line in lines_at(kb.view, touched)]
        block, gives = context_for(served, lines, session, repeat=False, tied=tied)
        if session is not None and caller.hears:
            session.give(gives)  # here, as the next event of an agent may wait for its turn
            engine.stats.counts.update(lines=len(block.hits))
        return block.text

    return await in_turn(told)


def _lines_naming(served: Sequence[Served], text: str) -> str:
    """The first lines of a text that name an entity, as many as a slot of a session holds."""
    text = without_blocks(text) + "\n"
    starts = {
        text.rfind("\n", 0, mention.start) + 1
        for kb in served
        for mention in kb.view.mentions(text)
    }
    lines = (text[start : text.index("\n", start)].strip() for start in sorted(starts))
    return "\n".join(lines).encode()[:MAX_SLOT_BYTES].decode("utf-8", "ignore")


Handler = Callable[[Engine, Payload, Session | None, Caller], Awaitable[str]]

# What answers each event, and what the answer depends on beside the index.
EVENTS: dict[str, tuple[Handler, Set[Need]]] = {
    PROMPT: (_prompt, context.OPERATION.needs),
    START: (_begin, {"topics"}),
    FILE: (_file, files.OPERATION.needs),
}
