"""Whom to ask, and authors of commits to the files of claims, as answers have them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file below the root of the knowledge base, with the number of an author's commits to it and
    the date of the last of these.
    """

    path: str
    commits: int
    last: str


@dataclass(frozen=True, slots=True)
class Author:
    """Somebody who committed to the files of claims, by name alone: how many commits, the date of
    the last one, to how many files; and the files with most of these commits, at most seven.
    """

    name: str
    commits: int
    last: str
    files: int
    paths: tuple[ChangedFile, ...]


@dataclass(frozen=True, slots=True)
class PersonToAsk:
    """Somebody to ask; an owner of files by CODEOWNERS has a handle, as in `octo-org/octocats`, and
    no id.

    `claim_count` is the number of live, visible claims that count for both. `relation` is the label
    of the relation between them, `owns` for an owner of files. `via` is the team through
    which somebody was found, or the pattern of the rule that names an owner. `said` is why to ask,
    for people; `collection` is left out where there is one knowledge base.
    """

    entity_id: str | None
    name: str
    type: str
    via: str | None
    claim_count: int
    relation: str | None
    said: str
    collection: Annotated[
        str | None,
        Field(exclude_if=lambda value: value is None, json_schema_extra={"x-absent": True}),
    ] = None
