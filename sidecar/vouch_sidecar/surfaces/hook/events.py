"""Answers the events of an agent with an engine, in a server or in a hook's own process."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vouch_sidecar.engine import Caller, Engine, Served
from vouch_sidecar.engine.agent_context import ContextRequest, speak_of
from vouch_sidecar.engine.session import Session
from vouch_sidecar.engine.session_brief import brief
from vouch_sidecar.kb.access import viewer_in
from vouch_sidecar.operations import context, perform, perform_async
from vouch_sidecar.retrieval.block import ContextHit
from vouch_sidecar.retrieval.file_ties import Tied, tied_by_path
from vouch_sidecar.surfaces.hook import payload as given

log = logging.getLogger(__name__)

PROMPT = "user-prompt-submit"
FILE = "post-tool-use"
MAX_CHARS = 4096
"""Size of a session's slot."""

Payload = Mapping[str, Any]
Answer = dict[str, Any]


def respond(engine: Engine, event: str, payload: Payload, caller: Caller) -> Answer | None:
    """The answer to print for an event, None for nothing. `event` is one of `EVENTS`.

    `payload["viewer"]` may name the viewer, as for any operation.
    """
    try:
        session_id = given.session_of(payload)
    except ValueError:
        return None
    return _as_output(event, EVENTS[event](engine, payload, session_id, caller))


async def respond_async(
    engine: Engine, event: str, payload: Payload, caller: Caller
) -> Answer | None:
    """As `respond`, on an event loop: a prompt is answered in a worker thread."""
    try:
        task = _task(payload, given.session_of(payload)) if event == PROMPT else None
    except ValueError:
        return None
    if task is None:
        return respond(engine, event, payload, caller)
    answer = await perform_async(engine, context.OPERATION, task, caller, patience=0)
    return _as_output(event, answer.text)


async def prepare(engine: Engine, event: str, caller: Caller) -> None:
    """Wait within a hook's time limit for the first index and, for half of it, for the workspace
    and for what was checked out.
    """
    import anyio

    from vouch_sidecar.operations import Operation, files
    from vouch_sidecar.operations.readiness import caught_up, indexed, ready

    limit = limit_of(engine)
    await indexed(engine, limit)
    waiting: dict[str, Operation[Any, Any]] = {PROMPT: context.OPERATION, FILE: files.OPERATION}
    if (operation := waiting.get(event)) is not None:
        with anyio.move_on_after(limit / 2):
            await ready(engine, operation, caller)
            await caught_up(engine, operation, caller, limit)


def _as_output(event: str, text: str) -> Answer | None:
    log.debug("hook %s: %d characters", event, len(text))
    return given.output(event, text)


def limit_of(engine: Engine) -> float:
    """Time limit of a hook in seconds: the shortest of all knowledge bases."""
    limits = [c.settings.recall.timeout_ms for c in engine.collections.values()]
    return min(limits, default=0) / 1000


def _task(payload: Payload, session_id: str | None) -> Payload | None:
    """Params of `context` for a prompt; None if the prompt gets no answer."""
    prompt = given.prompt_of(payload)
    if prompt is None:
        return None
    return {
        "task": prompt,
        "session_id": session_id,
        "repeat": session_id is None,
        "viewer": payload.get("viewer"),
    }


def _prompt(engine: Engine, payload: Payload, session_id: str | None, caller: Caller) -> str:
    task = _task(payload, session_id)
    return "" if task is None else perform(engine, context.OPERATION, task, caller).text


def _begin(engine: Engine, payload: Payload, session_id: str | None, caller: Caller) -> str:
    """The brief. After `clear` or `compact` the agent no longer has earlier answers, so the session
    forgets them, too.
    """
    session = engine.sessions.peek(session_id) if session_id else None
    if session is not None and payload.get("source") == "compact":
        session.forget_answers()
    elif session_id is not None and payload.get("source") == "clear":
        engine.end_session(session_id)
    return brief(engine.serving(caller, viewer_in(payload)))


def _file(engine: Engine, payload: Payload, session_id: str | None, caller: Caller) -> str:
    """The block for a file: the claims tied to the file, once a session, then those on entities
    that its text names. Neither searches full text nor reads a file.
    """
    text, path = given.text_of(payload), given.edited_file(payload)
    served = engine.serving(caller, viewer_in(payload))
    lines = _lines_naming(served, text) if text is not None else ""
    session = None
    if session_id is not None:
        if lines:
            engine.observe(session_id, None, lines)
        session = engine.sessions.open(session_id)
    tied = _tied(served, path, session) if path is not None else []
    if not lines and not tied:
        return ""
    asked = ContextRequest(
        [lines] if lines else [], session=session, repeat=session is None, tied=tied
    )
    speech = speak_of(served, asked)
    engine.stats.spoke(speech.hits)
    return speech.text


def _tied(served: Sequence[Served], path: str, session: Session | None) -> list[ContextHit]:
    """The claims tied to a file, strongest first; none if the session was given them before."""
    found: list[ContextHit] = []
    for one in served:
        if session is not None and session.given(one.view.identity, "file", path):
            continue
        hits = [
            ContextHit(one.view, tied.claim, _place(tied), tied.strength, tied.arm, None)
            for tied in tied_by_path(one.view, path)
            if not tied.is_weak
        ]
        if hits and session is not None:
            session.give(one.view.identity, "file", path, True)
        found += hits
    return sorted(found, key=lambda hit: -hit.similarity)


def _place(tied: Tied) -> str:
    return tied.path if tied.line is None else f"{tied.path}:{tied.line}"


def _lines_naming(served: Sequence[Served], text: str) -> str:
    """The first lines of a text that name an entity, as many as a slot of a session holds."""
    lines: list[str] = []
    left, end = MAX_CHARS, 0
    for start, stop in sorted((m.start, m.end) for one in served for m in one.view.mentions(text)):
        if start < end:
            continue
        begin, end = text.rfind("\n", 0, start) + 1, text.find("\n", stop)
        end = len(text) if end < 0 else end
        line = text[begin:end].strip()[:MAX_CHARS]
        left -= len(line) + 1
        if left < 0:
            break
        lines.append(line)
    return "\n".join(lines)


def _end(engine: Engine, _payload: Payload, session_id: str | None, _caller: Caller) -> str:
    if session_id is not None:
        engine.end_session(session_id)
    return ""


EVENTS: dict[str, Callable[[Engine, Payload, str | None, Caller], str]] = {
    PROMPT: _prompt,
    "session-start": _begin,
    FILE: _file,
    "session-end": _end,
}
"""The handler of each event, by its name on the command line."""
