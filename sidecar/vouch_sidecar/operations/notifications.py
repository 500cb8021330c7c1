"""What is sent without an answer, either way, and requests that only an editor makes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

from pydantic import Field

from vouch_sidecar.engine import Caller, Engine, health
from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.kb.pauses import LONGEST, pause, resume
from vouch_sidecar.kb.records import Severity
from vouch_sidecar.operations.call import serving
from vouch_sidecar.operations.salience import SalientEntity
from vouch_sidecar.operations.session_end import SessionEndParams
from vouch_sidecar.operations.wire import FailedError, LongText, Params, SessionId, Wire, iso
from vouch_sidecar.retrieval.push import PUSHED_ROWS, Push

SALIENCE, STATUS = "vouch/didChangeSalience", "vouch/didChangeStatus"
PROMPT, PAUSE = "vouch/prompt", "vouch/pause"


class PauseParams(Params):
    """For how long hooks, pushes and hover of a knowledge base are silent."""

    seconds: int | None = Field(
        default=None,
        ge=0,
        le=LONGEST,
        description="null: without an end; 0 resumes.",
    )


class PauseResult(Wire):
    """The end of the pause."""

    paused_until: str | None = Field(description="ISO 8601; the year 2100 stands for no end.")


class PromptParams(Wire):
    """A prompt submitted without a document."""

    session_id: SessionId = Field(description="Session whose newest text it becomes.")
    text: LongText = Field(description="The prompt in its own words.")


class DidChangeSalience(Wire):
    """Sent when a session's ranking changes."""

    session_id: str
    salience: list[SalientEntity] = Field(
        description=f"What is in play now, strongest first, at most {PUSHED_ROWS}."
    )
    fresh: list[SalientEntity] = Field(
        description="Entities that the newest text brought in, sure enough to speak of unasked."
    )
    text: str = Field(description="A block for a prompt about `fresh`; empty without any.")
    generation: int
    of_text: bool = Field(description="Whether texts alone changed it.")


class DidChangeStatus(Wire):
    """Sent when the server's health or knowledge changes."""

    health: Literal["ok", "warning", "error"] = Field(
        description="warning: it serves, within the limits that `message` names."
    )
    quiescent: bool = Field(description="Whether nothing is being indexed.")
    message: str | None = Field(description="What is going on or wrong, for people.")
    generation: int


NOTIFICATIONS: dict[str, type[Wire]] = {
    PROMPT: PromptParams,
    "vouch/sessionEnd": SessionEndParams,
    SALIENCE: DidChangeSalience,
    STATUS: DidChangeStatus,
}

REQUESTS: dict[str, tuple[type[Wire], type[Wire]]] = {PAUSE: (PauseParams, PauseResult)}
"""Params and results of the requests that are no operations, by method."""


def salience_notification(push: Push) -> DidChangeSalience:
    """The notification `vouch/didChangeSalience` for a push."""
    return DidChangeSalience(
        session_id=push.session_id,
        salience=[SalientEntity(**row) for row in push.salience],
        fresh=[SalientEntity(**row) for row in push.fresh],
        text=push.block.text,
        generation=push.generation,
        of_text=push.of_text,
    )


def status_notification(engine: Engine, caller: Caller) -> DidChangeStatus:
    """The notification `vouch/didChangeStatus`, as it is now."""
    generation = engine.sessions.generation(engine.registry.roots)
    told = partial(DidChangeStatus, health="ok", quiescent=True, generation=generation)
    faulty = health.faulty(engine)
    is_error = bool(faulty) and faulty[0].severity is Severity.ERROR
    if not is_error and not engine.registry.has_looked:
        return told(quiescent=False, message="Indexing")
    paused = _paused(engine.registry.chosen(caller, None))
    if problems := [*faulty, *health.ignored(engine)]:
        first = problems[0]
        where = f"{first.path}:{first.line}: " if first.path else ""
        message = "; ".join(filter(None, (where + first.message, paused)))
        return told(health="error" if is_error else "warning", message=message)
    return told(message=paused if engine.registry.collections else "No knowledge base here")


def _paused(collections: Sequence[Collection]) -> str | None:
    """Which knowledge bases are paused, unless all are; None where none is."""
    paused = [each.name for each in collections if each.paused_until()]
    which = "" if len(paused) == len(collections) else f": {', '.join(paused)}"
    return f"Paused{which}" if paused else None


def pause_or_resume(engine: Engine, caller: Caller, params: PauseParams) -> PauseResult:
    """Pause or resume the caller's knowledge bases. Raises `InvalidParamsError`, and `FailedError`
    where the user has no folder for what runs.
    """
    ends = None
    try:
        for served in serving(engine, caller, None, params.root):
            if params.seconds == 0:
                resume(served.collection.root, engine.env)
            else:
                ends = pause(served.collection.root, engine.env, params.seconds)
    except OSError:
        raise FailedError("a pause can't be kept: this user has no runtime folder") from None
    engine.changed.bump()
    return PauseResult(paused_until=iso(ends))
