"""An engine in the process of a command."""

from __future__ import annotations

from pathlib import Path

from vouch_sidecar.api import engine_on
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.engine.first_read import FirstRead
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.surfaces.console.options import roots_from


def loaded(
    root: Path | None, viewer: Viewer | None = None, seconds: float | None = None
) -> tuple[Engine, Caller]:
    """An engine that has read the knowledge bases found from a folder, and the caller for its
    answers. With `seconds`, it waits no longer than that, and a thread reads the rest. Raises
    `MissingKnowledgeBaseError`.
    """
    engine = engine_on(roots_from(root))
    if seconds is None:
        engine.load()
    else:
        FirstRead(engine.collections.values()).publish(engine, seconds)
    return engine, Caller(connection="shell", viewer=viewer)
