"""Show an entity: whom to ask, its claims, pages, relations."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from pydantic import Field

from vouch_sidecar.kb.records import Entity, Kind
from vouch_sidecar.kb.sanitize import count, one_line
from vouch_sidecar.operations.artifacts import (
    ClaimView,
    EntityView,
    IdParams,
    PageRef,
    RelationRef,
    around,
    claim_line,
)
from vouch_sidecar.operations.commit_authors import (
    AuthorRow,
    author_line,
    author_rows,
    by_commits_field,
    show_authors,
)
from vouch_sidecar.operations.gist_lines import base_line, clipped
from vouch_sidecar.operations.id_or_name import find
from vouch_sidecar.operations.operation import Operation, OperationCall
from vouch_sidecar.operations.people_to_ask import (
    PersonRow,
    owner_row,
    people_line,
    person_row,
    show_people,
)
from vouch_sidecar.operations.printer import Printer
from vouch_sidecar.operations.wire import Result, absent
from vouch_sidecar.retrieval.people.authors import authors_about
from vouch_sidecar.retrieval.people.owners import owners_about
from vouch_sidecar.retrieval.people.to_ask import PERSON, people
from vouch_sidecar.retrieval.view import View

BEST_CLAIMS = 20
CLAIMS_FOR_MODELS = 5


class EntityResult(Result):
    """An entity with what is known of it."""

    entity: EntityView
    people: list[PersonRow] = Field(
        description="Whom to ask: people by claims, owners, people of teams that own it, then "
        "owners of the files of its claims by CODEOWNERS. Empty for a person."
    )
    by_commits: list[AuthorRow] | None = by_commits_field()
    claim_count: int = Field(description="Live, visible claims linked to it.")
    claims: list[ClaimView] = Field(description="The best of them, at most twenty.")
    pages: list[PageRef]
    relations: list[RelationRef] = Field(description="Those that begin or end here.")
    collection: str | None = Field(description="The knowledge base it stands in.")
    why: str | None = absent("Present for a topic: where the name was found.")
    propose: str | None = absent("Present for a topic: the command line that declares it.")


def answer(ask: OperationCall, params: IdParams) -> EntityResult:
    view, artifact = find(ask.views, Kind.ENTITY, params.id, all_read=ask.engine.registry.complete)
    assert isinstance(artifact, Entity)
    views, best = ask.views_for(view), view.texts.best_claims(artifact.id, BEST_CLAIMS)
    topic = view.derived.get(artifact.id)
    return EntityResult(
        entity=views.entity(artifact),
        people=_people(view, artifact),
        by_commits=author_rows(authors_about(view, artifact)),
        claim_count=view.counts.claims_of(artifact.id),
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


def gist(result: EntityResult, views: Sequence[View]) -> list[str]:
    entity, total = result.entity, result.claim_count
    about = f": {clipped(entity.description)}" if entity.description else ""
    best = f", the {CLAIMS_FOR_MODELS} best" if total > CLAIMS_FOR_MODELS else ""
    pages = ", ".join(one_line(page.title) for page in result.pages)
    return [
        f"{one_line(entity.name)} ({one_line(entity.type)}, {one_line(entity.id)}){about}",
        *([f"not declared: {one_line(result.why)}"] if result.why else []),
        *people_line(result.people),
        *author_line(result.by_commits),
        count(total, "live claim") + best,
        *map(claim_line, result.claims[:CLAIMS_FOR_MODELS]),
        *([f"pages: {pages}"] if pages else []),
        *base_line(result.collection, Kind.ENTITY, entity.id, views),
    ]


def show(page: Printer, result: EntityResult) -> None:
    entity = result.entity
    file = page.file(entity.uri) if entity.uri is not None else None
    page.line((entity.name, "bold"), f"{entity.type} · {entity.id}")
    if entity.aliases:
        page.line(page.clipped("also " + ", ".join(entity.aliases)))
    if entity.description:
        page.line(page.clipped(entity.description))
    if file is not None:
        page.uncut(file)
    elif result.why and result.propose:
        page.line(page.clipped(f"not declared: {result.why}"))
        page.uncut(result.propose)
    page.record("entity", entity.id, entity.name, entity.type, file, entity.description)
    if result.why:
        page.record("topic", result.why, result.propose)
    if entity.aliases:
        page.record("aliases", *entity.aliases)
    if result.people:
        page.space()
        show_people(page, result.people)
    show_authors(page, result.by_commits)
    if result.claims:
        page.space()
        total, shown = result.claim_count, len(result.claims)
        order = f", the {shown} best" if shown < total else ", the best first" if total > 1 else ""
        page.line(count(total, "live claim") + order)
        page.space()
        page.table(
            {
                "claim": "key",
                "status": "whole",
                "confidence": "number",
                "date": "whole",
                "text": "text",
            },
            [
                (
                    claim.id,
                    claim.status,
                    f"{claim.confidence:g}",
                    (claim.date or "")[:10],
                    page.marked(claim.said, claim.stale),
                )
                for claim in result.claims
            ],
            "claim",
        )
    around(page, result.pages, result.relations)


OPERATION = Operation(
    name="entity",
    summary="An entity with whom to ask, its claims, pages and relations.",
    params=IdParams,
    result=EntityResult,
    run=answer,
    when="Call it with an entity_id, a name or an alias, for whom to ask, claims, pages and "
    "relations. Not to browse.",
    example={"id": "rate-limiter"},
    gist_from_views=gist,
    show=show,
    needs=frozenset({"ties"}),
)
