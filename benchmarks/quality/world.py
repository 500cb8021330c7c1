"""A knowledge base on disk, and the sidecar's engine over it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import yaml
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.engine.pushes import Pushes
from vouch_sidecar.operations import as_json, call, salience_notification

from benchmarks.quality.sets import Knowledge

__all__ = ["Said", "World", "copied", "write", "written"]

_NOW = "2026-01-01T00:00:00Z"
_SOURCE = "0" * 64


class Said(NamedTuple):
    """What was volunteered for one text: rows of `fresh`, strongest first, and the block."""

    rows: list[dict[str, Any]]
    text: str

    @property
    def ids(self) -> list[str]:
        return [row["entity_id"] for row in self.rows]

    @property
    def tokens(self) -> float:
        """Four characters a token, as is usual for English."""
        return len(self.text) / 4


class World:
    """The real engine over the knowledge base in a folder. Sessions are made as they are named."""

    def __init__(self, root: Path, settings: Mapping[str, object] | None = None) -> None:
        self._engine = Engine(env={}, client_settings=settings)
        self._engine.add_root(root)
        self._engine.load()
        self._caller = Caller()
        self._pushes = Pushes(self._engine, self._caller)

    def say(self, session: str, text: str) -> Said:
        """Submit a text to a session; what is pushed for it."""
        self._engine.observe(session, None, text)
        for push in self._pushes.salience():
            if push.session_id == session:
                sent = salience_notification(push).model_dump(mode="json", by_alias=True)
                return Said(sent["fresh"], sent["text"])
        return Said([], "")

    def listed(self, text: str, top_k: int = 20) -> list[dict[str, Any]]:
        """Rows of `salience` for a session that holds this text alone."""
        self._engine.observe("one", None, text)
        rows: list[dict[str, Any]] = self.ask("salience", session_id="one", top_k=top_k)["salience"]
        self.end("one")
        return rows

    def ask(self, operation: str, **params: Any) -> dict[str, Any]:
        """The result of an operation as every surface gives it."""
        return as_json(call(self._engine, operation, params, self._caller))

    def end(self, session: str) -> None:
        """Forget a session."""
        self._engine.end_session(session)


@contextmanager
def written(knowledge: Knowledge, made: Callable[[Path], World] = World) -> Iterator[World]:
    """A world over files in a temporary folder, written the way vouch writes them."""
    with TemporaryDirectory(prefix="quality-") as folder:
        root = Path(folder)
        write(root, knowledge)
        yield made(root)


@contextmanager
def copied(source: Path, made: Callable[[Path], World] = World) -> Iterator[World]:
    """A world over a copy of a knowledge base, so that the original stays as it is."""
    with TemporaryDirectory(prefix="quality-") as folder:
        root = Path(folder) / source.name
        copytree(source / ".vouch", root / ".vouch")
        yield made(root)


def write(root: Path, knowledge: Knowledge) -> None:
    """The files of a knowledge base: one source, which every claim cites."""
    base = root / ".vouch"
    for name in ("claims", "entities", f"sources/{_SOURCE}"):
        (base / name).mkdir(parents=True)
    _dump(base / "config.yaml", {"version": 1, "kb": {"name": "notes"}})
    _dump(base / "sources" / _SOURCE / "meta.yaml", _source())
    times = {"created_at": _NOW, "updated_at": _NOW}
    for entity in knowledge.entities:
        record = entity.model_dump(mode="json") | times | {"page": None}
        _dump(base / "entities" / f"{entity.id}.yaml", record)
    for claim in knowledge.claims:
        record = claim.model_dump(mode="json") | times
        record |= {
            "type": "fact",
            "status": "stable",
            "confidence": 0.9,
            "evidence": [_SOURCE],
            "last_confirmed_at": None,
        }
        _dump(base / "claims" / f"{claim.id}.yaml", record)


def _source() -> Mapping[str, object]:
    return {
        "id": _SOURCE,
        "hash": _SOURCE,
        "type": "file",
        "locator": "set.txt",
        "title": "set",
        "created_at": _NOW,
    }


def _dump(path: Path, record: Mapping[str, object]) -> None:
    text = yaml.dump(record, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True)
    path.write_text(text, encoding="utf-8")
