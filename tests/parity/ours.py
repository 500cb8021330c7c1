"""Our side of a comparison: a loaded engine on the oracle's knowledge base, clock frozen."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.operations import OPERATIONS, as_json, perform
from vouch_sidecar.retrieval.people.topic_matches import Question, matching

from tests.oracle import OracleKb, now

Row = dict[str, Any]
"""A row of `experts`: the seven keys of the contract."""


class Sidecar:
    """Answers from the files as they stood when this was made."""

    def __init__(self, kb: OracleKb, *, agent: str | None = None) -> None:
        self._engine = Engine(env={}, now=now)
        self._engine.registry.add_root(kb.root)
        self._engine.load()
        self._caller = Caller(viewer=Viewer(agent=agent))

    def call(self, operation: str, **params: Any) -> dict[str, Any]:
        """The result of an operation as every surface gives it."""
        return as_json(perform(self._engine, OPERATIONS[operation], params, self._caller))

    def experts(self, topic: str, weight: str = "count", **params: Any) -> list[Row]:
        """Rows under linking `declared`, which is what vouch does."""
        rows: list[Row] = self.call(
            "experts", topic=topic, weight=weight, **({"linking": "declared"} | params)
        )["experts"]
        return rows

    def salience(self, *texts: str, top_k: int = 3) -> list[Row]:
        """Rows of `salience` in a session that holds these texts."""
        for text in texts:
            self._engine.observe("parity", None, text)
        rows: list[Row] = self.call("salience", session_id="parity", top_k=top_k)["salience"]
        return rows

    def matched(self, topic: str) -> list[str]:
        """Ids of all declared claims that match a topic."""
        question = Question(topic, now(), linking="declared")
        served = self._engine.serving(self._caller)
        found = matching([kb.view for kb in served], question)
        return sorted({each.claim.id for match in found.in_views for each in match.claims})


def by_score(rows: list[Row]) -> list[tuple[float, list[Row]]]:
    """Rows of equal score as a set: in the order of their ids."""
    groups: defaultdict[float, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["score"]].append(row)
    return [
        (score, sorted(groups[score], key=lambda row: str(row["entity_id"]))) for score in groups
    ]
