"""One knowledge base of the process: its files, what is known of them, and its settings."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path

from vouch_sidecar.engine.disk_reader import DiskReader, Step
from vouch_sidecar.engine.due import Due
from vouch_sidecar.engine.faults import Faults
from vouch_sidecar.engine.world_building import WorldMemo
from vouch_sidecar.index.base_cache import Bases
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.discovery import is_refused, why_refused
from vouch_sidecar.kb.pauses import Pause
from vouch_sidecar.kb.records import Problem, Severity
from vouch_sidecar.kb.sanitize import printable
from vouch_sidecar.kb.settings import Settings, load_settings, viewer_for
from vouch_sidecar.kb.store import GRACE_SECONDS
from vouch_sidecar.workspace.git import why_unasked
from vouch_sidecar.workspace.world import World

SILENT_SECONDS = GRACE_SECONDS
"""How long the last content is served while the files cannot be read: as long as the last good
version of a single unreadable file. Without a limit, redacted text would be served for ever.
"""
OTHER_VIEWERS = 3
"""Viewers whose topics are kept, beside the one who does not say who asks."""
LOOK, BASE, GIT, WATCH, WORKSPACE = "look", "base", "git", "watch", "workspace"
"""Names of the steps of a knowledge base that may fail, in its `faults`."""


@dataclass(frozen=True, slots=True)
class Published:
    """What is told of a knowledge base at one moment."""

    world: World
    """What lies around it."""
    knowledge: Knowledge = field(default_factory=Knowledge)
    problems: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)
    """Of its files, by path."""
    skipped: int = 0
    config: bytes | None = None
    indexed_at: float | None = None
    settings: Settings = field(default_factory=Settings)
    settings_problems: tuple[Problem, ...] = ()


@dataclass(slots=True)
class Collection:
    """A knowledge base of this process, in folder `root`, and the working tree whose files it
    speaks of: what reads its files, and what is published of them. `name` is that of no other
    knowledge base in the process; `clock` is monotonic, in seconds.
    """

    root: Path
    tree: Path
    reader: DiskReader
    memo: WorldMemo
    published: Published
    """The event loop alone assigns it, where there is one."""
    due: Due
    clock: Callable[[], float] = time.monotonic
    since: float = 0.0
    """When this process began to serve it."""
    name: str = ""
    pause: Pause = field(default_factory=Pause)
    default_gates: frozenset[str] = frozenset()
    """The gates of who does not say who asks."""
    _viewers: deque[frozenset[str]] = field(default_factory=lambda: deque(maxlen=OTHER_VIEWERS))
    """The gates of others who asked, the last ones."""
    faults: Faults = field(default_factory=Faults)
    failing_since: float | None = None
    """When reading the files began to fail; None if the last read succeeded."""

    @classmethod
    def at(
        cls,
        root: Path,
        clock: Callable[[], float],
        pause: Pause,
        caches: Path | None,
        env: Mapping[str, str],
        tree: Path | None = None,
    ) -> Collection:
        """The knowledge base in folder `root`, unread; `caches` is the folder for its bases."""
        tree = tree or root
        bases = None if caches is None else Bases(caches, root)
        reader, memo = DiskReader(root, clock, bases), WorldMemo(root, tree, bases, env, clock)
        nothing, due = Published(World(tree)), Due(root, tree, clock)
        return cls(root, tree, reader, memo, nothing, due, clock, clock(), pause=pause)

    @property
    def knowledge(self) -> Knowledge:
        return self.published.knowledge

    @property
    def world(self) -> World:
        return self.published.world

    @property
    def settings(self) -> Settings:
        return self.published.settings

    @property
    def complete(self) -> bool:
        """Whether its files were read once."""
        return self.published.indexed_at is not None

    def nearness(self, path: Path | None) -> int:
        """How deep the working tree is that holds a path; 0 for none that does."""
        is_held = path is not None and path.is_relative_to(self.tree)
        return len(self.tree.parts) if is_held else 0

    def read(self, paths: Iterable[str] | None = None) -> Step | None:
        """Read what changed on disk; None if nothing did. Blocks; any thread may call it.

        `paths` (below `.vouch/`) limits this to these files and those that are to be checked
        again. Raises PermissionError if another user owns `.vouch/`.
        """
        if self.is_refused():
            raise PermissionError(why_refused(str(self.root)))
        return self.reader.read(paths, anew=self.is_failing)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Contains a read of the files. If it fails, the next one reads everything again."""
        with self.faults.contained(LOOK, "Changes on disk could not be taken in"):
            yield
        if LOOK not in self.faults:
            self.failing_since = None
        elif self.failing_since is None:
            self.failing_since = self.clock()

    @contextmanager
    def writing_base(self) -> Iterator[None]:
        """Contains the writing of a base. If it fails, the next start reads more files."""
        with self.faults.contained(BASE, "The cache could not be written"):
            yield

    def is_refused(self) -> bool:
        """Whether `.vouch/` belongs to another user and is not in `trust.folders`."""
        return is_refused(str(self.root / KB_DIRNAME), self.settings.trust.folders)

    @property
    def is_failing(self) -> bool:
        """Whether the last read of the files failed."""
        return self.failing_since is not None

    @property
    def silent_at(self) -> float:
        """The time on `clock` from which nothing is answered unless a read succeeds before;
        infinity if the last read succeeded.
        """
        return inf if self.failing_since is None else self.failing_since + SILENT_SECONDS

    @property
    def is_silent(self) -> bool:
        """Whether reads have failed for so long that nothing may be answered from this."""
        return self.silent_at <= self.clock()

    def faulty(self) -> list[Problem]:
        """Current failures, as problems of the whole knowledge base (empty path)."""
        problems = [Problem("", text, Severity.WARNING) for text in self.faults]
        if self.is_failing and self.is_refused():
            problems.append(Problem("", why_refused(printable(str(self.root))), Severity.WARNING))
        if why := self.world.history.unread:
            unread = f"The repository's commits are not read, and their authors not named: {why}"
            problems.append(Problem("", unread, Severity.WARNING))
        if self.world.files.is_cut:
            cut = "There are too many files: some have no ties"
            problems.append(Problem("", cut, Severity.WARNING))
        if self.is_silent:
            words = f"its files could not be looked at for {SILENT_SECONDS:g} seconds"
            problems.append(Problem("", f"Nothing of {self.name} is said: {words}"))
        return problems

    def hints(self) -> list[Problem]:
        """Features that are off for the whole knowledge base although nothing failed."""
        unasked = why_unasked(self.tree, self.settings.trust.folders)
        text = "git is not asked, so that files are found by a walk, and authors not named"
        return [Problem("", f"{text}: {unasked}", Severity.HINT)] if unasked else []

    @property
    def may_have_topics(self) -> bool:
        """Whether topics are enabled and the published generation may have some."""
        return self.settings.topics.enabled and bool(self.knowledge.sparse_labels)

    def publish(self, step: Step, now: float) -> None:
        """Publish a step. `now` is wall-clock time in seconds."""
        self.published = replace(
            self.published,
            knowledge=step.knowledge,
            problems=step.problems,
            skipped=step.skipped,
            config=step.config,
            indexed_at=now,
        )

    def publish_on_new_base(self) -> bool:
        """Publish the last generation again if it stands on a new base. Its content is the same, so
        what was computed from it is kept. Returns whether it does.
        """
        before = self.knowledge
        self.published = replace(self.published, knowledge=self.reader.latest)
        return before is not self.knowledge

    def publish_world(self, world: World) -> bool:
        """Publish the world around. Returns whether answers may differ."""
        before = self.world
        self.published = replace(self.published, world=world)
        return world.serial != before.serial

    def viewers(self) -> list[frozenset[str]]:
        """The gates of those whose topics are derived."""
        if not self.may_have_topics:
            return []
        return list(dict.fromkeys([self.default_gates, *self._viewers]))

    def viewed_by(self, gates: frozenset[str]) -> bool:
        """Have the topics derived of who passes these gates. Returns whether that is new."""
        if gates in self.viewers():
            return False
        self._viewers.append(gates)
        return True

    def lacks_topics(self, gates: frozenset[str]) -> bool:
        """Whether the topics of who passes these gates are not derived."""
        return self.may_have_topics and gates not in self.world.topics.by_gates

    def configure(self, client: Mapping[str, object], env: Mapping[str, str]) -> None:
        """Load the settings from config, client and environment."""
        settings, problems = load_settings(self.published.config, client, env)
        self.published = replace(self.published, settings=settings, settings_problems=problems)
        self.default_gates = viewer_for(self.settings, None, None, env).gates

    @property
    def bases(self) -> Bases | None:
        """Its part of the user's cache; None without a cache."""
        return self.reader.bases

    @property
    def is_workspace_pending(self) -> bool:
        """Whether ties to files are not complete yet for the published generation."""
        before = self.world.knowledge if self.world.is_whole else None
        is_known = before is not None and self.knowledge.changed_since(before) == []
        return not is_known or bool(self.due.around)

    @property
    def is_first_workspace_pending(self) -> bool:
        """Whether ties to files were never complete so far, and analysing the workspace did not
        fail.
        """
        return not self.world.is_whole and WORKSPACE not in self.faults

    @property
    def is_workspace_awaited(self) -> bool:
        """Whether ties to files were complete once, are not since a file was reported as changed,
        and will be soon.
        """
        was_complete = self.world.is_whole and WORKSPACE not in self.faults
        return was_complete and bool(self.due.around)

    @property
    def is_behind(self) -> bool:
        """Whether a file was reported as changed since the files were last read, and reading them
        does not fail.
        """
        return not self.is_failing and bool(self.due.files)
