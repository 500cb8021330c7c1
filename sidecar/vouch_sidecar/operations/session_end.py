"""Drop the window of a session."""

from __future__ import annotations

from pydantic import Field

from vouch_sidecar.operations.operation import Operation, OperationCall
from vouch_sidecar.operations.wire import Params, Result, SessionId


class SessionEndParams(Params):
    """The session to end."""

    session_id: SessionId = Field(description="Session whose window is dropped.")


def answer(ask: OperationCall, params: SessionEndParams) -> Result:
    ask.engine.sessions.end(params.session_id)
    return Result()


OPERATION = Operation(
    name="session_end",
    summary="Drops the window of a session.",
    params=SessionEndParams,
    result=Result,
    run=answer,
    when="Call it when a session is over and its window may be dropped. Not between turns: that "
    "would forget what is in play.",
    example={"session_id": "agent-7"},
)
