"""Generations of small knowledge bases, and their changes."""

from __future__ import annotations

from collections.abc import Iterable

from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.records import Artifact, Key, key_of


def knowledge_of(artifacts: Iterable[Artifact]) -> Knowledge:
    """A generation of these artifacts, in memory."""
    return Knowledge.of({key_of(artifact): artifact for artifact in artifacts})


def after(before: Knowledge, *new: Artifact, gone: Key | None = None) -> Knowledge:
    """The generation after a change: of what comes, and what goes."""
    kept = {key: one for key, one in before.records.items() if key != gone}
    return before.after(kept | {key_of(one): one for one in new})
