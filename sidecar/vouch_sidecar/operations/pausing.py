"""Pause knowledge bases, as a person at an editor does. No tool of a model."""

from __future__ import annotations

from pydantic import Field

from vouch_sidecar.engine import Caller, Engine, UnknownRootError
from vouch_sidecar.kb.pauses import pause, resume
from vouch_sidecar.operations.errors import InvalidParamsError, Message
from vouch_sidecar.operations.wire import Wire, iso

MAX_SECONDS = 366 * 86_400


class PauseParams(Wire):
    """For how long hooks, pushes and hover of a knowledge base are silent."""

    seconds: int | None = Field(
        default=None,
        ge=0,
        le=MAX_SECONDS,
        description="null: without an end; 0 resumes.",
    )
    root: str | None = Field(
        default=None, max_length=4096, description="Only the knowledge base at this path or URI."
    )


class PauseResult(Wire):
    """The end of the pause."""

    paused_until: str | None = Field(description="ISO 8601; the year 2100 stands for no end.")


def pause_or_resume(engine: Engine, caller: Caller, params: PauseParams) -> PauseResult:
    """Pause or resume the caller's knowledge bases. Raises `InvalidParamsError`, and OSError where
    there is no runtime folder.
    """
    try:
        roots = [kb.collection.root for kb in engine.serving(caller, root=params.root)]
    except UnknownRootError:
        message = Message("root", "is no folder of a knowledge base that is served")
        raise InvalidParamsError([message]) from None
    ends = None
    for root in roots:
        if params.seconds == 0:
            resume(root, engine.env)
        else:
            ends = pause(root, engine.env, params.seconds)
    engine.notice_pauses()
    return PauseResult(paused_until=iso(ends))
