"""Show an entity: whom to ask, its claims, pages, relations."""

from __future__ import annotations

import shlex

from pydantic import Field

from vouch_sidecar.kb.records import Entity, Kind
from vouch_sidecar.kb.sanitize import clip, count, one_line
from vouch_sidecar.operations.artifacts import (
    ArtifactViews,
    ClaimView,
    EntityView,
    IdParams,
    PageRef,
    RelationRef,
    around,
)
from vouch_sidecar.operations.id_or_name import find
from vouch_sidecar.operations.operation import Operation, OperationCall
from vouch_sidecar.operations.people import (
    AuthorRow,
    PersonRow,
    author_rows,
    by_commits_field,
    owner_row,
    people_shown,
    person_row,
)
from vouch_sidecar.operations.table import (
    CELL_CHARS,
    ColumnKind,
    FileUri,
    Marked,
    Shown,
    Table,
    Words,
)
from vouch_sidecar.operations.wire import Result, absent
from vouch_sidecar.retrieval.people.authors import authors_about
from vouch_sidecar.retrieval.people.owners import owners_about
from vouch_sidecar.retrieval.people.to_ask import PERSON, people
from vouch_sidecar.retrieval.view import View

BEST_CLAIMS = 20


class EntityResult(Result):
    """An entity with what is known of it."""

    entity: EntityView
    people: list[PersonRow] = Field(
        description="Whom to ask: people by claims, owners and their teams' people, then owners "
        "by CODEOWNERS."
    )
    by_commits: list[AuthorRow] | None = by_commits_field()
    claim_count: int = Field(description="Live, visible claims linked to it.")
    claims: list[ClaimView] = Field(description="The best of them, at most twenty.")
    pages: list[PageRef]
    relations: list[RelationRef] = Field(description="Those that begin or end here.")
    collection: str | None = Field(description="The knowledge base it stands in.")
    why: str | None = absent("Present for a topic: where the name was found.")
    propose: str | None = absent("Present for a topic: the command line that declares it.")


def answer(ask: OperationCall, params: IdParams, most: int = BEST_CLAIMS) -> EntityResult:
    """The result, with at most `most` claims."""
    view, artifact = find(ask.views, Kind.ENTITY, params.id, all_read=ask.engine.registry.complete)
    assert isinstance(artifact, Entity)
    views, best = ArtifactViews(view), view.texts.best_claims(artifact.id, most)
    topic = view.derived.get(artifact.id)
    return EntityResult(
        entity=views.entity(artifact),
        people=_people(view, artifact),
        by_commits=author_rows(authors_about(view, artifact)),
        claim_count=view.search.claim_count(artifact.id),
        claims=[views.claim(claim) for claim in best],
        pages=views.pages((Kind.ENTITY, artifact.id)),
        relations=views.relations(artifact.id),
        collection=view.collection,
        why=topic.why if topic is not None else None,
        propose=_proposal(artifact.name) if topic is not None else None,
    )


def _people(view: View, entity: Entity) -> list[PersonRow]:
    owners = [] if entity.type == PERSON else owners_about(view, entity)
    return [*map(person_row, people(view, entity)), *map(owner_row, owners)]


def _proposal(name: str) -> str:
    """The command line that proposes an entity, quoted for a shell."""
    return f"vouch-kb propose-entity --name {shlex.quote(one_line(name))} --type concept"


def table(result: EntityResult) -> list[Shown]:
    entity, total, shown = result.entity, result.claim_count, len(result.claims)
    file = None if entity.uri is None else FileUri(entity.uri)
    record = ("entity", entity.id, entity.name, entity.type, file, entity.description)
    order = f", the {shown} best" if shown < total else ", the best first" if total > 1 else ""
    claims = [
        (
            *(claim.id, claim.status, f"{claim.confidence:g}", (claim.date or "")[:10]),
            Marked(claim.said, claim.stale),
        )
        for claim in result.claims
    ]
    columns: dict[str, ColumnKind] = {"claim": "key", "status": "whole", "confidence": "number"}
    undeclared = f"not declared: {result.why}"
    return [
        Words(f"{entity.name} · {entity.type} · {entity.id}", "bold", record),
        *([Words(undeclared, record=("topic", result.why, result.propose))] if result.why else []),
        *([Words(result.propose, to="people", whole=True)] if result.propose else []),
        *([Words(f"in {result.collection}", to="model")] if result.collection else []),
        *(
            [Words(f"also {', '.join(entity.aliases)}", record=("aliases", *entity.aliases))]
            if entity.aliases
            else []
        ),
        *([Words(clip(entity.description, CELL_CHARS))] if entity.description else []),
        *([Words(file)] if file is not None else []),
        *people_shown(result.people, result.by_commits),
        *([Words(count(total, "live claim") + order)] if total else []),
        Table(columns | {"date": "whole", "text": "text"}, claims, "claim"),
        *around(result.pages, result.relations),
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
