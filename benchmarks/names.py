"""Names in a long document, in process: no request asks for just that."""

from __future__ import annotations

from pathlib import Path

from vouch_sidecar.index.names import Names
from vouch_sidecar.kb.records import Entity
from vouch_sidecar.kb.store import Store

from benchmarks.generate import Questions
from benchmarks.timing import Figure, timed

__all__ = ["measure"]

REPEATS = 30


def measure(root: Path, questions: Questions) -> Figure:
    """Seconds to find all names of a knowledge base in its document of 100 KB."""
    store = Store(root / ".vouch")
    entities = [f"entities/{path.name}" for path in (root / ".vouch" / "entities").iterdir()]
    names = Names()
    for artifact in store.reconcile(entities).change.upserts:
        if isinstance(artifact, Entity):
            names.add(artifact)
    names.find(questions.document)
    return Figure.of(timed(lambda: names.find(questions.document)) for _ in range(REPEATS))
