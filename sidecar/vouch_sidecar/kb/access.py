"""Who may see what. No other module decides this."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from vouch_sidecar.kb.records import Artifact, Claim, Evidence, Key, Kind, Page, Relation, Source
from vouch_sidecar.kb.references import RELATION_ENDS
from vouch_sidecar.kb.sanitize import LONE_SURROGATE

LIVE_STATUSES = frozenset({"working", "actionable", "stable", "contested"})
LIVE_PAGE_STATUSES = frozenset({"draft", "active", "stale"})

Gated = Claim | Page | Source  # have a gate of their own; the links of others decide

OPEN = "open"
"""The gate that every viewer passes."""
_AGENT, _PROJECT = "agent:", "project:"


@dataclass(frozen=True, slots=True)
class Viewer:
    """The one who asks. A viewer sees an artifact whose gate is one of `gates`."""

    project: str | None = None
    agent: str | None = None

    @property
    def gates(self) -> frozenset[str]:
        named = ((_PROJECT, self.project), (_AGENT, self.agent))
        # A name that is no UTF-8, as one of an environment may be, is nobody's.
        return frozenset(
            {OPEN, *(of + name for of, name in named if name and not LONE_SURROGATE.search(name))}
        )


def shared_gates(gates: frozenset[str]) -> frozenset[str]:
    """Those of the gates that do not stand for a single agent."""
    return frozenset(gate for gate in gates if not gate.startswith(_AGENT))


def viewer_in(payload: Mapping[str, object]) -> Viewer | None:
    """The viewer that `payload["viewer"]` names; None if it names none. Of one with a field of
    another form the rest counts: else the environment would say who asks.
    """
    viewer = payload.get("viewer")
    if not isinstance(viewer, Mapping):
        return None
    names = (viewer.get("project"), viewer.get("agent"))
    return Viewer(*(name if isinstance(name, str) else None for name in names))


def is_live(artifact: Artifact) -> bool:
    """Whether an artifact is in force: retired claims and archived pages are not."""
    if isinstance(artifact, Claim):
        return artifact.status in LIVE_STATUSES
    if isinstance(artifact, Page):
        return artifact.status in LIVE_PAGE_STATUSES
    return True


def gate_of(artifact: Artifact) -> str | None:
    """The gate that a viewer must have to see an artifact; None if nobody may see it."""
    if not isinstance(artifact, Gated):
        return OPEN
    scope = artifact.scope
    match scope.visibility:
        case "public" | "team":
            return OPEN
        case "project":
            return OPEN if scope.project is None else f"{_PROJECT}{scope.project}"
        case "private" if scope.agent is not None:
            return f"{_AGENT}{scope.agent}"
        case _:
            return None


def is_seen(artifact: Artifact, gates: Set[str]) -> bool:
    """Whether a viewer with these gates may see an artifact, in force or not."""
    return gate_of(artifact) in gates


def live_gate(artifact: Artifact) -> str | None:
    """The gate of an artifact that is in force; None if nobody may see it."""
    return gate_of(artifact) if is_live(artifact) else None


def needed_gates(
    artifact: Relation | Evidence, records: Mapping[Key, Artifact], citing: Set[str | None]
) -> list[set[str]]:
    """The gates of which a viewer must have one out of each set: those at each end of a relation;
    those of the source of evidence, and of the claims that cite it, `citing`. A set is empty where
    what is named is missing, as it may be withheld from everybody.
    """
    if isinstance(artifact, Relation):
        ends = artifact.source, artifact.target
        return [_gates_at(records, end, RELATION_ENDS) for end in ends]
    cited = {gate for gate in citing if gate is not None}
    return [_gates_at(records, artifact.source_id, (Kind.SOURCE,)), cited]


def _gates_at(records: Mapping[Key, Artifact], artifact_id: str, kinds: Iterable[Kind]) -> set[str]:
    """The gates of the artifacts with an id that anybody may see."""
    there = (records.get((kind, artifact_id)) for kind in kinds)
    return {gate for one in there if one is not None and (gate := live_gate(one)) is not None}


def is_shown_to_any(artifact: Artifact) -> bool:
    """Whether any viewer may see an artifact. Artifacts that nobody may see are not indexed."""
    return live_gate(artifact) is not None


_KEPT: Mapping[type[Artifact], str] = {
    Claim: "status confidence evidence supersedes superseded_by scope created_at updated_at"
    " last_confirmed_at auto_approved",
    Page: "status scope",
    Source: "scope",
}
"""The fields that stay, beside id and path, of what nobody may see: none with a text of its own."""


def stub_of(artifact: Artifact) -> Artifact:
    """An artifact without any text of its own where nobody may see it: a claim keeps what it cites
    and what replaces it.
    """
    if is_shown_to_any(artifact):
        return artifact
    kept = {name: getattr(artifact, name) for name in _KEPT[type(artifact)].split()}
    return type(artifact)(artifact.id, artifact.path, "", **kept)
