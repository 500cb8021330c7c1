"""Rankings as they go over the wire."""

from __future__ import annotations

from vouch_sidecar.engine.pushes import SaliencePush, StatusPush
from vouch_sidecar.operations import wire
from vouch_sidecar.retrieval.experts import Contribution, Expert
from vouch_sidecar.retrieval.salience import Salient

__all__ = ["expert_row", "salience_notification", "salient_row", "status_notification"]

EXPLAINED_CLAIMS = 10
_FORMULAS = {
    "count": "sum, where every matching claim adds 1",
    "recency": "sum, where a claim adds 2^(-age in days / 30)",
    "citation": "sum, where a claim adds its distinct evidence ids × its confidence",
    "evidence": (
        "sum × focus, where a claim adds confidence × coverage × form × frequency × lead, "
        "and one that repeats another nothing; focus is 1/√(1 + 30 × own_claims / all_claims)"
    ),
}


def expert_row(expert: Expert, many: bool, explain: bool) -> wire.ExpertRow:
    """A row of `experts`."""
    return wire.ExpertRow(
        entity_id=expert.entity.id,
        name=expert.entity.name,
        type=expert.entity.type,
        claim_count=expert.claim_count,
        citation_count=expert.citation_count,
        score=expert.score,
        top_claim_ids=[c.claim.id for c in expert.contributions[:3]],
        collection=expert.view.collection if many else None,
        explain=_explain(expert) if explain else None,
    )


def _explain(expert: Expert) -> wire.ExpertExplain:
    return wire.ExpertExplain(
        weight=expert.weight,
        formula=_FORMULAS[expert.weight],
        factors=dict(expert.factors),
        named=expert.named,
        claims=[_explained(c) for c in expert.contributions[:EXPLAINED_CLAIMS]],
    )


def _explained(contribution: Contribution) -> wire.ExplainedClaim:
    return wire.ExplainedClaim(
        claim_id=contribution.claim.id,
        contribution=contribution.amount,
        factors=dict(contribution.factors),
        coverage=contribution.coverage,
        matched=list(contribution.matched),
        arm="entity" if contribution.named else "text",
        link=contribution.linked_by,
    )


def salient_row(row: Salient, many: bool) -> wire.SalientEntity:
    """A row of `salience`."""
    return wire.SalientEntity(
        entity_id=row.entity.id,
        claim_count=row.claim_count,
        top_claim_id=row.top_claim_id,
        name=row.entity.name,
        type=row.entity.type,
        score=row.score,
        arm=row.arm,
        matched=list(row.matched),
        why=row.why,
        ambiguous=row.ambiguous,
        collection=row.view.collection if many else None,
    )


def salience_notification(push: SaliencePush) -> wire.DidChangeSalience:
    """`vouch/didChangeSalience`."""
    return wire.DidChangeSalience(
        session_id=push.session_id,
        salience=[salient_row(row, push.many) for row in push.rows],
        fresh=[salient_row(row, push.many) for row in push.fresh],
        text=push.speech.text,
        generation=push.generation,
    )


def status_notification(push: StatusPush) -> wire.DidChangeStatus:
    """`vouch/didChangeStatus`."""
    return wire.DidChangeStatus(
        health=push.health,
        quiescent=push.quiescent,
        message=push.message,
        generation=push.generation,
    )
