"""The workspace around one knowledge base, as far as it was analysed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.workspace.snapshot import Workspace
from vouch_sidecar.workspace.topics import NO_TOPICS, Topics


class Missing(NamedTuple):
    """What an analysis could not find."""

    why_history_unread: str
    """Why commits were not read; "" where they were."""
    is_list_cut: bool
    """Whether the list of files is incomplete."""


class Stage(NamedTuple):
    """What to publish of a workspace after one step of its analysis."""

    workspace: Workspace
    topics: Topics | None = None
    """None where those that are published count on."""
    complete_for: Knowledge | None = None
    """The generation for which the workspace is complete, if it is."""
    missing: Missing | None = None
    """None where what was said of it counts on."""


@dataclass(slots=True)
class Surroundings:
    """The workspace around a knowledge base in folder `root`, with its topics, as far as they are
    known.
    """

    root: Path
    workspace: Workspace
    topics: Topics = NO_TOPICS
    """Names that nobody declared, as far as they are derived."""
    complete_for: Knowledge | None = None
    """The generation for which `workspace` is complete."""

    def publish(self, stage: Stage) -> bool:
        """Publish a stage. Returns whether answers may differ."""
        workspace, topics, complete_for, _ = stage
        before, topics_before = self.workspace, self.topics
        self.workspace, self.topics = workspace, topics or self.topics
        if complete_for is not None:
            self.complete_for = complete_for
        ties_differ = workspace.ties is not before.ties and bool(workspace.ties or before.ties)
        topics_differ = self.topics is not topics_before and bool(
            self.topics.by_gate or topics_before.by_gate
        )
        return (
            ties_differ
            or topics_differ
            or workspace.history is not before.history
            or (workspace.fresh is not before.fresh and bool(workspace.fresh or before.fresh))
        )

    def carry_over(self, before: Knowledge, now: Knowledge) -> None:
        """Keep what was computed for one generation for another one with the same content."""
        if now.changed_since(before) != []:
            return
        if self.complete_for is before:
            self.complete_for = now
        if self.topics.knowledge is before:
            self.topics = replace(self.topics, knowledge=now)
