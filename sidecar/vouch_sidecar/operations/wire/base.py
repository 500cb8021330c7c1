"""What everything on the wire is made of: fields, and the bases of params and results."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
    model_validator,
)

__all__ = [
    "ABSENT",
    "MAX_TEXT",
    "Arm",
    "Degraded",
    "Id",
    "Meta",
    "Params",
    "Result",
    "SalienceMeta",
    "SearchKind",
    "SessionId",
    "Sparse",
    "Text",
    "Topic",
    "ViewerParams",
    "Wire",
]

MAX_TEXT = 1_000_000

SessionId = Annotated[str, StringConstraints(min_length=1, max_length=256)]
Text = Annotated[str, StringConstraints(max_length=MAX_TEXT)]
Topic = Annotated[str, StringConstraints(max_length=MAX_TEXT, pattern=r"\S")]
Id = Annotated[str, StringConstraints(min_length=1, max_length=1024)]

Arm = Literal["name", "alias", "variant", "partial", "text"]
SearchKind = Literal["claim", "page", "entity", "relation", "source"]
Degraded = Literal[
    "index_building",
    "search_failed",
    "watch_lost",
    "files_skipped",
    "timed_out",
    "semantic_unavailable",
]
ABSENT: dict[str, Any] = {"x-absent": True}


class Wire(BaseModel):
    """Base of everything on the wire."""

    # Built when somebody asks: no process uses all of them.
    model_config = ConfigDict(
        frozen=True, extra="ignore", strict=True, populate_by_name=True, defer_build=True
    )


class Sparse(Wire):
    """What has fields that are left out when they are null: those marked `x-absent`."""

    _absent: ClassVar[tuple[tuple[str, str], ...]] = ()

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        cls._absent = tuple(
            (name, info.serialization_alias or name)
            for name, info in cls.model_fields.items()
            if info.json_schema_extra == ABSENT
        )

    @model_serializer(mode="wrap")
    def _leave_out_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        for name, key in self._absent:
            if getattr(self, name) is None:
                data.pop(key, None)
                data.pop(name, None)
        return data


class ViewerParams(Wire):
    """Who asks; decides which private and project-bound claims are visible."""

    project: str | None = Field(default=None, description="Project that the viewer belongs to.")
    agent: str | None = Field(default=None, description="Agent that the viewer is.")


class Params(Wire):
    """What every operation takes. Null stands for an optional field that is not given."""

    session_id: SessionId | None = Field(
        default=None, description="Session that the call belongs to; without one it is stateless."
    )
    viewer: ViewerParams | None = Field(default=None, description="Who asks.")
    root: Text | None = Field(
        default=None, description="Path or file URI: only the knowledge base there is asked."
    )

    @model_validator(mode="before")
    @classmethod
    def _null_is_not_given(cls, data: object) -> object:
        if not isinstance(data, dict) or None not in data.values():
            return data
        needed = {name for name, info in cls.model_fields.items() if info.is_required()}
        return {k: v for k, v in data.items() if v is not None or k in needed}


class SalienceMeta(Sparse):
    """One salient entity, in the shape vouch attaches to its answers."""

    entity_id: str
    claim_count: int
    top_claim_id: str | None
    collection: str | None = Field(
        default=None, json_schema_extra=ABSENT, description="Present with several knowledge bases."
    )


class Meta(Wire):
    """What is in play in the session that the call named."""

    vouch_salience: list[SalienceMeta] = Field(description="Strongest first.")


class Result(Sparse):
    """What every operation gives."""

    generation: int = Field(default=0, description="Rises with every change published.")
    complete: bool = Field(default=True, description="False until the first index is built.")
    degraded: list[Degraded] = Field(
        default_factory=list,
        description="What this answer had to do without; else empty.",
    )
    meta: Meta | None = Field(
        default=None,
        serialization_alias="_meta",
        validation_alias="_meta",
        json_schema_extra=ABSENT,
        description="Salience of the session named; absent without one, or with none in play.",
    )
