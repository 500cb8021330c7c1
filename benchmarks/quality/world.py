"""A knowledge base on disk, and the sidecar's engine over it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import yaml
from anyio.from_thread import start_blocking_portal
from vouch_sidecar.engine import Caller, Engine, running
from vouch_sidecar.operations.call import perform, ready
from vouch_sidecar.operations.operation import operations
from vouch_sidecar.operations.wire import as_json
from vouch_sidecar.retrieval.view import Deadline, View
from vouch_sidecar.semantic.vectors import TextVector

from benchmarks.quality.sets import KnowledgeBase

READY_SECONDS = 60.0
_NOW = "2026-01-01T00:00:00Z"
_TIMES = {"created_at": _NOW, "updated_at": _NOW}
_SOURCE = {
    "id": "0" * 64,
    "hash": "0" * 64,
    "type": "file",
    "locator": "set.txt",
    "title": "set",
    "created_at": _NOW,
}
PLAIN: Mapping[str, dict[str, Any]] = {
    "entities": _TIMES,
    "claims": {"type": "fact", "status": "stable", "confidence": 0.9, "evidence": [_SOURCE["id"]]}
    | _TIMES,
    "pages": {"type": "concept", "status": "active", "sources": [_SOURCE["id"]]} | _TIMES,
}
"""By kind, what a record is beside what its file says: stable, certain to 0.9, from one source."""


async def _read(engine: Engine) -> None:
    """Have all that lies on disk and around it taken in, and read by a model that is set up."""
    search = partial(perform, engine, operations()["search"], {"query": "anything"}, Caller())
    async with running(engine):
        serving = partial(engine.registry.serving, Caller())
        await ready(engine, {"ties", "topics"}, serving, until="later")
        with anyio.fail_after(READY_SECONDS):
            while "semantic_unavailable" in (await search()).degraded:
                await anyio.sleep(0.05)


class World:
    """The real engine over the knowledge base in a folder. Sessions are made as they are named.
    What is told is what a hook tells, or without `is_unasked` what somebody is told who asks.
    """

    def __init__(
        self, root: Path, settings: Mapping[str, object] | None = None, is_unasked: bool = True
    ) -> None:
        patient = {"VOUCH_SIDECAR_RECALL_TIMEOUT_MS": "10000"}  # whatever else the machine does
        self.engine = Engine(env=patient, client_settings=settings)
        self.engine.registry.set_folders([root])
        with start_blocking_portal() as portal:
            portal.call(_read, self.engine)
        self._caller = Caller(is_unasked=is_unasked)

    def listed(self, text: str) -> list[dict[str, Any]]:
        """Rows of `salience` for a session that holds this text alone."""
        self.engine.observe("one", None, text)
        rows: list[dict[str, Any]] = self.ask("salience", session_id="one", top_k=20)["salience"]
        self.end("one")
        return rows

    def ask(self, operation: str, **params: Any) -> dict[str, Any]:
        """The result of an operation as every surface gives it."""
        asked = self.engine, operations()[operation], params, self._caller
        return as_json(anyio.run(partial(perform, *asked, patience=0)))

    def vector(self, text: str) -> TextVector | None:
        """A text as a model hears it; None where none is set up."""
        served = self.engine.registry.serving(Caller())
        return anyio.run(self.engine.embeddings.vector, text, served)

    def end(self, session: str) -> None:
        """Forget a session."""
        self.engine.sessions.end(session)


def hearing(model: Path) -> Callable[[Path], World]:
    """What makes worlds in which a model hears what is asked, by somebody who asks."""
    settings = {"semantic": {"model": str(model)}, "recall": {"timeout_ms": 10_000}}
    return partial(World, settings=settings, is_unasked=False)  # with time on a busy machine


def view_of(world: World) -> View:
    """What everybody sees of a world, with all the time that there is."""
    (served,) = world.engine.registry.serving(Caller())
    return replace(served.view, deadline=Deadline())


@contextmanager
def written(base: KnowledgeBase | Path, made: Callable[[Path], World] = World) -> Iterator[World]:
    """A world over files in a temporary folder, written the way vouch writes them, or copied."""
    with TemporaryDirectory(prefix="quality-") as folder:
        root = Path(folder)
        if isinstance(base, Path):
            root /= base.name
            copytree(base / ".vouch", root / ".vouch")
        else:
            write(root, base)
        yield made(root)


def write(root: Path, base: KnowledgeBase) -> None:
    """The files of a knowledge base; where it has no sources, one that claims and pages cite."""
    folder = root / ".vouch"
    folder.mkdir(parents=True)
    (folder / "schema_version").write_text("0.1.0\n", encoding="utf-8")
    config = base.config or {"version": 1, "kb": {"name": base.name}}
    (folder / "config.yaml").write_text(_yaml(config), encoding="utf-8")
    for kind in ("entities", "claims", "relations", "evidence", "sessions"):
        for record in _records(base, kind):
            _put(folder / kind / f"{record['id']}.yaml", _yaml(record))
    for source in _records(base, "sources") or [dict(_SOURCE)]:
        if (content := source.pop("content", None)) is not None:
            _put(folder / "sources" / source["id"] / "content", content)
        _put(folder / "sources" / source["id"] / "meta.yaml", _yaml(source))
    for page in _records(base, "pages"):
        text = page.pop("text")
        _put(folder / "pages" / f"{page['id']}.md", f"---\n{_yaml(page)}---\n{text}")


def _records(base: KnowledgeBase, kind: str) -> list[dict[str, Any]]:
    """The records of a kind, each whole."""
    common = {**PLAIN.get(kind, {}), **base.defaults.get(kind, {})}
    return [common | dict(record) for record in getattr(base, kind)]


def _yaml(record: Mapping[str, Any]) -> str:
    return yaml.dump(dict(record), Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True)


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
