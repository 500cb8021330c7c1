"""Rankings of entities: experts on a topic, and what is in play in a session."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from vouch_sidecar.operations.wire.base import ABSENT, Arm, Params, Result, Sparse, Topic, Wire

__all__ = [
    "ExpertExplain",
    "ExpertRow",
    "ExpertsParams",
    "ExpertsResult",
    "ExplainedClaim",
    "SalienceParams",
    "SalienceResult",
    "SalientEntity",
]


class ExpertsParams(Params):
    """A topic to rank entities on."""

    topic: Topic = Field(description="Words or a name; must not be blank. 16,384 characters count.")
    limit: int = Field(default=10, ge=1, le=100, description="Rows at most.")
    min_claims: int = Field(default=1, ge=1, description="Matching claims that a row needs.")
    weight: str = Field(
        default="count",
        description="count, recency, citation or evidence; anything else is read as count.",
    )
    types: list[str] | None = Field(default=None, description="Only entities of these types.")
    linking: Literal["auto", "declared"] = Field(
        default="auto",
        description="Whether a claim that declares no known entity counts for those it names.",
    )
    explain: bool = Field(default=False, description="Adds `explain` to every row.")


class ExplainedClaim(Wire):
    """How one matching claim counted for an entity."""

    claim_id: str
    contribution: float = Field(description="What it added to the sum, before rounding.")
    factors: dict[str, float] = Field(description="The figures whose product it added.")
    coverage: float = Field(
        description="Share of the topic's words, by rarity, that it holds; 1 where a name matched."
    )
    matched: list[str] = Field(description="Words of the topic that it holds.")
    arm: Literal["entity", "text"] = Field(
        description="entity: the topic names an entity of it; text: its words match."
    )
    link: Literal["declared", "named", "page"] = Field(
        description="Why it counts for the entity: declared, named in its text, a page."
    )


class ExpertExplain(Wire):
    """The arithmetic behind a row."""

    weight: str = Field(description="The weight that was applied.")
    formula: str = Field(description="How the score follows from the factors.")
    factors: dict[str, float] = Field(description="The figures that the formula names.")
    named: bool = Field(description="Whether the topic names this entity.")
    claims: list[ExplainedClaim] = Field(description="The largest contributions, at most ten.")


class ExpertRow(Sparse):
    """An entity and the evidence it carries on the topic."""

    entity_id: str
    name: str
    type: str
    claim_count: int = Field(description="Matching live, visible claims linked to it.")
    citation_count: int = Field(description="Distinct evidence ids over those claims.")
    score: float = Field(description="Under the weight asked for, rounded to 6 places.")
    top_claim_ids: list[str] = Field(description="The three largest contributions.")
    collection: str | None = Field(
        default=None, json_schema_extra=ABSENT, description="Present with several knowledge bases."
    )
    explain: ExpertExplain | None = Field(
        default=None, json_schema_extra=ABSENT, description="Present when asked for."
    )


class ExpertsResult(Result):
    """Entities by evidence, best first."""

    experts: list[ExpertRow] = Field(default_factory=list, description="Best first.")


class SalienceParams(Params):
    """Which session's window to rank."""

    top_k: int | None = Field(
        default=None, ge=1, le=20, description="Entities at most; by default what the config says."
    )


class SalientEntity(Sparse):
    """An entity in play, and why."""

    entity_id: str
    claim_count: int = Field(description="Live, visible claims linked to it.")
    top_claim_id: str | None = Field(
        description="The claim that shares most with the newest text that names the entity."
    )
    name: str
    type: str
    score: float = Field(ge=0, le=1, description="Strength of the evidence on an absolute scale.")
    arm: Arm = Field(description="How the window names it; `text` is full text.")
    matched: list[str] = Field(description="The words that named it, newest first.")
    why: str = Field(description="The evidence and its factors, readable.")
    ambiguous: bool = Field(description="Whether what named it names other entities as well.")
    collection: str | None = Field(
        default=None, json_schema_extra=ABSENT, description="Present with several knowledge bases."
    )


class SalienceResult(Result):
    """Entities in play in a session, strongest first."""

    session_id: str = Field(description="The session that was ranked.")
    salience: list[SalientEntity] = Field(default_factory=list, description="Strongest first.")
