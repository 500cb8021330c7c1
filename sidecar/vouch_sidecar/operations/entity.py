"""Show an entity: whom to ask, its claims, pages, relations."""

from __future__ import annotations

from pydantic import Field

from vouch_sidecar.kb.records import Entity, Kind
from vouch_sidecar.kb.sanitize import clip, count
from vouch_sidecar.operations.artifacts import (
    ArtifactResult,
    ClaimView,
    IdParams,
    around,
    claim_view,
    find,
    shown_around,
    uri_of,
)
from vouch_sidecar.operations.operation import Operation, OperationCall
from vouch_sidecar.operations.people import people_shown
from vouch_sidecar.operations.table import (
    CELL_CHARS,
    FileUri,
    Shown,
    Table,
    Words,
    labelled,
    marked,
)
from vouch_sidecar.operations.wire import Wire, absent

BEST_CLAIMS = 20


class EntityView(Wire):
    """An entity."""

    id: str
    name: str
    type: str
    aliases: list[str]
    description: str | None
    uri: str | None = Field(description="Its file; a topic has none.")


class EntityResult(ArtifactResult):
    """An entity with what is known of it."""

    entity: EntityView
    claim_count: int = Field(description="Live, visible claims linked to it.")
    claims: list[ClaimView] = Field(description=f"The best of them, at most {BEST_CLAIMS}.")
    why: str | None = absent("Present for a topic: where the name was found.")


def answer(ask: OperationCall, params: IdParams, most: int = BEST_CLAIMS) -> EntityResult:
    """The result, with at most `most` claims."""
    view, entity = find(ask, Kind.ENTITY, params.id)
    assert isinstance(entity, Entity)
    topic, query = view.derived.get(entity.id), view.search.claims_of([entity.id])
    return EntityResult(
        entity=EntityView(
            id=entity.id,
            name=entity.name,
            type=entity.type,
            aliases=list(entity.aliases),
            description=entity.description,
            uri=uri_of(view, entity.path) if topic is None else None,
        ),
        claim_count=view.search.claim_count(entity.id),
        claims=[claim_view(view, claim) for claim in view.best_statements(query, most)],
        **around(view, entity),
        why=None if topic is None else topic.why,
    )


def table(result: EntityResult) -> list[Shown]:
    entity, total, shown = result.entity, result.claim_count, len(result.claims)
    file = None if entity.uri is None else FileUri(entity.uri)
    record = ("entity", entity.id, entity.name, entity.type, file, entity.description)
    order = f", {shown} shown" if shown < total else ", the best first" if total > 1 else ""
    claims = [
        (
            *(claim.id, claim.status, f"{claim.confidence:g}", (claim.date or "")[:10]),
            marked(claim.said, claim.stale),
        )
        for claim in result.claims
    ]
    return [
        Words(f"{entity.name} · {entity.type} · {entity.id}", "bold", record),
        *labelled("topic", [result.why], "not declared: {}"),
        Words(f"in {result.collection}", to="model"),
        *labelled("aliases", entity.aliases, "also {}"),
        Words(clip(entity.description or "", CELL_CHARS)),
        Words(file or ""),
        *people_shown(result.people, result.by_commits),
        *([Words(count(total, "live claim") + order)] if total else []),
        Table(
            {
                "claim": "key",
                "status": "whole",
                "confidence": "number",
                "date": "whole",
                "text": "text",
            },
            claims,
            "claim",
        ),
        *shown_around(result),
    ]


OPERATION = Operation(
    name="entity",
    summary="An entity with whom to ask, its claims, pages and relations.",
    params=IdParams,
    result=EntityResult,
    run=answer,
    when="Call it with an entity_id, a name or an alias, for whom to ask, claims, pages and "
    "relations. Not to browse.",
    example={"id": "rate-limiter"},
    table=table,
    needs=frozenset({"ties"}),
)
