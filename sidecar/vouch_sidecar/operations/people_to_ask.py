"""Whom to ask: the rows of people and owners in answers, and their table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import Field

from vouch_sidecar.kb.sanitize import count
from vouch_sidecar.operations.table import ColumnKind, Reader, Shown, Table, Words
from vouch_sidecar.operations.wire import Wire, absent

if TYPE_CHECKING:
    from vouch_sidecar.retrieval.people.owners import FileOwner
    from vouch_sidecar.retrieval.people.to_ask import PersonToAsk

_ROLE = {
    "owned by": "owner",
    "maintained by": "maintainer",
    "led by": "lead",
    "with": "of the same team",
}
"""What somebody is, by how the relation reads from the entity to them."""


class PersonRow(Wire):
    """Somebody to ask."""

    entity_id: str | None = Field(description="null: an owner by CODEOWNERS.")
    name: str = Field(
        description="Of an owner by CODEOWNERS the handle, as in `octo-org/octocats`."
    )
    type: str
    via: str | None = Field(
        description="The team through which somebody was found, or the pattern of CODEOWNERS."
    )
    claim_count: int = Field(description="Claims that count for both.")
    relation: str | None = Field(
        description="Label of the relation, such as `owned_by`; `owns`: by CODEOWNERS."
    )
    said: str = Field(description="Why to ask them, for people.")
    collection: str | None = absent("Present with several knowledge bases.")


def person_row(row: PersonToAsk, collection: str | None = None) -> PersonRow:
    """A person as a row, with the collection where there are several."""
    return PersonRow(
        entity_id=row.entity.id,
        name=row.entity.name,
        type=row.entity.type,
        via=row.via.id if row.via is not None else None,
        claim_count=row.claim_count,
        relation=row.relation,
        said=_why(row),
        collection=collection,
    )


def _why(row: PersonToAsk) -> str:
    """Why to ask a person."""
    from vouch_sidecar.retrieval.people.to_ask import ROLES

    parts = [_ROLE[ROLES[row.relation]]] if row.relation else []
    parts += [f"via {row.via.name}"] if row.via is not None else []
    parts += [count(row.claim_count, "claim")] if row.claim_count else []
    return ", ".join(parts)


def owner_row(owner: FileOwner, collection: str | None = None) -> PersonRow:
    """An owner of code as a row, with the collection where there are several."""
    return PersonRow(
        entity_id=None,
        name=owner.handle,
        type="team" if owner.is_team else "person",
        via=owner.pattern,
        claim_count=0,
        relation="owns",
        said="owner of the files",
        collection=collection,
    )


def people_table(rows: Sequence[PersonRow] | None, to: Reader = "all") -> list[Shown]:
    """The table of those to ask."""
    if not rows:
        return []
    several = any(row.collection is not None for row in rows)
    columns: dict[str, ColumnKind] = {"to ask": "key", "name": "short", "type": "short"}
    columns |= {"relation": "short", "via": "short", "claims": "number"}
    columns |= {"collection": "whole"} if several else {}
    cells = [
        [
            *(row.entity_id or row.name, row.name, row.type),
            *(row.relation, row.via, row.claim_count),
            *([row.collection] if several else []),
        ]
        for row in rows
    ]
    who = [f"{row.name} ({row.said})" if row.said else row.name for row in rows]
    ask = Words(f"ask: {', '.join(who)}", to="model")
    return [ask, Table(columns, cells, "person", to="people" if to == "all" else to)]
