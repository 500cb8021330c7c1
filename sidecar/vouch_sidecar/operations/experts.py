"""Rank entities by the evidence they carry on a topic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field, PrivateAttr

from vouch_sidecar.kb.records import Entity
from vouch_sidecar.kb.sanitize import clip
from vouch_sidecar.operations.operation import Operation, OperationCall
from vouch_sidecar.operations.people import BY_COMMITS, people_shown
from vouch_sidecar.operations.table import Shown, Table, Words, by_collection, marked
from vouch_sidecar.operations.wire import (
    EntityRow,
    Result,
    SinceParams,
    TopicText,
    Wire,
    absent,
)
from vouch_sidecar.retrieval.people.rows import Author, PersonToAsk
from vouch_sidecar.retrieval.people.weights import WEIGHTS

if TYPE_CHECKING:  # the help of a command imports none of it
    from vouch_sidecar.retrieval.people.experts import Expert

TOP_CLAIMS, EXPLAINED_CLAIMS = 3, 10
QUOTED_CHARS = 160


class ExpertsParams(SinceParams):
    """A topic to rank entities on."""

    topic: TopicText = Field(description="Words, a name, or the path of a file; not blank.")
    limit: int = Field(default=10, ge=1, le=100, description="Rows at most.")
    min_claims: int = Field(default=1, ge=1, description="Matching claims that a row needs.")
    weight: str = Field(
        default="count",
        description="What a matching claim adds. "
        + "".join(f"{name}: {weight.adds}; " for name, weight in WEIGHTS.items())
        + "anything else is read as count.",
        json_schema_extra={"x-titles": {name: weight.title for name, weight in WEIGHTS.items()}},
    )
    types: list[str] | None = Field(
        default=None, description="Only entities of these types, such as person, team or system."
    )
    linking: Literal["auto", "declared"] = Field(
        default="auto",
        description="`declared`: a claim counts only for entities that it declares.",
    )
    explain: bool = Field(default=False, description="Adds `explain` to every row.")


class ExplainedClaim(Wire):
    """How one matching claim counted for an entity."""

    claim_id: str
    contribution: float = Field(description="What it added to the sum, before rounding.")
    factors: dict[str, float] = Field(description="The figures whose product it added.")
    arm: Literal["entity", "text"] = Field(
        description="Whether the topic names an entity or a file of it, or its words match."
    )
    link: Literal["declared", "named", "page", "derived"] = Field(
        description="Why it counts, as in `claim`; derived: for a topic."
    )


class ExpertRow(EntityRow):
    """An entity and the evidence it carries on the topic."""

    claim_count: int = Field(description="Matching live, visible claims linked to it.")
    citation_count: int = Field(description="Distinct evidence ids over those claims.")
    score: float = Field(description="Under the weight asked for, rounded to 6 places.")
    top_claim_ids: list[str] = Field(description="The three largest contributions.")
    explain: list[ExplainedClaim] | None = absent(
        "Present when asked for: the largest contributions to the sum, at most ten."
    )


class ExpertsResult(Result):
    """Entities by evidence, best first."""

    experts: list[ExpertRow] = Field(default_factory=list, description="Best first.")
    people: list[PersonToAsk] | None = absent(
        "Whom to ask about the entities that the topic names, as in `entity`; then owners by "
        "CODEOWNERS of its files."
    )
    unmatched: list[str] | None = absent(
        "Words of the topic that nothing here holds; they are left out."
    )
    unknown: list[str] | None = absent(
        "A sentence for each weight and type asked for that there is not, with the nearest."
    )
    by_commits: list[Author] | None = absent(BY_COMMITS)
    _quoted: list[tuple[str, str]] = PrivateAttr(default_factory=list)
    """For a model, what is said of the top claims."""


def answer(ask: OperationCall, params: ExpertsParams) -> ExpertsResult:
    from vouch_sidecar.operations.call import not_known
    from vouch_sidecar.retrieval.people.experts import matching, ranked_experts
    from vouch_sidecar.retrieval.people.whom_to_ask import authors, people, with_owners
    from vouch_sidecar.text.prompt_text import without_asking

    ask, types = ask.since(params.since), params.types
    matches, unmatched = matching(ask.views, without_asking(ask.text), params.linking)
    ranked = ranked_experts(matches, params.weight, params.limit, params.min_claims, types)
    about = [match.about for match in matches]
    named = [row for match in matches for row in people(match.view, *match.named)]
    asked = [row for row in with_owners(named, about) if types is None or row.type in types]
    unknown = not_known("weight, and counts as count", [params.weight], WEIGHTS)
    if types and ask.complete:
        seen = {e.type for v in ask.views for e in v.knowledge.all_of(Entity)}
        unknown += not_known("type of an entity here", types, seen | {"person", "team", "topic"})
    result = ExpertsResult(
        experts=[_row(expert, params) for expert in ranked],
        people=asked or None,
        unmatched=(ask.complete and unmatched) or None,
        unknown=unknown or None,
        by_commits=authors(about) or None,
        degraded=[] if params.weight in WEIGHTS else ["unknown_weight"],
    )
    for expert in ranked if ask.caller.is_model else ():
        for adds in expert.largest(TOP_CLAIMS):
            claim, view = adds.claim, expert.view
            said = clip(view.shown(claim).text, QUOTED_CHARS)
            result._quoted.append((claim.id, marked(said, view.shown_collection)))
    return result


def _row(expert: Expert, params: ExpertsParams) -> ExpertRow:
    links, is_topic = expert.view.knowledge.links, expert.view.is_topic(expert.entity.id)
    largest = expert.largest(EXPLAINED_CLAIMS if params.explain else TOP_CLAIMS)
    cited = {ref for adds in expert.contributions for ref in adds.claim.evidence}
    return ExpertRow(
        entity_id=expert.entity.id,
        name=expert.entity.name,
        type=expert.entity.type,
        claim_count=len(expert.contributions),
        citation_count=len(cited),
        score=expert.score,
        top_claim_ids=[adds.claim.id for adds in largest[:TOP_CLAIMS]],
        collection=expert.view.shown_collection,
        explain=[
            ExplainedClaim(
                claim_id=adds.claim.id,
                contribution=adds.amount,
                factors=dict(adds.factors),
                arm="entity" if adds.named else "text",
                link="derived" if is_topic else links(adds.claim.id)[1],
            )
            for adds in largest
        ]
        if params.explain
        else None,
    )


def table(result: ExpertsResult) -> list[Shown]:
    explained = [
        (
            *(row.entity_id, adds.claim_id, f"{adds.contribution:g}"),
            " × ".join(f"{name} {value:g}" for name, value in adds.factors.items()),
            *(adds.arm, adds.link),
        )
        for row in result.experts
        for adds in row.explain or ()
    ]
    cells = [
        [
            *(row.entity_id, row.name, row.type, row.claim_count, row.citation_count),
            *(f"{row.score:g}", row.collection),
            ", ".join(row.top_claim_ids),
        ]
        for row in result.experts
    ]
    return [
        by_collection(
            any(row.collection is not None for row in result.experts),
            {
                "entity": "key",
                "name": "short",
                "type": "short",
                "claims": "number",
                "citations": "number",
                "score": "number",
                "collection": "whole",
                "top claims": "ids",
            },
            cells,
            "expert" if explained else "",
        ),
        Table(
            {
                "entity": "key",
                "claim": "key",
                "adds": "number",
                "factors": "whole",
                "matched by": "whole",
                "link": "whole",
            },
            explained,
            "claim",
        ),
        *people_shown(result.people, result.by_commits),
        Table({"claim": "key", "text": "text"}, [*dict.fromkeys(result._quoted)], to="model"),
        *(
            [Words(f"not known here: {', '.join(result.unmatched)}", aside=True)]
            if result.unmatched
            else []
        ),
        *(Words(said, aside=True) for said in result.unknown or ()),
    ]


OPERATION = Operation(
    name="experts",
    summary="Entities ranked by the evidence they carry on a topic.",
    params=ExpertsParams,
    result=ExpertsResult,
    run=answer,
    when="Call it to learn what a subject hangs on, what to read first, or whom to ask: `people`, "
    "else weight evidence. The topic is a name, a few words or a path. Not for finding one "
    "document (kb_search), nor for a whole prompt (kb_context).",
    example={"topic": "rate limiter", "limit": 2, "session_id": "agent-7"},
    table=table,
    nothing="No entity carries evidence on this topic.",
    is_long=True,
    text_field="topic",
    needs=frozenset({"ties", "topics"}),
)
