"""Base classes of params and results, fields that several of them share, and the errors of calls.

Keys are snake_case. A field without a value is null; one whose schema says `x-absent` is left out.
Params are validated by these models only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import PydanticCustomError

from vouch_sidecar.kb.records import Degraded

MAX_TEXT = 1_000_000

SessionId = Annotated[str, StringConstraints(min_length=1, max_length=256)]
_SESSION_ID = TypeAdapter(SessionId)
LongText = Annotated[str, StringConstraints(max_length=MAX_TEXT)]
TopicText = Annotated[str, StringConstraints(max_length=MAX_TEXT, pattern=r"\S")]

SearchKind = Literal["claim", "page", "entity", "relation", "source"]


def session_called(value: object) -> str | None:
    """The id of a session, where it is one that params take; else None."""
    try:
        return _SESSION_ID.validate_python(value, strict=True)
    except ValidationError:
        return None


class OperationError(Exception):
    """Base of the errors that a surface sends as an answer, with what JSONL calls them."""

    code = "invalid_request"


class InvalidParamsError(OperationError):
    """Params are invalid; `missing`: only because some are missing. `messages` say by field what is
    wrong. JSON-RPC -32602, JSONL `missing_param` or `invalid_request`.
    """

    def __init__(self, messages: Mapping[str, str], *, missing: bool = False) -> None:
        super().__init__("; ".join(f"{field} {text}" for field, text in messages.items()))
        self.messages = messages
        self.code = "missing_param" if missing else self.code


class FailedError(OperationError):
    """It can't be done now, whatever the params are. JSON-RPC -32803, JSONL `internal_error`."""

    code = "internal_error"


class NotFoundError(InvalidParamsError):
    """The params are valid, but name nothing that may be shown. The shell exits with 1, not 2."""


class Wire(BaseModel):
    """Base of everything on the wire."""

    # Validators are built on demand: no process uses all models.
    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        strict=True,
        populate_by_name=True,
        defer_build=True,
        coerce_numbers_to_str=True,  # where reading is not strict
    )

    @classmethod
    def main(cls) -> str:
        """Of params, what a call is about, which each operation has first."""
        return next(iter(cls.__annotations__))


def absent(description: str, alias: str | None = None) -> Any:
    """A field that is left out when it is null. Its schema says `x-absent`."""
    return Field(
        default=None,
        exclude_if=lambda value: value is None,
        serialization_alias=alias,
        validation_alias=alias,
        json_schema_extra={"x-absent": True},
        description=description,
    )


class EntityRow(Wire):
    """An entity in a list."""

    entity_id: str
    name: str
    type: str
    collection: str | None = absent("Present with several knowledge bases.")


def iso(at: float | None) -> str | None:
    """A time in ISO 8601, UTC."""
    from vouch_sidecar.kb.records import moment

    return None if at is None else moment(at).isoformat()


class ViewerParams(Wire):
    """Who asks; decides which private and project-bound claims are visible."""

    project: str | None = Field(
        default=None, max_length=1024, description="Project that the viewer belongs to."
    )
    agent: str | None = Field(
        default=None, max_length=1024, description="Agent that the viewer is."
    )


class Params(Wire):
    """What every operation takes; null stands for what is not given."""

    model_config = ConfigDict(extra="forbid")

    session_id: SessionId | None = Field(
        default=None, description="Session that the call belongs to; without one it is stateless."
    )
    viewer: ViewerParams | None = Field(default=None, description="Who asks.")
    root: LongText | None = Field(
        default=None, description="Path or file URI: only the knowledge base there is asked."
    )


_SPAN = re.compile(r"([1-9][0-9]{0,4})([hdwmy])")
_HOURS = {"h": 1, "d": 24, "w": 168, "m": 730, "y": 8_766}


def since_when(since: str, now: float) -> int:
    """The time of an ISO date, or of a span before `now` (in seconds since 1970) such as `7d`, in
    microseconds since 1970. Raises ValueError for other texts.
    """
    if (span := _SPAN.fullmatch(since)) is not None:
        return int((now - int(span[1]) * _HOURS[span[2]] * 3_600) * 1_000_000)
    at = datetime.fromisoformat(since)
    return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1_000_000)


def _is_time(since: str) -> str:
    try:
        since_when(since, 0.0)
    except (ValueError, OverflowError):
        raise PydanticCustomError(
            "since", "must be an ISO date, or a span such as 7d (h, d, w, m, y)"
        ) from None
    return since


class Position(Wire):
    """A place in a document, as in LSP."""

    line: int = Field(ge=0)
    character: int = Field(ge=0, description="In the client's encoding.")


class Range(Wire):
    """A part of a document, as in LSP."""

    start: Position
    end: Position


class EditorParams(Params):
    """Of an operation that can be asked about an open document in place of its main param. Only the
    language server, which has the documents, offers these.
    """

    uri: LongText | None = Field(
        default=None,
        description="In place of that a document, as the editor has it; over LSP alone.",
    )
    range: Range | None = Field(default=None, description="The part of the document that is meant.")

    def check(self) -> None:
        """Raises `InvalidParamsError`, unless there is something to ask about."""
        if getattr(self, self.main()) is None and self.uri is None:
            raise InvalidParamsError({self.main(): "is missing"}, missing=True)


OF_EDITORS = EditorParams.model_fields.keys() - Params.model_fields.keys()
"""The params that only the language server offers."""


class SinceParams(Params):
    """Of an operation that can be asked about what is new."""

    since: Annotated[str, Field(max_length=40), AfterValidator(_is_time)] | None = Field(
        default=None,
        description="Only claims confirmed or updated since: an ISO date, or a span such as `7d`.",
    )


class SalienceMeta(Wire):
    """One salient entity, in the shape vouch attaches to its answers."""

    entity_id: str
    claim_count: int = Field(description="Live, visible claims linked to it.")
    top_claim_id: str | None = Field(description="The claim that shares most with the newest text.")
    collection: str | None = absent("Present with several knowledge bases.")


class Meta(Wire):
    """What is in play in the session that the call named."""

    vouch_salience: list[SalienceMeta] = Field(description="Strongest first.")


class Result(Wire):
    """What every operation gives."""

    generation: int = Field(default=0, description="Rises with every change published.")
    complete: bool = Field(default=True, description="False until the first index is built.")
    degraded: list[Degraded] = Field(
        default_factory=list,
        description="What this answer had to do without; else empty.",
    )
    meta: Meta | None = absent("What is in play in the session named.", alias="_meta")


def as_json(result: Wire) -> dict[str, Any]:
    """A result as the JSON object that every surface sends."""
    return result.model_dump(mode="json", by_alias=True)
