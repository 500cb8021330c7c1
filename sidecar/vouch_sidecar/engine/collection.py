"""One knowledge base of the process: its files, what is known of them, and its settings."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from vouch_sidecar.engine.disk_reader import DiskReader
from vouch_sidecar.engine.faults import LOOK, Faults
from vouch_sidecar.index.base_cache import Bases, user_folder
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.discovery import is_refused, why_refused
from vouch_sidecar.kb.pauses import end_in, pause_file
from vouch_sidecar.kb.records import Problem, Severity
from vouch_sidecar.kb.sanitize import printable
from vouch_sidecar.kb.settings import Settings, load_settings, viewer_for
from vouch_sidecar.workspace.build import Breathe, WorldMemo, build
from vouch_sidecar.workspace.git import why_unasked
from vouch_sidecar.workspace.world import World

SILENT_SECONDS = 60.0
"""How long the last content is served while looks at the files fail. Without a limit, redacted text
would be served for ever.
"""
OTHER_VIEWERS = 3
"""Viewers whose topics are kept, beside the one who does not say who asks."""
TURN_SECONDS = 60.0
"""So long each of these keeps his topics at least, where more ask by turns."""


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


class Collection:
    """A knowledge base of this process, in folder `root`, and the working tree whose files it
    speaks of: what reads its files, and what is published of them.
    """

    def __init__(
        self,
        root: Path,
        tree: Path,
        env: Mapping[str, str],
        clock: Callable[[], float],
        tell: Callable[[], None],
    ) -> None:
        """`clock` is monotonic, in seconds; `tell` is called when a fault begins or ends."""
        caches = user_folder(env)
        self.bases = None if caches is None else Bases(caches, root)
        """Its part of the user's cache; None without a cache."""
        self.root, self.tree = root, tree
        self.name = ""
        """The name of no other knowledge base in the process."""
        self.since = clock()
        """When this process began to serve it."""
        self.reader = DiskReader(root, clock, self.bases)
        self.memo = WorldMemo(root, tree, self.bases, env, clock)
        self.published = Published(World(tree))
        """The event loop alone assigns it, where there is one."""
        self.reported: dict[str, int] = {}
        """Files below `.vouch/` that somebody reported as changed, and that were not looked at
        since, each with the number of its last report; the empty path stands for all of them.
        """
        self.reported_around: dict[str, int] = {}
        """The same of other files below the working tree."""
        self.paused_until = partial(end_in, pause_file(root, env))
        self.faults = Faults(tell, clock)
        self.default_gates = frozenset[str]()
        """The gates of who does not say who asks."""
        self._others_gates: deque[frozenset[str]] = deque(maxlen=OTHER_VIEWERS)
        """The gates of others who asked, the last ones."""
        self._turn_at = clock()

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

    def read(self, paths: Iterable[str] | None = None) -> None:
        """Read what changed on disk. Blocks; any thread may call it.

        `paths` (below `.vouch/`) limits this to these files and those that are to be checked
        again. Raises PermissionError if another user owns `.vouch/`.
        """
        if self.is_refused():
            raise PermissionError(why_refused(str(self.root)))
        self.reader.read(paths, anew=self.is_failing)

    def report(self, paths: Iterable[Path], number: int) -> None:
        """Somebody says that these files may have changed. A folder is reported with its files."""
        kb_dir = self.root / KB_DIRNAME
        for path in paths:
            if kb_dir.is_relative_to(path):
                self.reported[""] = number
            elif path.is_relative_to(kb_dir):
                self.reported[path.relative_to(kb_dir).as_posix()] = number
            elif path.is_relative_to(self.tree):
                self.reported_around[path.relative_to(self.tree).as_posix()] = number

    def is_refused(self) -> bool:
        """Whether `.vouch/` belongs to another user and is not in `trust.folders`."""
        return is_refused(str(self.root / KB_DIRNAME), self.settings.trust.folders)

    @property
    def is_failing(self) -> bool:
        """Whether the last read of the files failed."""
        return LOOK in self.faults

    @property
    def is_silent(self) -> bool:
        """Whether reads have failed for so long that nothing may be answered from this."""
        return self.faults.age(LOOK) >= SILENT_SECONDS

    def faulty(self) -> list[Problem]:
        """What fails or is off, as problems of the whole knowledge base (empty path)."""
        warnings = []
        if self.is_failing and self.is_refused():
            warnings.append(why_refused(printable(str(self.root))))
        if why := self.world.history.unread:
            warnings.append(
                f"The repository's commits are not read, and their authors not named: {why}"
            )
        if self.world.files.is_cut:
            warnings.append("There are too many files: some have no ties")
        problems = self.faults.problems()
        problems += [Problem("", text, Severity.WARNING) for text in warnings]
        if self.is_silent:
            words = f"its files could not be looked at for {SILENT_SECONDS:g} seconds"
            problems.append(Problem("", f"Nothing of {self.name} is said: {words}"))
        if unasked := why_unasked(self.tree, self.settings.trust.folders):
            text = "git is not asked, so that files are found by a walk, and authors not named"
            problems.append(Problem("", f"{text}: {unasked}", Severity.HINT))
        return problems

    @property
    def may_have_topics(self) -> bool:
        """Whether topics are enabled and the published generation may have some."""
        return self.settings.topics.enabled and self.knowledge.may_lack_links

    def world_build(
        self, breathe: Breathe, reported: Set[str] = frozenset()
    ) -> Callable[[], World]:
        """What builds the world around the published generation, in any thread, one at a time."""
        of, viewers = self.published, self.viewers()
        given = of.knowledge, of.settings, self.memo, breathe, self.name, viewers, reported
        return partial(build, *given)

    def viewers(self) -> list[frozenset[str]]:
        """The gates of those whose topics are derived."""
        if not self.may_have_topics:
            return []
        return list(dict.fromkeys([self.default_gates, *self._others_gates]))

    def viewed_by(self, gates: frozenset[str]) -> bool:
        """Have the topics derived of who passes these gates, once others had their turn. Returns
        whether they will be.
        """
        others, now = self._others_gates, self.memo.clock()
        is_full = len(others) == OTHER_VIEWERS and now < self._turn_at
        if gates in self.viewers() or is_full:
            return False
        others.append(gates)
        self._turn_at = now + TURN_SECONDS
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
    def world_is_behind(self) -> bool:
        """Whether the world is not that of the published generation and of the files around as they
        were reported.
        """
        before = self.world.knowledge if self.world.is_whole else None
        is_known = before is not None and self.knowledge.changed_since(before) == []
        return not is_known or bool(self.reported_around)

    @property
    def is_behind(self) -> bool:
        """Whether a file was reported as changed since the files were last read, and reading them
        does not fail.
        """
        return not self.is_failing and bool(self.reported)
