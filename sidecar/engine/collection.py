"""One knowledge base of the process: its files, what is known of them, and its settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sidecar.index.cache import Cache, Cached
from sidecar.index.documents import Prepared, prepare
from sidecar.index.frozen import freeze
from sidecar.index.knowledge import Knowledge, PreparedChange
from sidecar.kb.glance import state_of
from sidecar.kb.layout import KB_DIRNAME
from sidecar.kb.records import Artifact, Change, Problem, key_of
from sidecar.kb.settings import Settings, config_mapping, load_settings
from sidecar.kb.store import Store

__all__ = ["Collection", "Step"]

REBUILD_FROM = 1_000
"""Changed artifacts from which on building anew beats changing in place."""


@dataclass(frozen=True, slots=True)
class Step:
    """A change that is ready to be published: made off the event loop, taken in on it."""

    change: PreparedChange
    problems: Mapping[str, tuple[Problem, ...]]
    skipped: int
    config: bytes | None
    rebuilt: Knowledge | None = None


@dataclass(slots=True)
class Collection:
    """A knowledge base as the process holds it. `name` is unique within the process."""

    root: Path
    store: Store
    settings: Settings
    name: str = ""
    knowledge: Knowledge = field(default_factory=Knowledge)
    problems: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)
    config: bytes | None = None
    settings_problems: tuple[Problem, ...] = ()
    skipped: int = 0
    complete: bool = False
    indexed_at: float | None = None
    cache: Cache | None = None
    cached: dict[str, Cached] = field(default_factory=dict)
    """What the cache gave for the first look, by path; empty from then on."""

    @classmethod
    def at(cls, root: Path, clock: Callable[[], float], caches: Path | None = None) -> Collection:
        """The knowledge base in a folder, not read yet; `caches` is the folder for its cache."""
        cache = None if caches is None else Cache(caches, root)
        return cls(root, Store(root / KB_DIRNAME, clock=clock), Settings(), cache=cache)

    def read(self, paths: Iterable[str] | None = None) -> Step | None:
        """See what changed on disk (blocking, one call at a time); None when nothing did.

        With `paths` (below `.vouch/`) only there and where something is due; first of all: all.
        """
        if not self.complete:
            self.recall()
        seen = self.store.reconcile(paths if self.complete else None)
        prepared = PreparedChange(
            tuple(map(self._prepare, seen.change.upserts)), seen.change.removals
        )
        if self.cache is not None and self._outdated(seen.change):
            self.cache.purge()
        step = Step(prepared, seen.problems, seen.skipped, seen.config)
        if not self.complete:
            self.cached = {}  # here and not on the loop: to let go of it takes a while
            return Step(
                prepared, seen.problems, seen.skipped, seen.config, Knowledge.of(prepared.upserts)
            )
        same = (
            not seen.change
            and seen.problems == self.problems
            and seen.config == self.config
            and seen.skipped == self.skipped
        )
        return None if same else step

    def recall(self) -> bool:
        """Take from the cache what the first look need not read (blocking); False without one."""
        if self.cache is not None and not self.cached:
            self.cached = self.cache.load()
            self.store.remember(
                {path: (c.stat, c.prepared.artifact) for path, c in self.cached.items()}
            )
        return bool(self.cached)

    def _outdated(self, change: Change) -> bool:
        """Whether the cache on disk holds what the knowledge base no longer does."""
        if self.complete:
            return self.cache is not None and self.cache.outdated_by(change)
        held, at = self.cached, self.store.artifact_at
        return any(at(path) is not held[path].prepared.artifact for path in held)

    def _prepare(self, artifact: Artifact) -> Prepared:
        known = self.cached.get(artifact.path)
        if known is not None and known.prepared.artifact is artifact:
            return known.prepared
        return prepare(artifact)

    def remember(self) -> bool:
        """Bring the cache up to what is published (blocking, while nothing else is read); whether
        there was anything to do.
        """
        if self.cache is None or not self.complete:
            return False
        settled = {}
        for path, stat, artifact in self.store.settled():
            prepared = self.knowledge.prepared_of(key_of(artifact))
            if prepared is not None and prepared.artifact is artifact:
                settled[path] = Cached(stat, prepared)
        if not self.cache.differs_from(settled):
            return False
        self.cache.save(settled)
        return True

    def remember_whole(self) -> None:
        """Keep all that is known, for those who ask once (blocking; nobody may ask meanwhile)."""
        stats = self.store.known()
        if self.cache is None or stats is None:
            return
        state = state_of(stats)
        if not self.cache.holds_whole(state):
            whole = {"config": dict(config_mapping(self.config, [])), **freeze(self.knowledge)}
            self.cache.save_whole(state, whole)

    def take(self, step: Step, generation: int, now: float) -> None:
        """Make a step count, whole."""
        if step.rebuilt is not None:
            self.knowledge = step.rebuilt
        else:
            self.knowledge.apply(step.change)
        self.knowledge.memo.clear()
        self.knowledge.generation = generation
        self.problems = step.problems
        self.skipped = step.skipped
        self.config = step.config
        self.complete = True
        self.cached = {}
        self.indexed_at = now

    def on_disk(self, relative: str) -> Artifact | None:
        """What the file at a path below `.vouch/` says, as published, if it counts for its id."""
        return self.knowledge.at_path(relative)

    def configure(self, client: Mapping[str, object], env: Mapping[str, str]) -> None:
        """Read the settings anew."""
        self.settings, self.settings_problems = load_settings(self.config, client, env)
