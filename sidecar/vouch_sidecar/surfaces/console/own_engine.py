"""An engine in the process of a command."""

from __future__ import annotations

from pathlib import Path

from vouch_sidecar.api import engine_on
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.surfaces.console.options import roots_from


def loaded(root: Path | None, viewer: Viewer | None = None) -> tuple[Engine, Caller]:
    """An engine that has read the knowledge bases found from a folder, and the caller for its
    answers. Raises `MissingKnowledgeBaseError`.
    """
    engine = engine_on(roots_from(root))
    engine.load()
    return engine, Caller(connection="shell", viewer=viewer)
