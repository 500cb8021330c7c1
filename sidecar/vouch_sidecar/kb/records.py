"""What a knowledge base holds, lean and immutable: the vocabulary of every room above.

Timestamps are seconds since the epoch, UTC, or None where the file gives none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

__all__ = [
    "KIND_OF",
    "OPEN_SCOPE",
    "Artifact",
    "Change",
    "Claim",
    "Entity",
    "Evidence",
    "Key",
    "Kind",
    "Page",
    "Problem",
    "Relation",
    "Scope",
    "Session",
    "Severity",
    "Source",
    "key_of",
]


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


@dataclass(frozen=True, slots=True)
class Scope:
    """Who may see an artifact, as vouch stores it."""

    visibility: str = "project"
    project: str | None = None
    agent: str | None = None


OPEN_SCOPE = Scope()


@dataclass(frozen=True, slots=True)
class Claim:
    """A reviewed assertion with its citations (ids of sources or of evidence)."""

    id: str
    path: str
    text: str
    type: str = "observation"
    status: str = "working"
    confidence: float = 0.7
    evidence: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = None
    contradicts: tuple[str, ...] = ()
    scope: Scope = OPEN_SCOPE
    created_at: float | None = None
    updated_at: float | None = None
    last_confirmed_at: float | None = None
    approved_by: str | None = None

    @property
    def date(self) -> float | None:
        """When it was last known to hold: confirmed, else updated, else created."""
        dates = (self.last_confirmed_at, self.updated_at, self.created_at)
        return next((at for at in dates if at is not None), None)


@dataclass(frozen=True, slots=True)
class Entity:
    """A typed, named thing that claims are about."""

    id: str
    path: str
    name: str
    type: str = "concept"
    aliases: tuple[str, ...] = ()
    description: str | None = None
    page: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A markdown write-up with front matter; `body` is the text below it."""

    id: str
    path: str
    title: str
    body: str = ""
    type: str = "concept"
    status: str = "draft"
    claims: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    scope: Scope = OPEN_SCOPE
    updated_at: float | None = None


@dataclass(frozen=True, slots=True)
class Relation:
    """A typed edge between two artifacts."""

    id: str
    path: str
    source: str
    relation: str
    target: str
    confidence: float = 0.7
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """Input material that a claim may cite; `id` is the sha256 of its content."""

    id: str
    path: str
    locator: str
    type: str = "file"
    title: str | None = None
    scope: Scope = OPEN_SCOPE
    created_at: float | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """A place in a source that a claim may cite."""

    id: str
    path: str
    source_id: str
    locator: str
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """A vouch session on disk; once `ended_at` is set its window ends."""

    id: str
    path: str
    agent: str
    task: str | None = None
    ended_at: float | None = None


Artifact = Claim | Entity | Page | Relation | Source | Evidence | Session
Key = tuple[Kind, str]

KIND_OF: dict[type[Artifact], Kind] = {
    Claim: Kind.CLAIM,
    Entity: Kind.ENTITY,
    Page: Kind.PAGE,
    Relation: Kind.RELATION,
    Source: Kind.SOURCE,
    Evidence: Kind.EVIDENCE,
    Session: Kind.SESSION,
}


def key_of(artifact: Artifact) -> Key:
    """What an artifact is addressed by within its knowledge base."""
    return KIND_OF[type(artifact)], artifact.id


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with one file. `line` and `column` (characters) count from 1; `field` is
    dotted. `wider`: by how much the column is larger in bytes of UTF-8, and in units of UTF-16.
    `bound`: it names a file that not everybody may be told of.
    `code` says which rule found it, and never changes.
    """

    path: str
    message: str
    severity: Severity = Severity.ERROR
    line: int = 1
    column: int = 1
    field: str | None = None
    wider: tuple[int, int] = (0, 0)
    bound: bool = False
    code: str = "invalid"


@dataclass(frozen=True, slots=True)
class Change:
    """One consistent step from what was known to what is on disk."""

    upserts: tuple[Artifact, ...] = ()
    removals: frozenset[Key] = field(default_factory=frozenset)

    def __bool__(self) -> bool:
        return bool(self.upserts or self.removals)
