"""Whom to ask: the rows of people and owners in answers, and how to print these."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from vouch_sidecar.kb.sanitize import count, one_line
from vouch_sidecar.operations.gist_lines import name_and_id
from vouch_sidecar.operations.printer import ColumnKind, Printer
from vouch_sidecar.operations.wire import Wire, absent
from vouch_sidecar.retrieval.people.owners import FileOwner
from vouch_sidecar.retrieval.people.to_ask import ROLES, PersonToAsk


class PersonRow(Wire):
    """Somebody to ask about an entity or topic: a person, or who owns it or its files."""

    entity_id: str | None = Field(description="null: an owner by CODEOWNERS.")
    name: str = Field(
        description="Of an owner by CODEOWNERS the handle, as in `octo-org/octocats`."
    )
    type: str
    via: str | None = Field(
        description="Id of the team through which a person was found; of an owner by CODEOWNERS "
        "the pattern."
    )
    claim_count: int = Field(
        description="Live, visible claims that count for both; with `via`, for that team and them."
    )
    relation: str | None = Field(
        description="Label of the relation, such as `owned_by`; `owns`: by CODEOWNERS."
    )
    collection: str | None = absent(
        "Present in `experts` with several knowledge bases: the one that says so."
    )


def person_row(row: PersonToAsk, collection: str | None = None) -> PersonRow:
    """A person as a row, with the collection where there are several."""
    return PersonRow(
        entity_id=row.entity.id,
        name=row.entity.name,
        type=row.entity.type,
        via=row.via.id if row.via is not None else None,
        claim_count=row.claim_count,
        relation=row.relation,
        collection=collection,
    )


def owner_row(owner: FileOwner, collection: str | None = None) -> PersonRow:
    """An owner of code as a row, with the collection where there are several."""
    return PersonRow(
        entity_id=None,
        name=owner.handle,
        type="team" if owner.is_team else "person",
        via=owner.pattern,
        claim_count=0,
        relation="owns",
        collection=collection,
    )


def people_line(rows: Sequence[PersonRow] | None) -> list[str]:
    """The line about whom to ask that a model reads; [] without any."""
    return [f"ask: {', '.join(map(_to_ask, rows))}"] if rows else []


def _to_ask(row: PersonRow) -> str:
    """The line for a model about somebody to ask, with the reason."""
    if row.entity_id is None:
        return f"{one_line(row.name)} ({row.type}): owns the files"
    who = name_and_id(row.name, row.entity_id)
    who = f"{ROLES[row.relation]} {who}" if row.relation else who
    facts = [one_line(f"via {row.via}")] if row.via else []
    facts += [count(row.claim_count, "claim")] if row.claim_count else []
    return f"{who}: {', '.join(facts)}" if facts else who


def show_people(page: Printer, rows: Sequence[PersonRow] | None) -> None:
    """Print the rows as a table."""
    if not rows:
        return
    several = any(row.collection is not None for row in rows)
    columns: dict[str, ColumnKind] = {"to ask": "key", "name": "short", "type": "short"}
    columns |= {"relation": "short", "via": "short", "claims": "number"}
    cells = []
    for row in rows:
        what = [
            row.entity_id or row.name,
            row.name,
            row.type,
            row.relation,
            row.via,
            row.claim_count,
        ]
        cells.append([*what, *([row.collection] if several else [])])
    page.table(columns | ({"collection": "whole"} if several else {}), cells, "person")
