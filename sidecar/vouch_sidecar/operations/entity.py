"""Show an entity: whom to ask, its claims, pages, relations."""

from __future__ import annotations

import shlex

from pydantic import Field

from vouch_sidecar.kb.records import Entity, Kind
from vouch_sidecar.kb.sanitize import clip, count, one_line
from vouch_sidecar.operations.artifacts import (
    ArtifactViews,
    ClaimView,
    IdParams,
    PageRef,
    RelationRef,
    around,
    find,
)
from vouch_sidecar.operations.operation import Operation, OperationCall
from vouch_sidecar.operations.people import (
    AuthorRow,
    PersonRow,
    author_rows,
    by_commits_field,
    people_rows,
    people_shown,
)
from vouch_sidecar.operations.table import (
    CELL_CHARS,
    FileUri,
    Marked,
    Shown,
    Table,
    Words,
    labelled,
)
from vouch_sidecar.operations.wire import Result, Wire, absent
from vouch_sidecar.retrieval.people.of_files import about_entity, authors, owners
from vouch_sidecar.retrieval.people.to_ask import PERSON, people

BEST_CLAIMS = 20


class EntityView(Wire):
    """An entity."""

    id: str
    name: str
    type: str
    aliases: list[str]
    description: str | None
    uri: str | None = Field(description="Its file; a topic has none.")


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
    view, entity = find(ask.views, Kind.ENTITY, params.id, all_read=ask.engine.registry.complete)
    assert isinstance(entity, Entity)
    views, topic = ArtifactViews(view), view.derived.get(entity.id)
    about = [about_entity(view, entity)]
    owned = [] if entity.type == PERSON else owners(about)
    name = shlex.quote(one_line(entity.name))
    proposal = f"vouch-kb propose-entity --name {name} --type concept"
    return EntityResult(
        entity=EntityView(
            id=entity.id,
            name=entity.name,
            type=entity.type,
            aliases=list(entity.aliases),
            description=entity.description,
            uri=views.uri(entity.path) if topic is None else None,
        ),
        people=people_rows(people(view, entity), (owner for _, owner in owned)),
        by_commits=author_rows(authors(about)),
        claim_count=view.search.claim_count(entity.id),
        claims=[views.claim(claim) for claim in view.texts.best_claims(entity.id, most)],
        pages=views.pages((Kind.ENTITY, entity.id)),
        relations=views.relations(entity.id),
        collection=view.collection,
        why=None if topic is None else topic.why,
        propose=None if topic is None else proposal,
    )


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
    undeclared = f"not declared: {result.why}"
    return [
        Words(f"{entity.name} · {entity.type} · {entity.id}", "bold", record),
        *([Words(undeclared, record=("topic", result.why, result.propose))] if result.why else []),
        Words(result.propose or "", to="people", whole=True),
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
