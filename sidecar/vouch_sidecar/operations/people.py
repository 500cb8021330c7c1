"""Whom to ask: rows of people, owners of files and authors of commits, and their tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import Field

from vouch_sidecar.kb.sanitize import count
from vouch_sidecar.operations.table import Reader, Shown, Table, Words
from vouch_sidecar.operations.wire import Wire, absent
from vouch_sidecar.retrieval.people.authors import Author

if TYPE_CHECKING:
    from vouch_sidecar.retrieval.people.of_files import PersonToAsk


class PersonRow(Wire):
    """Somebody to ask."""

    entity_id: str | None = Field(description="null: an owner by CODEOWNERS.")
    name: str = Field(
        description="Of an owner by CODEOWNERS the handle, as in `octo-org/octocats`."
    )
    type: str
    via: str | None = Field(description="The pattern of CODEOWNERS that names an owner.")
    claim_count: int = Field(description="Claims that count for both.")
    relation: str | None = Field(
        description="Label of the relation, such as `owned_by`; `owns`: by CODEOWNERS."
    )
    said: str = Field(description="Why to ask them, for people.")
    collection: str | None = absent("Present with several knowledge bases.")


def by_commits_field() -> Any:
    """The field `by_commits` of a result."""
    return absent(
        "Who committed to the files of these claims, who knows them best first; for models only "
        "where `people.git` is `agents`."
    )


def person_rows(people: Iterable[PersonToAsk]) -> list[PersonRow]:
    return [PersonRow.model_validate(p, from_attributes=True, strict=False) for p in people]


def people_shown(
    people: Sequence[PersonRow] | None, authors: Sequence[Author] | None, to: Reader = "people"
) -> list[Shown]:
    """The tables of those to ask and of authors; to a model in a line each."""
    ask = [f"{row.name} ({row.said})" if row.said else row.name for row in people or ()]
    rows = [
        (row.entity_id or row.name, row.name, row.type, row.relation, row.via, row.claim_count)
        for row in people or ()
    ]
    wrote = [f"{row.name} ({count(row.commits, 'commit')})" for row in authors or ()]
    return [
        *([Words(f"ask: {', '.join(ask)}", to="model")] if ask else []),
        Table(
            {
                "to ask": "key",
                "name": "short",
                "type": "short",
                "relation": "short",
                "via": "short",
                "claims": "number",
            },
            rows,
            "person",
            to=to,
        ),
        *([Words(f"by commits: {', '.join(wrote)}", to="model")] if wrote else []),
        Table(
            {"by commits": "short", "commits": "number", "last": "whole", "files": "number"},
            [(row.name, row.commits, row.last, row.files) for row in authors or ()],
            "by_commits",
            to="people",
        ),
    ]
