"""Unsaved documents under `.vouch/`: what one connection sees instead of the disk."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from sidecar.engine.collection import Collection
from sidecar.index.documents import prepare
from sidecar.index.knowledge import PreparedChange
from sidecar.kb.layout import CONFIG, KB_DIRNAME
from sidecar.kb.reader import parse
from sidecar.kb.records import Artifact, Key, Problem, key_of

__all__ = ["Overlay", "Overlays"]

_stamps = count(1)


@dataclass(slots=True)
class Overlay:
    """The open documents of one connection in one knowledge base, by path below `.vouch/`."""

    artifacts: dict[str, Artifact | None] = field(default_factory=dict)
    problems: dict[str, tuple[Problem, ...]] = field(default_factory=dict)
    config: bytes | None = None
    stamp: int = 0
    _made: tuple[int, int] | None = None
    _change: PreparedChange | None = None

    def put(self, relative: str, text: str, on_disk: Artifact | None) -> None:
        """Take a document's text; where it does not parse, its last parseable text stays."""
        self.stamp = next(_stamps)
        if relative == CONFIG:
            self.config = text.encode("utf-8", "replace")
            self.problems[relative] = ()
            return
        reading = parse(relative, text.encode("utf-8", "replace"))
        self.problems[relative] = reading.problems
        if reading.artifact is not None or reading.withhold:
            self.artifacts[relative] = reading.artifact
        else:
            self.artifacts.setdefault(relative, on_disk)

    def close(self, relative: str) -> None:
        """Let the disk count again."""
        self.artifacts.pop(relative, None)
        self.problems.pop(relative, None)
        if relative == CONFIG:
            self.config = None
        self.stamp = next(_stamps)

    def change(self, collection: Collection) -> PreparedChange | None:
        """What to apply to what is published; None when that is nothing."""
        made = (self.stamp, collection.knowledge.generation)
        if self._made != made:
            self._made, self._change = made, self._prepare(collection)
        return self._change

    def _prepare(self, collection: Collection) -> PreparedChange | None:
        upserts = []
        gone: set[Key] = set()
        for relative, artifact in self.artifacts.items():
            on_disk = collection.on_disk(relative)
            if artifact == on_disk:
                continue
            if on_disk is not None:
                gone.add(key_of(on_disk))
            if artifact is not None:
                upserts.append(prepare(artifact))
        if not upserts and not gone:
            return None
        return PreparedChange(tuple(upserts), frozenset(gone))


class Overlays:
    """The overlays of all connections."""

    def __init__(self) -> None:
        self._overlays: dict[tuple[str, Path], Overlay] = {}

    def of(self, connection: str, root: Path) -> Overlay | None:
        return self._overlays.get((connection, root))

    def put(self, connection: str, collection: Collection, path: Path, text: str | None) -> None:
        """A document below `.vouch/` was opened or changed, or closed (None)."""
        relative = path.relative_to(collection.root / KB_DIRNAME).as_posix()
        overlay = self._overlays.setdefault((connection, collection.root), Overlay())
        if text is None:
            overlay.close(relative)
        else:
            overlay.put(relative, text, collection.on_disk(relative))
        if not overlay.problems:
            del self._overlays[connection, collection.root]

    def drop(self, connection: str) -> None:
        """A connection has ended."""
        for key in [k for k in self._overlays if k[0] == connection]:
            del self._overlays[key]
