"""Authors of commits to the files of claims: their rows in answers, and their table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import Field

from vouch_sidecar.kb.sanitize import count
from vouch_sidecar.operations.table import ColumnKind, Shown, Table, Words
from vouch_sidecar.operations.wire import Wire, absent

if TYPE_CHECKING:
    from vouch_sidecar.engine import Served
    from vouch_sidecar.retrieval.people.authors import Author


class AuthorFileRow(Wire):
    """A file with an author's commits to it."""

    path: str = Field(description="Below the root of the knowledge base.")
    commits: int = Field(description="Their commits that changed it.")
    last: str = Field(description="Date of the last of them.")


class AuthorRow(Wire):
    """Somebody who committed to the files of claims, by name alone."""

    name: str
    commits: int = Field(description="Commits that changed those files.")
    last: str = Field(description="Date of the last of them, as in 2026-03-01.")
    files: int = Field(description="How many of those files they changed.")
    paths: list[AuthorFileRow] = Field(
        description="Those with most of their commits first, at most seven."
    )


def by_commits_field() -> Any:
    """The field `by_commits` of a result."""
    return absent(
        "Who committed to the files of these claims, who knows them best first; for models only "
        "where `people.git` is `agents`."
    )


def unnamed_field() -> Any:
    """The field `unnamed` of a result."""
    return absent("Why git's history can't be read, if so.")


def why_unnamed(served: Iterable[Served], authors: Sequence[object] | None) -> str | None:
    """Why no authors of commits are named, if they might be told; None where some are."""
    if authors:
        return None
    told = (kb.collection.why_unnamed() for kb in served if kb.view.people_told.in_answers)
    return "; ".join(dict.fromkeys(filter(None, told))) or None


def author_rows(authors: Sequence[Author]) -> list[AuthorRow] | None:
    """The rows of authors; None without any."""
    rows = (AuthorRow.model_validate(a, from_attributes=True, strict=False) for a in authors)
    return list(rows) or None


def author_table(rows: Sequence[AuthorRow] | None, unnamed: str | None = None) -> list[Shown]:
    """The table of authors, or why there are none."""
    if unnamed:
        return [Words(f"nobody is named by commits: {unnamed}", aside=True)]
    cells = [(row.name, row.commits, row.last, row.files) for row in rows or ()]
    columns: dict[str, ColumnKind] = {"by commits": "short", "commits": "number"}
    columns |= {"last": "whole", "files": "number"}
    who = ", ".join(f"{row.name} ({count(row.commits, 'commit')})" for row in rows or ())
    told = [Words(f"by commits: {who}", to="model")] if who else []
    return [*told, Table(columns, cells, "by_commits", to="people")]
