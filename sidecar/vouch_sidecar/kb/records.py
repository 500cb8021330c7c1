"""The artifacts of a knowledge base, lean and immutable: the vocabulary of every room above. Fields
are named as in the file, and their types say what the file may hold: `record_of` reads it.
Constructors check nothing. Files are read as vouch 1.5.0 reads them, with these exceptions: an
unknown type is kept; an empty list may be left blank; a missing id is the file's name; ids, names
and lists are bounded; a page with a malformed scope is refused, where vouch reads it as no scope.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from sys import intern
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetPydanticSchema,
    StringConstraints,
    TypeAdapter,
)
from pydantic.types import FailFast


class Kind(StrEnum):
    """The kinds of artifact, named as vouch names them."""

    CLAIM = "claim"
    ENTITY = "entity"
    PAGE = "page"
    RELATION = "relation"
    SOURCE = "source"
    EVIDENCE = "evidence"
    SESSION = "session"


class Severity(StrEnum):
    """How bad a problem is: an error withholds the artifact, a warning does not, a hint is none."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"


Degraded = Literal[
    "index_building",
    "search_failed",
    "watch_lost",
    "files_skipped",
    "timed_out",
    "semantic_unavailable",
    "workspace_pending",
    "unknown_weight",
]
"""What an answer may have to do without; docs/protocol.md says what each means."""


# What a field of a file may hold

_SHA256 = re.compile(r"[0-9a-f]{64}\Z")


def _blank_list(value: object) -> object:
    return [] if value is None else value


def _sha256(value: str) -> str:
    if not _SHA256.match(value):
        raise ValueError("must be a sha256: 64 lower-case hexadecimal digits")
    return value


def _seconds(time: datetime) -> float:
    """A time without a zone is in UTC."""
    aware = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
    return aware.timestamp()


_FIRST = datetime.min.replace(tzinfo=UTC).timestamp()
_LAST = datetime.max.replace(microsecond=0, tzinfo=UTC).timestamp()


def moment(at: float) -> datetime:
    """The time in UTC, in seconds since 1970. A time outside the calendar becomes its first or last
    moment.
    """
    return datetime.fromtimestamp(min(max(at, _FIRST), _LAST), UTC)


Id = Annotated[
    str,
    StringConstraints(min_length=1, max_length=1024, pattern=r"^[^\p{Cc}]*[^\p{Cc}\s][^\p{Cc}]*$"),
]
_SHARED = AfterValidator(intern)
"""Marks text that many artifacts have alike, so that it is held once."""
Sha256 = Annotated[str, AfterValidator(_sha256)]
ReferenceId = Annotated[str, StringConstraints(max_length=1024, pattern=r"^\P{Cc}*$"), _SHARED]
Label = Annotated[str, StringConstraints(max_length=1024), _SHARED]
Name = Annotated[str, StringConstraints(max_length=1000, pattern=r"\S")]
Text = Annotated[str, StringConstraints(max_length=200_000)]
Statement = Annotated[Text, StringConstraints(pattern=r"\S")]
Confidence = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
_Moment = Annotated[datetime, AfterValidator(_seconds)]
Timestamp = Annotated[float, GetPydanticSchema(lambda _, handler: handler(_Moment))]
"""A date or time in the file, seconds since the epoch in the record."""
Visibility = Literal["private", "project", "team", "public"]
Status = Literal[
    "working", "actionable", "stable", "contested", "superseded", "archived", "redacted"
]
PageStatus = Literal["draft", "active", "stale", "archived"]
Offset = Annotated[int, Field(strict=True, ge=0, le=2**40)]
PageType = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1024)]

_LIST = FailFast(), BeforeValidator(_blank_list)
References = Annotated[tuple[ReferenceId, ...], Field(max_length=10_000), *_LIST]
Labels = Annotated[tuple[Label, ...], Field(max_length=1_000), *_LIST]
Aliases = Annotated[
    tuple[Annotated[str, StringConstraints(max_length=1000)], ...], Field(max_length=1_000), *_LIST
]
Citations = Annotated[References, Field(min_length=1, validate_default=True)]


# Records


@dataclass(frozen=True, slots=True)
class Scope:
    """Who may see an artifact, as vouch stores it."""

    visibility: Visibility = "project"
    project: Label | None = None
    agent: Label | None = None


OPEN_SCOPE = Scope()


def _as_mapping(scope: object) -> object:
    """A scope may be left out, or be the visibility alone."""
    if isinstance(scope, dict):
        return {name: value for name, value in scope.items() if isinstance(name, str)}
    return {} if scope is None else {"visibility": scope} if isinstance(scope, str) else scope


ScopeField = Annotated[Scope, BeforeValidator(_as_mapping)]


@dataclass(frozen=True, slots=True)
class Claim:
    """A reviewed assertion with its citations (ids of sources or of evidence)."""

    id: Id
    path: str
    text: Statement
    type: Label = "observation"
    status: Status = "working"
    confidence: Confidence = 0.7
    evidence: Citations = ()
    entities: References = ()
    tags: Labels = ()
    supersedes: References = ()
    superseded_by: ReferenceId | None = None
    contradicts: References = ()
    scope: ScopeField = OPEN_SCOPE
    created_at: Timestamp | None = None
    updated_at: Timestamp | None = None
    last_confirmed_at: Timestamp | None = None
    approved_by: Label | None = None
    auto_approved: bool = False
    """Whether a checked receipt approved the claim, and no person."""

    @property
    def is_approved(self) -> bool:
        """Whether a person approved the claim, or confirmed it since: vouch leaves `auto_approved`
        as it was.
        """
        return not self.auto_approved or self.last_confirmed_at is not None

    @property
    def topical_tags(self) -> tuple[str, ...]:
        """The tags, without the one by which vouch says from which knowledge base it was imported:
        that is no topic and no name.
        """
        return tuple(tag for tag in self.tags if not tag.startswith("origin:"))

    @property
    def date(self) -> float | None:
        """When the claim was confirmed, else updated, else created."""
        dates = (self.last_confirmed_at, self.updated_at, self.created_at)
        return next((at for at in dates if at is not None), None)


@dataclass(frozen=True, slots=True)
class Entity:
    """A typed, named thing that claims are about."""

    id: Id
    path: str
    name: Name
    type: Label
    aliases: Aliases = ()
    description: Text | None = None
    page: ReferenceId | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A markdown write-up with front matter; `body` is the text below it."""

    id: Id
    path: str
    title: Name
    body: str = ""
    type: PageType = "concept"
    status: PageStatus = "draft"
    claims: References = ()
    entities: References = ()
    sources: References = ()
    tags: Labels = ()
    scope: ScopeField = OPEN_SCOPE
    updated_at: Timestamp | None = None


@dataclass(frozen=True, slots=True)
class Relation:
    """A typed edge between two artifacts."""

    id: Id
    path: str
    source: Id
    relation: Label
    target: Id
    confidence: Confidence = 0.7
    evidence: References = ()


@dataclass(frozen=True, slots=True)
class Source:
    """Input material that a claim may cite; `id` is the sha256 of its content."""

    id: Sha256
    path: str
    locator: Text
    type: Label = "file"
    title: Text | None = None
    scope: ScopeField = OPEN_SCOPE
    created_at: Timestamp | None = None
    question: Text | None = None
    """The question that a captured message answers (`metadata.question`)."""
    kept: int = 0
    """Tells apart the contents that lay beside the file, so that a replaced one is a change; 0
    without one. `read_content` tells whether it matches the id.
    """


@dataclass(frozen=True, slots=True)
class Evidence:
    """A place in a source that a claim may cite. One with a quote and a range is a receipt: these
    bytes of the source's content, the last one left out, are the quote.
    """

    id: Id
    path: str
    source_id: Id
    locator: Text
    quote: Text | None = None
    byte_start: Offset | None = None
    byte_end: Offset | None = None

    @property
    def span(self) -> tuple[int, int] | None:
        """The range of bytes of a receipt; None where it is empty, and for other evidence."""
        start, end = self.byte_start, self.byte_end
        return None if start is None or end is None or start >= end else (start, end)

    @property
    def quoted(self) -> tuple[str, int, int]:
        """What it quotes: its source and the range there, which is empty without a receipt."""
        return self.source_id, *(self.span or (0, 0))


@dataclass(frozen=True, slots=True)
class VouchSession:
    """A vouch session on disk; once `ended_at` is set its window ends."""

    id: Id
    path: str
    agent: Text
    task: Text | None = None
    ended_at: Timestamp | None = None


Told = Claim | Page | Entity | Relation | Source
"""What searches find and prompts are told."""
Artifact = Told | Evidence | VouchSession
Key = tuple[Kind, str]

KIND_OF: dict[type, Kind] = {
    Claim: Kind.CLAIM,
    Entity: Kind.ENTITY,
    Page: Kind.PAGE,
    Relation: Kind.RELATION,
    Source: Kind.SOURCE,
    Evidence: Kind.EVIDENCE,
    VouchSession: Kind.SESSION,
}
RECORD_OF: dict[Kind, type[Artifact]] = {kind: record for record, kind in KIND_OF.items()}
KNOWN_TYPES = {
    Kind.CLAIM: "fact decision preference workflow observation question warning".split(),
    Kind.ENTITY: """
        person project repo company concept decision workflow file api incident source agent tool
        team system
    """.split(),
    Kind.RELATION: """
        uses depends_on contradicts supersedes supports caused_by owned_by derived_from similar_to
        blocks implements references mentions relates_to
    """.split(),
    Kind.SOURCE: """
        file url transcript message commit issue screenshot pdf audio video folder
    """.split(),
}
"""The types that vouch knows, by kind."""
STARTER_PAGE: Key = (Kind.PAGE, "edit-in-obsidian")
"""The page about vouch itself, made by `vouch init`; it says nothing about the repository."""
PERSON = "person"
SESSION_PAGE = "session"
"""The type of pages with notes of a session, which are not yet knowledge."""


def key_of(artifact: Artifact) -> Key:
    """The key of an artifact, which identifies it within its knowledge base."""
    return KIND_OF[type(artifact)], artifact.id


def is_starter(artifact: Artifact) -> bool:
    """Whether an artifact is the page about vouch itself."""
    return key_of(artifact) == STARTER_PAGE


def record_of(kind: Kind, path: str, content: dict[str, object]) -> Artifact:
    """The artifact that a file's mapping describes. Raises pydantic's ValidationError."""
    fields = {**content, "path": path}
    if kind is Kind.SOURCE:
        fields |= {"question": _question_in(content), "kept": 0}
    artifact: Artifact = _reading(kind).validate_python(fields)
    return artifact


def _question_in(source: dict[str, object]) -> str | None:
    """The question that a captured message answers."""
    metadata = source.get("metadata")
    question = metadata.get("question") if isinstance(metadata, dict) else None
    asked = isinstance(question, str) and question.strip() and source.get("type") == "message"
    return question if asked and isinstance(question, str) else None


@cache
def _reading(kind: Kind) -> TypeAdapter[Any]:
    """The pydantic models, made when the first file is read: a start from the cache reads none."""
    return TypeAdapter(RECORD_OF[kind])


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of one file. `line` and `column` (characters) count from 1; `field` is dotted.
    `code` names the rule that found it, and never changes. The message of a faulty file says what
    is expected and repeats no value, because people are told of every file, whoever may see it.
    """

    path: str
    message: str
    severity: Severity = Severity.ERROR
    line: int = 1
    column: int = 1
    field: str | None = None
    code: str = "invalid"
    is_of_disk: bool = False
    """Whether it is of the file as it lies there, whatever its text is."""
