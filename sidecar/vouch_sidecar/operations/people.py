"""What is shown of people to ask, owners of files and authors of commits."""

from __future__ import annotations

from collections.abc import Sequence

from vouch_sidecar.kb.sanitize import count
from vouch_sidecar.operations.table import Shown, Table, Words
from vouch_sidecar.retrieval.people.rows import Author, PersonToAsk

BY_COMMITS = (
    "Who committed to the files of these claims, who knows them best first; for models only where "
    "`people.git` is `agents`."
)


def people_shown(
    people: Sequence[PersonToAsk] | None, authors: Sequence[Author] | None
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
            to="people",
        ),
        *([Words(f"by commits: {', '.join(wrote)}", to="model")] if wrote else []),
        Table(
            {"by commits": "short", "commits": "number", "last": "whole", "files": "number"},
            [(row.name, row.commits, row.last, row.files) for row in authors or ()],
            "by_commits",
            to="people",
        ),
    ]
