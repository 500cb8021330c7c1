"""What the files of a knowledge base may say: validated, bounded, turned into lean records.

As vouch 1.5.0 reads them, apart from these: an unknown type is kept; an empty list may be left
blank; a missing id is the file's name; ids, names and lists are bounded; a page with a malformed
scope is refused, where vouch takes the scope for none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from sys import intern
from typing import Annotated

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
)
from pydantic.types import FailFast
from vouch_sidecar.kb.access import LIVE_PAGE_STATUSES, LIVE_STATUSES
from vouch_sidecar.kb.records import KIND_OF, OPEN_SCOPE, Artifact, Kind, Scope

__all__ = ["KNOWN_TYPES", "record_of", "values_of"]

KNOWN_TYPES: dict[Kind, tuple[str, frozenset[str]]] = {
    Kind.CLAIM: (
        "type",
        frozenset("fact decision preference workflow observation question warning".split()),
    ),
    Kind.ENTITY: (
        "type",
        frozenset(
            "person project repo company concept decision workflow file api incident source agent"
            " tool team system".split()
        ),
    ),
    Kind.RELATION: (
        "relation",
        frozenset(
            "uses depends_on contradicts supersedes supports caused_by owned_by derived_from"
            " similar_to blocks implements references mentions relates_to".split()
        ),
    ),
    Kind.SOURCE: (
        "type",
        frozenset(
            "file url transcript message commit issue screenshot pdf audio video folder".split()
        ),
    ),
}
"""Per kind, the field that holds its type, and the types that vouch knows."""

VISIBILITIES = frozenset({"private", "project", "team", "public"})
STATUSES = LIVE_STATUSES | {"superseded", "archived", "redacted"}
PAGE_STATUSES = LIVE_PAGE_STATUSES | {"archived"}
_OPEN_VALUES = OPEN_SCOPE.visibility, OPEN_SCOPE.project, OPEN_SCOPE.agent
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")


def _blank_list(value: object) -> object:
    return [] if value is None else value


def _no_boolean(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("must be a number from 0 to 1, not yes or no")
    return value


def _one_of(allowed: frozenset[str]) -> AfterValidator:
    def check(value: str) -> str:
        if value not in allowed:
            raise ValueError(f"must be one of {', '.join(sorted(allowed))}")
        return intern(value)

    return AfterValidator(check)


def _scope(value: object) -> object:
    if value is None:
        return {}
    return {"visibility": value} if isinstance(value, str) else value


def _sha256(value: str) -> str:
    if not _SHA256.match(value):
        raise ValueError("must be a sha256: 64 lower-case hexadecimal digits")
    return value


Line = StringConstraints(
    min_length=1, max_length=1024, pattern=r"^[^\p{Cc}]*[^\p{Cc}\s][^\p{Cc}]*$"
)
Id = Annotated[str, Line]
Reference = Annotated[str, StringConstraints(max_length=1024, pattern=r"^\P{Cc}*$")]
Label = Annotated[str, StringConstraints(max_length=1024), AfterValidator(intern)]
Name = Annotated[str, StringConstraints(max_length=1000, pattern=r"\S")]
Text = Annotated[str, StringConstraints(max_length=200_000)]
Statement = Annotated[str, StringConstraints(max_length=200_000, pattern=r"\S")]
Confidence = Annotated[float, BeforeValidator(_no_boolean), Field(ge=0, le=1, allow_inf_nan=False)]
References = Annotated[
    list[Reference], Field(max_length=10_000), FailFast(), BeforeValidator(_blank_list)
]
Labels = Annotated[
    list[Annotated[str, StringConstraints(max_length=1024)]],
    Field(max_length=1_000),
    FailFast(),
    BeforeValidator(_blank_list),
]


class Model(BaseModel):
    """Base of all: fields are named as in the file and as in the record."""

    # Built with the first file that is read: a start from the cache reads none.
    model_config = ConfigDict(extra="ignore", defer_build=True)

    id: Id


class ScopeModel(BaseModel):
    """Visibility tier with the project or agent it is bound to."""

    # Not frozen, pydantic would copy the default deeply, each time.
    model_config = ConfigDict(frozen=True, defer_build=True)

    visibility: Annotated[str, _one_of(VISIBILITIES)] = "project"
    project: Label | None = None
    agent: Label | None = None


ScopeField = Annotated[ScopeModel, BeforeValidator(_scope)]
_NO_SCOPE = ScopeModel.model_construct()


def _cited(value: list[str]) -> list[str]:
    if not value:
        raise ValueError("must name at least one source or piece of evidence")
    return value


class ClaimModel(Model):
    """A file of `claims/`."""

    text: Statement
    type: Label = "observation"
    status: Annotated[str, _one_of(STATUSES)] = "working"
    confidence: Confidence = 0.7
    evidence: Annotated[References, AfterValidator(_cited)] = Field(
        default_factory=list, validate_default=True
    )
    entities: References = Field(default_factory=list)
    tags: Labels = Field(default_factory=list)
    supersedes: References = Field(default_factory=list)
    superseded_by: Reference | None = None
    contradicts: References = Field(default_factory=list)
    scope: ScopeField = _NO_SCOPE
    created_at: datetime | None = None
    updated_at: datetime | None = None
    last_confirmed_at: datetime | None = None
    approved_by: Label | None = None


class EntityModel(Model):
    """A file of `entities/`."""

    name: Name
    type: Label
    aliases: Annotated[
        list[Annotated[str, StringConstraints(max_length=1000)]],
        Field(max_length=1_000),
        FailFast(),
        BeforeValidator(_blank_list),
    ] = Field(default_factory=list)
    description: Text | None = None
    page: Reference | None = None


class PageModel(Model):
    """The front matter of a file of `pages/`, with the text below it as `body`."""

    title: Name
    body: str = ""
    type: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1024)
    ] = "concept"
    status: Annotated[str, _one_of(PAGE_STATUSES)] = "draft"
    claims: References = Field(default_factory=list)
    entities: References = Field(default_factory=list)
    sources: References = Field(default_factory=list)
    tags: Labels = Field(default_factory=list)
    scope: ScopeField = _NO_SCOPE
    updated_at: datetime | None = None


class RelationModel(Model):
    """A file of `relations/`."""

    source: Id
    relation: Label
    target: Id
    confidence: Confidence = 0.7
    evidence: References = Field(default_factory=list)


class SourceModel(Model):
    """A file `sources/<sha256>/meta.yaml`."""

    id: Annotated[str, AfterValidator(_sha256)]
    locator: Text
    type: Label = "file"
    title: Text | None = None
    scope: ScopeField = _NO_SCOPE
    created_at: datetime | None = None


class EvidenceModel(Model):
    """A file of `evidence/`."""

    source_id: Id
    locator: Text
    quote: Text | None = None


class SessionModel(Model):
    """A file of `sessions/`."""

    agent: Text
    task: Text | None = None
    ended_at: datetime | None = None


MODELS: dict[Kind, type[Model]] = {
    Kind.CLAIM: ClaimModel,
    Kind.ENTITY: EntityModel,
    Kind.PAGE: PageModel,
    Kind.RELATION: RelationModel,
    Kind.SOURCE: SourceModel,
    Kind.EVIDENCE: EvidenceModel,
    Kind.SESSION: SessionModel,
}
_RECORDS: dict[Kind, Callable[..., Artifact]] = {kind: made for made, kind in KIND_OF.items()}


def values_of(kind: Kind, field: str) -> list[str]:
    """The words that vouch knows for a dotted field, sorted; none where it takes any text."""
    name, known = KNOWN_TYPES.get(kind, ("", frozenset()))
    values: dict[str, frozenset[str]] = {"scope.visibility": VISIBILITIES, name: known}
    values["status"] = {Kind.CLAIM: STATUSES, Kind.PAGE: PAGE_STATUSES}.get(kind, frozenset())
    return sorted(values.get(field, frozenset()))


def record_of(kind: Kind, path: str, content: dict[str, object]) -> Artifact:
    """The artifact that a file's mapping describes. Raises pydantic's ValidationError."""
    values = vars(MODELS[kind].model_validate(content))
    for name, value in values.items():
        if (lean := _LEAN.get(type(value))) is not None:
            values[name] = lean(value)
    return _RECORDS[kind](path=path, **values)


def _shared(strings: list[str]) -> tuple[str, ...]:
    """Strings that many artifacts share are kept once."""
    return tuple(map(intern, strings))


def _seconds(moment: datetime) -> float:
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return aware.timestamp()


def _lean_scope(scope: ScopeModel) -> Scope:
    values = scope.visibility, scope.project, scope.agent
    return OPEN_SCOPE if values == _OPEN_VALUES else Scope(*values)


_LEAN: dict[type, Callable[..., object]] = {
    list: _shared,
    datetime: _seconds,
    ScopeModel: _lean_scope,
}
