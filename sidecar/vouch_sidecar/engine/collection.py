"""One knowledge base of the process: its files, what is known of them, and its settings."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

from vouch_sidecar.engine.checkout import Checkout
from vouch_sidecar.engine.disk_reader import DiskReader, Step
from vouch_sidecar.engine.due import Due
from vouch_sidecar.engine.faults import Faults
from vouch_sidecar.engine.surroundings import Missing, Stage, Surroundings
from vouch_sidecar.index.base_cache import Bases
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.discovery import is_refused, why_refused
from vouch_sidecar.kb.pauses import Pause
from vouch_sidecar.kb.records import Problem, Severity
from vouch_sidecar.kb.sanitize import printable
from vouch_sidecar.kb.settings import Settings, load_settings
from vouch_sidecar.kb.store import GRACE_SECONDS
from vouch_sidecar.workspace.git import why_unasked
from vouch_sidecar.workspace.snapshot import Workspace

SILENT_SECONDS = GRACE_SECONDS
"""How long the last content is served while the files cannot be read: as long as the last good
version of a single unreadable file. Without a limit, redacted text would be served for ever.
"""
LOOK, BASE, GIT, WATCH, WORKSPACE = "look", "base", "git", "watch", "workspace"
HISTORY, FILES = "history", "files"  # reading commits, and listing files
"""Names of the steps of a knowledge base that may fail, in its `faults`."""


@dataclass(slots=True)
class Collection:
    """A knowledge base of this process, in folder `root`, and the working tree whose files it
    speaks of: what reads its files, and what is published of them. `name` is that of no other
    knowledge base in the process; `clock` is monotonic, in seconds.
    """

    root: Path
    tree: Path
    reader: DiskReader
    surroundings: Surroundings
    due: Due
    checkout: Checkout
    clock: Callable[[], float] = time.monotonic
    since: float = 0.0
    """When this process began to serve it."""
    name: str = ""
    settings: Settings = field(default_factory=Settings)
    settings_problems: tuple[Problem, ...] = ()
    knowledge: Knowledge = field(default_factory=Knowledge)
    """The published generation."""
    problems: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)
    config: bytes | None = None
    skipped: int = 0
    complete: bool = False
    indexed_at: float | None = None
    pause: Pause = field(default_factory=Pause)
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
        tree: Path | None = None,
    ) -> Collection:
        """The knowledge base in folder `root`, unread; `caches` is the folder for its bases."""
        tree = tree or root
        bases = None if caches is None else Bases(caches, root)
        reader, surroundings = DiskReader(root, clock, bases), Surroundings(tree, Workspace(tree))
        due, checkout = Due(root, tree, clock), Checkout()
        return cls(root, tree, reader, surroundings, due, checkout, clock, clock(), pause=pause)

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
        if self.is_silent:
            words = f"its files could not be looked at for {SILENT_SECONDS:g} seconds"
            problems.append(Problem("", f"Nothing of {self.name} is said: {words}"))
        return problems

    def hints(self) -> list[Problem]:
        """Features that are off for the whole knowledge base although nothing failed."""
        unasked = why_unasked(self.tree, self.settings.trust.folders)
        text = "git is not asked, so that files are found by a walk, and authors not named"
        return [Problem("", f"{text}: {unasked}", Severity.HINT)] if unasked else []

    def why_unnamed(self) -> str:
        """Why authors of commits are not named; "" where they can be."""
        unasked = why_unasked(self.tree, self.settings.trust.folders)
        return unasked or self.surroundings.workspace.history.unread

    @property
    def may_have_topics(self) -> bool:
        """Whether topics are enabled and the published generation may have some."""
        return self.settings.topics.enabled and bool(self.knowledge.sparse_labels)

    def publish(self, step: Step, now: float) -> None:
        """Publish a step. `now` is wall-clock time in seconds."""
        self.knowledge = step.knowledge
        self.problems = step.problems
        self.skipped = step.skipped
        self.config = step.config
        self.complete = True
        self.indexed_at = now

    def publish_on_new_base(self) -> bool:
        """Publish the last generation again if it stands on a new base. Its content is the same, so
        what was computed from it is kept. Returns whether it does.
        """
        before, self.knowledge = self.knowledge, self.reader.latest
        if before is self.knowledge:
            return False
        self.surroundings.carry_over(before, self.knowledge)
        return True

    def publish_workspace(self, stage: Stage) -> bool:
        """Publish a stage of the workspace's analysis, and as faults what it could not find.
        Returns whether answers may differ.
        """
        if stage.missing is not None:
            self._record(stage.missing)
        return self.surroundings.publish(stage)

    def _record(self, missing: Missing) -> None:
        why, is_cut = missing.why_history_unread, missing.is_list_cut
        unread = f"The repository's commits are not read, and their authors not named: {why}"
        cut = "There are too many files: some have no ties"
        for step, text in ((HISTORY, unread if why else ""), (FILES, cut if is_cut else "")):
            if text:
                self.faults.add(step, text)
            else:
                self.faults.remove(step)

    def configure(self, client: Mapping[str, object], env: Mapping[str, str]) -> None:
        """Load the settings from config, client and environment."""
        self.settings, self.settings_problems = load_settings(self.config, client, env)

    @property
    def bases(self) -> Bases | None:
        """Its part of the user's cache; None without a cache."""
        return self.reader.bases

    @property
    def is_workspace_pending(self) -> bool:
        """Whether ties to files are not complete yet for the published generation."""
        is_older = self.surroundings.complete_for is not self.knowledge
        return is_older or bool(self.due.around)

    @property
    def is_first_workspace_pending(self) -> bool:
        """Whether ties to files were never complete so far, and analysing the workspace did not
        fail.
        """
        return self.surroundings.complete_for is None and WORKSPACE not in self.faults

    @property
    def is_workspace_awaited(self) -> bool:
        """Whether ties to files were complete once, are not since a file was reported as changed,
        and will be soon.
        """
        was_complete = self.surroundings.complete_for is not None and WORKSPACE not in self.faults
        return was_complete and bool(self.due.around)

    @property
    def is_behind(self) -> bool:
        """Whether a file was reported as changed since the files were last read, and reading them
        does not fail.
        """
        return not self.is_failing and bool(self.due.files)
