"""An engine in the process of a command."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.surfaces.console.options import roots_from


def loaded(root: Path | None, viewer: Viewer | None = None) -> tuple[Engine, Caller]:
    """An engine that has read the knowledge bases found from a folder, and the caller for its
    answers. Raises `MissingKnowledgeBaseError`.
    """
    return engine_on(roots_from(root)), Caller(connection="shell", viewer=viewer)


def engine_on(roots: Iterable[Path]) -> Engine:
    """An engine that has read these knowledge bases."""
    engine = Engine(env=os.environ)
    for root in roots:
        engine.registry.add_root(root)
    engine.load()
    return engine
