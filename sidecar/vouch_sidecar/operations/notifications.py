"""What is sent without an answer, either way, and requests that only an editor makes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from vouch_sidecar.engine.pushes import SaliencePush, StatusPush
from vouch_sidecar.operations.pausing import PauseParams, PauseResult
from vouch_sidecar.operations.salience import SalientEntity, salient_row
from vouch_sidecar.operations.session_end import SessionEndParams
from vouch_sidecar.operations.wire import LongText, SessionId, Wire
from vouch_sidecar.retrieval.session_update import PushedRow


class PromptParams(Wire):
    """A prompt submitted without a document."""

    session_id: SessionId = Field(description="Session whose newest text it becomes.")
    text: LongText = Field(description="The prompt in its own words.")


class PushedEntity(SalientEntity):
    """An entity in play with its top claim in words."""

    claim: str | None = Field(description="What its top claim says, at most 200 characters.")


class DidChangeSalience(Wire):
    """Sent when the ranking of a session changes."""

    session_id: str
    salience: list[PushedEntity] = Field(
        description="What is in play now, strongest first, at most ten."
    )
    fresh: list[PushedEntity] = Field(
        description="Entities that the newest text brought in, sure enough to speak of unasked."
    )
    text: str = Field(description="A block for a prompt about `fresh`; empty without any.")
    generation: int


class DidChangeStatus(Wire):
    """Sent when the health of the server, or what it knows, changes."""

    health: Literal["ok", "warning", "error"] = Field(
        description="warning: it serves, within the limits that `message` names."
    )
    quiescent: bool = Field(description="Whether nothing is being indexed.")
    message: str | None = Field(description="What is going on or wrong, for people.")
    generation: int


NOTIFICATIONS: dict[str, type[Wire]] = {
    "vouch/prompt": PromptParams,
    "vouch/sessionEnd": SessionEndParams,
    "vouch/didChangeSalience": DidChangeSalience,
    "vouch/didChangeStatus": DidChangeStatus,
}

REQUESTS: dict[str, tuple[type[Wire], type[Wire]]] = {"vouch/pause": (PauseParams, PauseResult)}
"""Params and results of the requests that are no operations, by method."""


def salience_notification(push: SaliencePush) -> DidChangeSalience:
    """The notification `vouch/didChangeSalience` for a push."""
    return DidChangeSalience(
        session_id=push.session_id,
        salience=[*map(_pushed, push.update.rows)],
        fresh=[*map(_pushed, push.update.fresh)],
        text=push.update.block.text,
        generation=push.generation,
    )


def _pushed(pushed: PushedRow) -> PushedEntity:
    return PushedEntity(**dict(salient_row(pushed.row)), claim=pushed.claim)


def status_notification(push: StatusPush) -> DidChangeStatus:
    """The notification `vouch/didChangeStatus` for a push."""
    return DidChangeStatus.model_validate(push, from_attributes=True)
