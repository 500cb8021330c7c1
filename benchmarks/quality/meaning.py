"""What finding by meaning brings, and that it fires on nothing: with all-MiniLM-L6-v2."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from vouch_sidecar.engine import Caller
from vouch_sidecar.engine.embedding import Embeddings
from vouch_sidecar.operations import OPERATIONS, as_json, perform_async
from vouch_sidecar.retrieval.statements.text_vector import TextVector
from vouch_sidecar.semantic.loading import backend_of

from benchmarks.quality.measures import Case
from benchmarks.quality.sets import Asked
from benchmarks.quality.world import World

READY_SECONDS = 60.0


class MeaningWorld(World):
    """A world in which a model hears what is asked."""

    def __init__(self, root: Path, portal: BlockingPortal, load: Any, model: Path) -> None:
        settings = {"semantic": {"model": str(model)}}
        super().__init__(root, settings | {"recall": {"timeout_ms": 10_000}})  # on a busy machine
        self._portal = portal
        self.engine.embeddings = portal.call(
            partial(Embeddings, self.engine.collections, self.engine.notify, load)
        )
        self._running = portal.start_task_soon(self.engine.embeddings.run)
        until = time.monotonic() + READY_SECONDS
        while self.ask("search", query="are the vectors there?")["degraded"]:
            assert time.monotonic() < until, self.ask("status")
            time.sleep(0.05)

    def ask(self, operation: str, **params: Any) -> dict[str, Any]:
        asked = partial(perform_async, self.engine, OPERATIONS[operation], params, Caller())
        return as_json(self._portal.call(asked))

    def vector(self, text: str, /) -> TextVector | None:
        assert self.engine.embeddings is not None
        served = self.engine.serving(Caller())
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


def search_cases(asked: Iterable[Asked], world: World) -> Iterator[Case]:
    """Where the first hit that answers stands among ten."""
    for one in asked:
        ids = [hit["id"] for hit in world.ask("search", query=one.prompt)["hits"]]
        place = next((n for n, i in enumerate(ids, 1) if i in one.expect), None)
        yield Case(
            {
                f"{one.kind} hit@5": (place is not None and place <= 5, 1),
                f"{one.kind} MRR": (1 / place if place else 0, 1),
            },
            [] if place == 1 else [f"{one.kind}: {one.prompt!r} at {place}; first are {ids[:5]}"],
        )


def context_cases(asked: Iterable[Asked], world: World) -> Iterator[Case]:
    """Whether `context` answers, says something wrong, or speaks where nothing answers."""
    for one in asked:
        items = world.ask("context", task=one.prompt)["items"]
        ids, meant = [i["id"] for i in items], [i["id"] for i in items if i["arm"] == "semantic"]
        right, wrong = bool({*ids} & {*one.expect}), [i for i in meant if i not in one.expect]
        counts: dict[str, tuple[float, float]] = {f"{one.kind} fires": (bool(ids), 1)}
        if one.expect:
            counts = {
                f"{one.kind} answered": (right, 1),
                f"{one.kind} wrong by meaning": (bool(wrong), 1),
            }
        said = [f"{one.kind}: {one.prompt!r} gave {ids}, not {list(one.expect)}"]
        yield Case(counts, said if wrong or (one.expect and not right) else [])


def silent_cases(texts: Iterable[str], world: World) -> Iterator[Case]:
    """Texts that ask for nothing: whether meaning speaks."""
    for text in texts:
        items = world.ask("context", task=text)["items"]
        fired = [item["id"] for item in items if item["arm"] == "semantic"]
        yield Case({"fires by meaning": (bool(fired), 1)}, [f"{text!r}: {fired}"] if fired else [])
