"""Unsaved documents under `.vouch/`: what one connection sees instead of the disk."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path, PurePosixPath

from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.index.incremental import after
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.layout import CONFIG, KB_DIRNAME
from vouch_sidecar.kb.reader import parse
from vouch_sidecar.kb.records import Artifact, Change, Key, Problem, Severity, Source, key_of
from vouch_sidecar.kb.settings import load_settings

_stamps = count(1)


@dataclass(slots=True)
class Overlay:
    """The open documents of one connection in one knowledge base, by path below `.vouch/`."""

    artifacts: dict[str, Artifact | None] = field(default_factory=dict)
    problems: dict[str, tuple[Problem, ...]] = field(default_factory=dict)
    config: bytes | None = None
    """The last unsaved text of `config.yaml` that was valid."""
    config_text: bytes | None = None
    stamp: int = 0
    _made: tuple[int, int, Knowledge] | None = None

    def copy(self) -> Overlay:
        """A copy that can be changed independently."""
        return replace(self, artifacts={**self.artifacts}, problems={**self.problems})

    def put(self, relative: str, text: str, collection: Collection) -> None:
        """Set a document's text; if it does not parse, the last parseable text stays in effect."""
        self.stamp = next(_stamps)
        if relative == CONFIG:
            self._put_config(text.encode("utf-8", "replace"), collection.config)
            return
        reading = parse(relative, text.encode("utf-8", "replace"))
        self.problems[relative] = reading.problems
        if reading.artifact is not None or reading.withhold:
            self.artifacts[relative] = _with_kept(reading.artifact, collection.on_disk(relative))
        else:
            self.artifacts.setdefault(relative, collection.on_disk(relative))

    def _put_config(self, data: bytes, on_disk: bytes | None) -> None:
        self.config_text = data
        self.problems[CONFIG] = ()
        _, problems = load_settings(data, {}, {})
        if all(p.field is not None for p in problems if p.severity is Severity.ERROR):
            self.config = data
        elif self.config is None:
            self.config = on_disk or b""

    def close(self, relative: str) -> None:
        """Forget a document: its file on disk counts again."""
        self.artifacts.pop(relative, None)
        self.problems.pop(relative, None)
        if relative == CONFIG:
            self.config = self.config_text = None
        self.stamp = next(_stamps)

    def knowledge(self, collection: Collection) -> Knowledge:
        """The published knowledge with these documents in place of their files."""
        published = collection.knowledge
        if self._made is None or self._made[:2] != (self.stamp, published.serial):
            self._made = (
                self.stamp,
                published.serial,
                after(published, self._change(collection), collection.disk),
            )
        return self._made[2]

    def _change(self, collection: Collection) -> Change:
        published = collection.knowledge.artifact
        gone = {key_of(a) for path in self.artifacts if (a := collection.on_disk(path)) is not None}
        counting: dict[Key, Artifact] = {}
        for artifact in [a for a in self.artifacts.values() if a is not None]:
            key = key_of(artifact)
            rivals = [artifact, counting.get(key), published(key)]
            current = [a for a in rivals if a and self.artifacts.get(a.path, a) == a]
            counting[key] = min(current, key=_precedence)
        return Change(tuple(counting.values()), frozenset(gone - counting.keys()))


def _with_kept(artifact: Artifact | None, on_disk: Artifact | None) -> Artifact | None:
    """An unsaved source, marked as kept if its saved file has kept content."""
    if not (isinstance(artifact, Source) and isinstance(on_disk, Source)):
        return artifact
    return replace(artifact, kept=on_disk.kept and on_disk.id == artifact.id)


def _precedence(artifact: Artifact) -> tuple[bool, str]:
    """Sort key of files with the same id: the file named after the id, else the first by path."""
    return PurePosixPath(artifact.path).stem != artifact.id, artifact.path


class Overlays:
    """The overlays of all connections."""

    def __init__(self) -> None:
        self._overlays: dict[tuple[str, Path], Overlay] = {}

    def of(self, connection: str, root: Path) -> Overlay | None:
        return self._overlays.get((connection, root))

    def read(
        self, connection: str, collection: Collection, path: Path, text: str | None
    ) -> Overlay:
        """A connection's overlay after a document below `.vouch/` changed to `text`, or was closed
        (None). Blocks; thread-safe. `put` makes it count.
        """
        relative = path.relative_to(collection.root / KB_DIRNAME).as_posix()
        before = self.of(connection, collection.root)
        overlay = Overlay() if before is None else before.copy()
        if text is None:
            overlay.close(relative)
        else:
            overlay.put(relative, text, collection)
        return overlay

    def put(self, connection: str, collection: Collection, overlay: Overlay) -> None:
        """Replace the connection's overlay."""
        if overlay.problems:
            self._overlays[connection, collection.root] = overlay
        else:
            self._overlays.pop((connection, collection.root), None)

    def drop(self, connection: str) -> None:
        """Forget the overlays of a connection that has ended."""
        for key in [k for k in self._overlays if k[0] == connection]:
            del self._overlays[key]
