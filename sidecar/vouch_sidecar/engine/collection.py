"""One knowledge base of the process: its files, what is known of them, and its settings."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from vouch_sidecar.engine.disk_reader import DiskReader
from vouch_sidecar.engine.faults import LOOK, WORKSPACE, Faults
from vouch_sidecar.index.base_cache import Bases, user_folder
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.artifact_files import KB_DIRNAME, read_with, resolved
from vouch_sidecar.kb.discovery import BaseInTree, is_refused, why_refused
from vouch_sidecar.kb.pauses import end_in, pause_file
from vouch_sidecar.kb.records import Degraded, Problem, Severity
from vouch_sidecar.kb.runtime_folder import READY_SECONDS
from vouch_sidecar.kb.settings import Settings, load_settings, viewer_for
from vouch_sidecar.kb.store import EVERYTHING, OnDisk
from vouch_sidecar.kb.watch import sweep_interval
from vouch_sidecar.workspace.breath import Breathe
from vouch_sidecar.workspace.build import build
from vouch_sidecar.workspace.git import Checkout
from vouch_sidecar.workspace.world import Inputs, World, own_names

SILENT_SECONDS = 60.0
"""How long the last content is served while looks at the files fail. Without a limit, redacted text
would be served for ever.
"""
SILENT = f"Nothing of {{}} is said: its files could not be looked at for {SILENT_SECONDS:g} seconds"
NO_HISTORY = "The repository's commits are not read, and their authors not named: {}"
OTHER_VIEWERS = 3
"""Viewers whose topics are kept, beside the one who does not say who asks."""
Need = Literal["ties", "topics"]
"""What an answer may depend on beside the index."""
Awaited = Literal["reported", "first", "later"]
"""What an answer may wait for: that what somebody reported was looked at, that something is there
for the first time, or that the world is built again.
"""


class Seen(NamedTuple):
    """What was on disk at one moment."""

    knowledge: Knowledge
    on_disk: OnDisk
    checkout: Checkout
    """That of git when the read began."""
    is_torn: bool = False
    """Whether git wrote files while they were read: some may be those of another checkout."""


@dataclass(frozen=True, slots=True)
class Published:
    """What is told of a knowledge base at one moment."""

    world: World
    """What lies around it."""
    seen: Seen
    indexed_at: float | None = None
    settings: Settings = field(default_factory=Settings)
    settings_problems: tuple[Problem, ...] = ()

    def configured(self, client: Mapping[str, object], env: Mapping[str, str]) -> Published:
        """The same with the settings from config, client and environment."""
        settings, problems = load_settings(self.seen.on_disk.config, client, env)
        return replace(self, settings=settings, settings_problems=problems)


class Due:
    """What is to be looked at below a folder, by path.

    Named: a file may have changed; in a sweep all may have.
    Taken: a look has begun on what was named.
    Done: the look has ended, and nothing of it is due any more. One that fails is never done: the
    next one takes its files again.
    Reports: a report names a file for which questions wait, until a look that began later is done.
    """

    def __init__(self, clock: Callable[[], float], bump: Callable[[], None]) -> None:
        """`bump` is called when reports were taken in."""
        self._clock, self._bump = clock, bump
        self._sweep_at = 0.0
        self._named, self._taken = set[str](), set[str]()
        self.reports = self._reports_taken = 0
        """How many reports no look has taken in, so that questions wait; and when a look began."""

    def add(self, paths: Iterable[str]) -> None:
        """These files may have changed."""
        self._named.update(paths)

    def report(self, path: str) -> None:
        """This file may have changed, and questions wait for it."""
        self._named.add(path)
        self.reports += 1

    @property
    def at(self) -> float:
        """When a look is due, on the clock."""
        return 0.0 if self._named else self._sweep_at

    def take(self, *, sweeps: bool = False) -> Set[str]:
        """What a look that begins now is of: where it `sweeps`, or it is time to, of everything."""
        if sweeps or self._sweep_at <= self._clock():
            self._named |= EVERYTHING
        self._taken |= self._named
        self._named, self._reports_taken = set(), self.reports
        return frozenset(self._taken)

    def done(self, cost: float) -> None:
        """The look has ended, and took so many seconds."""
        if self._taken >= EVERYTHING:
            self._sweep_at = self._clock() + sweep_interval(cost)
        self._taken = set()
        self.reports -= self._reports_taken
        if self._reports_taken:
            self._bump()


class Collection:
    """A knowledge base of this process, in folder `root`, and the working tree whose files it
    speaks of there: what reads its files, and what is published of them.
    """

    def __init__(
        self,
        place: BaseInTree,
        env: Mapping[str, str],
        client: Mapping[str, object],
        clock: Callable[[], float],
        bump: Callable[[], None],
        opted_out: int,
    ) -> None:
        """`client` are the settings of this process's client. `clock` is monotonic, in seconds;
        `bump` is called when a fault begins or ends, and when reports were taken in. `opted_out`
        is the number of the last opt-out.
        """
        self.root, self.tree = map(Path, place)
        self.place, self.kb_dir = place, self.root / KB_DIRNAME
        caches = user_folder(env)
        self.bases = None if caches is None else Bases(caches, self.kb_dir)
        """Its part of the user's cache; None without a cache."""
        self.name = ""
        """The name of no other knowledge base in the process."""
        self.ready_at = clock() + READY_SECONDS
        """Until when who asks may wait for what this process has yet to read of it."""
        self.reader = DiskReader(self.kb_dir, clock, self.bases)
        nothing = Seen(Knowledge(), OnDisk(), Checkout())
        self.published = Published(World(self.tree, self.root), nothing).configured(client, env)
        """`Registry.publish` alone assigns it later, on the event loop."""
        self.due, self.due_around = Due(clock, bump), Due(clock, bump)
        """What is to be looked at below `.vouch/`, and of other files below the working tree."""
        self.has_said_pending = False
        """Whether an answer said `workspace_pending` since a world was published."""
        self.paused_until = partial(end_in, pause_file(place.root, env))
        self.faults = Faults(bump, clock)
        self.opted_out = opted_out
        """The number of the opt-out that ended last here: earlier texts do not count."""
        self._env = env
        self._others_gates: deque[frozenset[str]] = deque(maxlen=OTHER_VIEWERS)
        """The gates of others than the default viewer who asked, the last ones."""

    @property
    def knowledge(self) -> Knowledge:
        return self.published.seen.knowledge

    @property
    def on_disk(self) -> OnDisk:
        return self.published.seen.on_disk

    @property
    def world(self) -> World:
        return self.published.world

    @property
    def settings(self) -> Settings:
        return self.published.settings

    # Reading, in any thread, one call at a time

    def look(self, checkout: Checkout, paths: Set[str] = EVERYTHING) -> Seen:
        """Read which of `paths` below `.vouch/` changed on disk, in a checkout. Blocks. Raises
        PermissionError if another user owns `.vouch/`.
        """
        if self.is_refused():
            raise PermissionError(self.root)
        return Seen(*self.reader.read(paths), checkout)

    def checkout(self) -> Checkout:
        """The one around the knowledge base, what its folder links to, and the working tree now."""
        kept = resolved(self.kb_dir) if self.kb_dir.is_symlink() else self.root
        return Checkout.now((self.root, self.tree, kept), self.settings.trust.folders)

    def is_read_of(self, checkout: Checkout) -> bool:
        """Whether the files were last read of a checkout; of another one, all may differ."""
        return self.published.seen.checkout == checkout

    def is_refused(self) -> bool:
        """Whether `.vouch/` belongs to another user and is not in `trust.folders`."""
        return is_refused(str(self.kb_dir), self.settings.trust.folders)

    def below(self, path: Path) -> str | None:
        """The path below `.vouch/` of a file there (`anchored`); None elsewhere."""
        return _below(self.kb_dir, path)

    def report(self, paths: Iterable[Path]) -> None:
        """Somebody says that these files may have changed. A folder is reported with its files."""
        for path in paths:
            below, around = self.below(path), _below(self.tree, path)
            if below is not None and (read := read_with(below)) is not None:
                self.due.report(read)
            if around is not None and not path.is_relative_to(self.kb_dir):
                self.due_around.report(around)

    # The world around

    @property
    def inputs(self) -> Inputs:
        """What the world is to be built from."""
        return Inputs(
            knowledge_serial=self.knowledge.serial,
            checkout=self.published.seen.checkout,
            own=own_names(self.name, self.root),
            trusted=tuple(self.settings.trust.folders),
            names_people=self.settings.people.git != "off",
            is_whole=self.world.is_built,  # the first world is not
        )

    def build(
        self,
        knowledge: Knowledge,
        inputs: Inputs,
        viewers: list[frozenset[str]],
        reported: Set[str],
        breathe: Breathe,
    ) -> World:
        """The world that follows the published one. Blocks; one thread at a time may call it."""
        return build(
            self.world, knowledge, inputs, viewers, self.bases, self._env, breathe, reported
        )

    @property
    def is_world_due(self) -> bool:
        """Whether the next world would be another one, also if no file around has changed."""
        return self.is_world_behind or {*self.viewers()} != self.world.topics.keys()

    @property
    def is_world_behind(self) -> bool:
        """Whether the world is not that of what is published and of the files as they were
        reported.
        """
        return self.world.inputs != self.inputs or self.due_around.reports > 0

    @property
    def may_have_topics(self) -> bool:
        """Whether topics are enabled and the published generation may have some."""
        return self.settings.topics.enabled and self.knowledge.may_lack_links

    def viewers(self) -> list[frozenset[str]]:
        """The gates of those whose topics are derived: of who does not say who asks, and others."""
        if not self.may_have_topics:
            return []
        default = viewer_for(self.settings, None, None, self._env).gates
        return list(dict.fromkeys([default, *self._others_gates]))

    def add_viewer(self, gates: frozenset[str], *, displaces: bool = True) -> bool:
        """Have the topics derived of who passes these gates, in place of those of who began to ask
        before all others, or only where there is room. Returns whether they are to be derived.
        """
        has_place = displaces or len(self._others_gates) < OTHER_VIEWERS
        is_new = self.may_have_topics and gates not in self.viewers() and has_place
        if is_new:
            self._others_gates.append(gates)
        return is_new

    # How it is

    @property
    def complete(self) -> bool:
        """Whether its files were read once."""
        return self.published.indexed_at is not None

    @property
    def has_looked(self) -> bool:
        """Whether the first read has ended, also if it failed."""
        return self.complete or self.is_failing

    @property
    def is_failing(self) -> bool:
        """Whether the last read of the files failed."""
        return LOOK in self.faults

    @property
    def is_silent(self) -> bool:
        """Whether reads have failed for so long that nothing may be answered from this."""
        return self.faults.age(LOOK) >= SILENT_SECONDS

    @property
    def is_rebuilt(self) -> bool:
        """Whether the index is rebuilt because it was damaged."""
        is_found = not self.complete and self.bases is not None and self.bases.damaged
        return self.knowledge.base.is_damaged or is_found

    def lacks(self, needs: Set[Need], gates: frozenset[str]) -> dict[Degraded, Awaited | None]:
        """What an answer with these needs lacks now for who passes these gates. None: it is not
        waited for, as the step that would bring it fails; else what an answer may wait for.
        """
        lacks: dict[Degraded, Awaited | None] = {}
        if not self.complete or (self.due.reports and not self.is_failing):
            index: Awaited = "reported" if self.complete else "first"
            lacks["index_building"] = None if self.is_failing else index
        asks_topics = "topics" in needs and self.may_have_topics
        is_lacking = self.is_world_behind or (asks_topics and gates not in self.world.topics)
        if self.complete and is_lacking and ("ties" in needs or asks_topics):
            again: Awaited = "reported" if self.due_around.reports else "later"
            world = again if self.world.inputs.is_whole else "first"
            lacks["workspace_pending"] = None if WORKSPACE in self.faults else world
        return lacks

    def faulty(self) -> list[Problem]:
        """What fails or is off, as problems of the whole knowledge base (empty path)."""
        head, unread = self.world.history.head, self.world.history.unread
        off = [
            (
                self.is_failing and self.is_refused(),
                Severity.WARNING,
                why_refused(str(self.root)),
            ),
            (self.published.seen.is_torn, Severity.WARNING, "A checkout may be seen in parts"),
            (bool(unread), Severity.WARNING if head else Severity.HINT, NO_HISTORY.format(unread)),
            (self.is_silent, Severity.ERROR, SILENT.format(self.name)),
        ]
        return [
            *self.faults.problems(),
            *(Problem("", text, severity) for is_so, severity, text in off if is_so),
        ]


def _below(folder: Path, path: Path) -> str | None:
    """The path of a file below a folder; that of the folder, and of one around it, is empty, as in
    `EVERYTHING`. None elsewhere.
    """
    if folder.is_relative_to(path):
        return ""
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else None
