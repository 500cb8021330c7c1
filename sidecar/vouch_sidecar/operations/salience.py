"""Rank what is in play in a session of texts, the newest last."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from vouch_sidecar.operations.operation import Operation, OperationCall
from vouch_sidecar.operations.table import Shown, Table, by_collection
from vouch_sidecar.operations.wire import (
    EntityRow,
    InvalidParamsError,
    Params,
    Result,
    SalienceMeta,
)
from vouch_sidecar.retrieval.line import ArmName
from vouch_sidecar.retrieval.salience import CLAIM_CHARS


class SalienceParams(Params):
    """Which session's window to rank."""

    top_k: int | None = Field(
        default=None, ge=1, le=20, description="Entities at most; by default what the config says."
    )


class SalientEntity(EntityRow, SalienceMeta):
    """An entity in play, and why."""

    score: float = Field(ge=0, le=1, description="Strength of the evidence on an absolute scale.")
    arm: ArmName = Field(description="How the window names it; `text` is full text.")
    matched: list[str] = Field(description="The words that named it, newest first.")
    why: str = Field(description="The evidence and its factors, readable.")
    ambiguous: bool = Field(description="Whether what named it names other entities as well.")
    claim: str | None = Field(
        description=f"What its top claim says, at most {CLAIM_CHARS} characters."
    )


class SalienceResult(Result):
    """Entities in play in a session, strongest first."""

    session_id: str = Field(description="The session that was ranked.")
    salience: list[SalientEntity] = Field(default_factory=list, description="Strongest first.")


def answer(ask: OperationCall, params: SalienceParams) -> SalienceResult:
    if (session_id := ask.session_id) is None:
        raise InvalidParamsError({"session_id": "is missing"}, missing=True)
    ask.engine.sessions.get(session_id)  # asking is activity
    ranking = ask.engine.salience(ask.served, session_id, params.top_k)
    return SalienceResult(
        session_id=session_id, salience=[SalientEntity(**row.fields) for row in ranking]
    )


def table(result: SalienceResult) -> list[Shown]:
    return [salience_table(result.salience)]


def salience_table(rows: Sequence[SalientEntity], section: str = "") -> Table:
    """The table of entities in play."""
    cells = [
        (
            *(row.entity_id, row.name, row.type, f"{row.score:.2f}", row.claim_count),
            *(row.top_claim_id, ", ".join(row.matched), row.claim, row.collection),
        )
        for row in rows
    ]
    return by_collection(
        any(row.collection is not None for row in rows),
        {
            "entity": "key",
            "name": "short",
            "type": "short",
            "score": "number",
            "claims": "number",
            "top claim": "whole",
            "named by": "short",
            "text": "text",
            "collection": "whole",
        },
        cells,
        section,
    )


OPERATION = Operation(
    name="salience",
    summary="Entities in play in a session.",
    params=SalienceParams,
    result=SalienceResult,
    run=answer,
    when="Call it to see which entities the last turns of a session are about; session_id is "
    "needed. Not for a fresh question: nothing is in play before texts came in with the same "
    "session_id.",
    example={"session_id": "agent-7"},
    table=table,
    nothing="Nothing known is in play.",
    is_of_session=True,
    requires_session=True,
    needs=frozenset({"topics"}),
)
