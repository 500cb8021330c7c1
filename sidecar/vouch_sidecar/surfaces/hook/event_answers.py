"""Answers the events of an agent with an engine."""

from __future__ import annotations

import logging
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import anyio
from anyio.to_thread import run_sync as in_worker

from vouch_sidecar.engine import Caller, Engine, Served
from vouch_sidecar.engine.context_blocks import ContextRequest, answer_context
from vouch_sidecar.engine.session import MAX_SLOT_BYTES, Session
from vouch_sidecar.kb.access import viewer_in
from vouch_sidecar.kb.artifact_files import resolved
from vouch_sidecar.operations import Operation, context, files, perform_async, refusing_if_damaged
from vouch_sidecar.operations.readiness import (
    caught_up,
    hook_limit,
    indexed,
    ready,
    seconds_to_wait,
)
from vouch_sidecar.retrieval.blocks.session_brief import brief
from vouch_sidecar.retrieval.blocks.touched_files import MOST_LINES, Touched, hits_to_tell
from vouch_sidecar.retrieval.line import Line
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.surfaces.hook import payload as given
from vouch_sidecar.surfaces.hook.events import (
    DEFAULT_LIMIT,
    END,
    FILE,
    PROMPT,
    START,
    START_SECONDS,
)
from vouch_sidecar.surfaces.hook.payload import AGENT
from vouch_sidecar.surfaces.jsonl import refusal
from vouch_sidecar.surfaces.local.client import HOOK

log = logging.getLogger(__name__)

Payload = Mapping[str, Any]
Answer = dict[str, Any]
MINUTE = 60.0

_SEEN: WeakKeyDictionary[Engine, dict[tuple[str, bytes], float]] = WeakKeyDictionary()
"""By engine the events of sessions that came less than a minute ago, as a digest of what counts of
each, with the time: one that two hooks report is answered once.
"""


async def answer_hook(engine: Engine, request: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
    """The answer to a request for an event, in the form of the JSONL surface. Never raises."""
    request_id, payload = request.get("id"), request.get("params")
    event = str(request.get("method")).removeprefix(HOOK)
    if event not in EVENTS or not isinstance(payload, dict):
        return refusal(request_id, "invalid_request", "there is no such event")
    result = None
    try:
        if not _is_again(engine, event, payload):
            file = given.edited_file(payload)
            place = file or payload.get("cwd")
            if isinstance(place, str) and os.path.isabs(place):
                caller = replace(caller, at=resolved(Path(place)))
            await _wait(engine, event, caller)
            if file is not None:
                engine.check_soon([Path(file)])
            result = await respond(engine, event, payload, caller)
    except ValueError:  # no session is called so
        log.debug("hook %s: refused", event)
    except Exception as error:
        log.error("%s failed: %s", event, type(error).__name__)  # its message may hold a prompt
    return {"id": request_id, "ok": True, "result": result}


def _is_again(engine: Engine, event: str, payload: Payload) -> bool:
    """Whether the same event came less than a minute ago; not where the agent forgets by it what it
    was given, as the same prompt is then answered again. Raises ValueError.
    """
    session_id, now = str(given.session_of(payload)), engine.clock()
    seen = {key: at for key, at in _SEEN.get(engine, {}).items() if now - at < MINUTE}
    if event == END or payload.get("source") in ("compact", "clear"):
        seen = {key: at for key, at in seen.items() if key[0].partition(AGENT)[0] != session_id}
    key = session_id, given.digest_of(event, payload)
    is_again = key in seen
    _SEEN[engine] = {key: now, **seen}
    return is_again


async def respond(engine: Engine, event: str, payload: Payload, caller: Caller) -> Answer | None:
    """The answer to print for an event, None for nothing. `event` is one of `EVENTS`.

    `payload["viewer"]` may name the viewer, as for any operation. Raises `SearchFailedError`, and
    ValueError if no session is called so.
    """
    session_id, caller = given.session_of(payload), replace(caller, is_unasked=True)
    with refusing_if_damaged(engine), engine.breath:
        text = await EVENTS[event](engine, payload, session_id, caller)
    log.debug("hook %s: %d characters", event, len(text))
    return given.output(event, text)


async def _wait(engine: Engine, event: str, caller: Caller) -> None:
    """Wait within a hook's time limit for the first index and, for half of it, for the workspace
    and for what was checked out. `perform_async` would wait for each as long as an answer may.
    """
    limit = hook_limit(engine, caller)
    begins = event == START or (event == PROMPT and seconds_to_wait(engine) > 0)
    # As `allowed` of the hook's process.
    most = START_SECONDS if limit == DEFAULT_LIMIT and begins else limit
    await indexed(engine, most)
    waiting: dict[str, Operation[Any, Any]] = {PROMPT: context.OPERATION, FILE: files.OPERATION}
    if (operation := waiting.get(event)) is not None:
        with anyio.move_on_after(limit / 2):
            await ready(engine, operation, caller)
            await caught_up(engine, operation, caller, most)


async def _prompt(engine: Engine, payload: Payload, session_id: str | None, caller: Caller) -> str:
    prompt = given.prompt_of(payload)
    if not prompt:
        return ""
    task = {
        "task": prompt,
        "session_id": session_id,
        "repeat": session_id is None,
        "viewer": payload.get("viewer"),
    }
    result = await perform_async(engine, context.OPERATION, task, caller, patience=0)
    engine.stats.count_prompt(bool(result.text))
    return result.text


async def _begin(engine: Engine, payload: Payload, session_id: str | None, caller: Caller) -> str:
    """The brief. After `clear` or `compact` the agent no longer has earlier answers, so the session
    forgets them, too.
    """
    session = engine.sessions.peek(session_id) if session_id else None
    if session is not None and payload.get("source") == "compact":
        session.forget_answers()
    elif session_id is not None and payload.get("source") == "clear":
        engine.end_session(session_id)
    return brief(engine.serving(caller, viewer_in(payload)))


async def _file(engine: Engine, payload: Payload, session_id: str | None, caller: Caller) -> str:
    """The block for a file: the claims tied to what was read or changed, then those on entities
    that its text names, each once a session. Does not search full text, and reads at most the file
    itself.
    """
    served = engine.serving(caller, viewer_in(payload))
    lines = _lines_naming(served, given.text_of(payload))
    session = None
    if session_id is not None:
        if lines:
            engine.observe(session_id, None, lines)
        session = engine.sessions.open(session_id)
    tied: list[Line] = []
    if (touched := given.touched_of(payload)) is not None:
        tied = await in_worker(_tied, [kb.view for kb in served], touched, session)
    if not lines and not tied:
        return ""
    asked = ContextRequest(
        [lines] if lines else [],
        session=session,
        repeat=session is None,
        tied=tied,
        max_lines=MOST_LINES,
    )
    answered = answer_context(served, asked)
    caller.when_heard(partial(answered.record, engine.stats))
    return answered.block.text


def _tied(views: Sequence[View], touched: Touched, session: Session | None) -> list[Line]:
    """The claims to tell of what was touched, without those that the session was given before."""
    before = frozenset() if session is None else session.all_given()
    return [hit for view in views for hit in hits_to_tell(view, touched, before)]


def _lines_naming(served: Sequence[Served], text: str) -> str:
    """The first lines of a text that name an entity, as many as a slot of a session holds."""
    text += "\n"
    starts = {
        text.rfind("\n", 0, mention.start) + 1
        for kb in served
        for mention in kb.view.names.mentions(text)
    }
    lines = [text[start : text.index("\n", start)].strip() for start in sorted(starts)]
    return "\n".join(lines)[:MAX_SLOT_BYTES]


async def _end(engine: Engine, _payload: Payload, session_id: str | None, _caller: Caller) -> str:
    """Drop the session, and those of its subagents."""
    for session in engine.sessions:
        if session_id is not None and f"{session.id}{AGENT}".startswith(session_id + AGENT):
            engine.end_session(session.id)
    return ""


EVENTS: dict[str, Callable[[Engine, Payload, str | None, Caller], Awaitable[str]]] = {
    PROMPT: _prompt,
    START: _begin,
    FILE: _file,
    END: _end,
}
"""The handler of each event, by its name on the command line."""
