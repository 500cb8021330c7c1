"""Whether answers are those of the slow, plain reference implementation of the tests."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.store import Store

from benchmarks.sidecar import Answers
from tests.reference import Reference

__all__ = ["differing"]


def differing(root: Path, answers: Answers) -> list[str]:
    """Topic and weight of every answer that is another than it should be.

    For the entities that claims declare: the reference takes minutes to find those they name,
    which the tests of `vouch_sidecar.index` compare in small knowledge bases.
    """
    plain = Reference(Store(root / ".vouch").reconcile().change.upserts)
    now = time.time()
    return [
        f"{topic} ({weight})"
        for (topic, weight), rows in answers.items()
        if _plain(plain.experts(topic, now, weight, "declared", Viewer().gates)[: len(rows) or 1])
        != [_of(row) for row in rows]
    ]


def _plain(rows: list[Any]) -> list[tuple[Any, ...]]:
    return [(e, n, cited, round(score, 6), tuple(top)) for e, n, cited, score, top in rows]


def _of(row: dict[str, Any]) -> tuple[Any, ...]:
    return (
        row["entity_id"],
        row["claim_count"],
        row["citation_count"],
        row["score"],
        tuple(row["top_claim_ids"]),
    )
