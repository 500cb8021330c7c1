"""One knowledge base of the process: its files, what is known of them, and its settings."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import NamedTuple

from vouch_sidecar.engine.faults import Faults
from vouch_sidecar.index.base import Bases, Manifest, Unfinished
from vouch_sidecar.index.building import Builder
from vouch_sidecar.index.changing import after
from vouch_sidecar.index.knowledge import Documents, Knowledge, is_known
from vouch_sidecar.index.layers import Layer, Writing, in_memory
from vouch_sidecar.index.links import stands_in
from vouch_sidecar.index.receipts import Disk
from vouch_sidecar.index.schema import WITHOUT_QUOTE, quoted_in
from vouch_sidecar.index.topics import NO_TOPICS, Topics
from vouch_sidecar.kb.discovery import is_refused, why_refused
from vouch_sidecar.kb.layout import CONFIG, KB_DIRNAME, usual_key
from vouch_sidecar.kb.plain import printable
from vouch_sidecar.kb.records import (
    Artifact,
    Change,
    Claim,
    Key,
    Kind,
    Page,
    Problem,
    Scope,
    Severity,
    Source,
    VouchSession,
    key_of,
)
from vouch_sidecar.kb.settings import Settings, load_settings
from vouch_sidecar.kb.store import GRACE_SECONDS, Reconciled, Store
from vouch_sidecar.workspace.git import Repository
from vouch_sidecar.workspace.snapshot import Workspace

log = logging.getLogger(__name__)

REBASE_FROM = 300
"""Changed artifacts from which on a new base is written: each change makes the layers anew."""
SILENT_SECONDS = GRACE_SECONDS
"""How long what was read serves while looking at the files fails: as long as the last good version
of one file that can't be read. What was redacted meanwhile would be served for good otherwise.
"""
LOOK, BASE, GIT, WATCH = "look", "base", "git", "watch"
"""The steps of a knowledge base that may fail."""


@dataclass(frozen=True, slots=True)
class Step:
    """What is on disk, ready to be published. `ended`: the sessions that vouch ended."""

    knowledge: Knowledge
    problems: Mapping[str, tuple[Problem, ...]]
    skipped: int
    config: bytes | None
    ended: frozenset[str] = frozenset()


class Written(NamedTuple):
    """A base, and the generation that it was written from; without a folder it is in memory.
    `purges`: how often something had been retired by then.
    """

    of: Knowledge
    layer: Layer
    unfinished: Unfinished | None
    purges: int


@dataclass(slots=True)
class Collection:
    """A knowledge base as the process holds it. `name` is unique within the process.

    `knowledge` is what is published, `latest` what was last read; `clock` is monotonic, in seconds.
    """

    root: Path
    store: Store
    settings: Settings
    bases: Bases | None = None
    name: str = ""
    knowledge: Knowledge = field(default_factory=Knowledge)
    latest: Knowledge = field(default_factory=Knowledge)
    problems: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)
    config: bytes | None = None
    settings_problems: tuple[Problem, ...] = ()
    skipped: int = 0
    complete: bool = False
    indexed_at: float | None = None
    workspace: Workspace = field(default_factory=lambda: Workspace(Path()))
    """What lies around it, as far as it was worked out."""
    topics: Topics = NO_TOPICS
    """Names that nobody declared, as far as they were worked out."""
    workspace_of: Knowledge | None = None
    """The generation that it was worked out for."""
    has_commits: bool = False
    """Whether a repository with commits lies around it, as it was when it was read first."""
    clock: Callable[[], float] = time.monotonic
    faults: Faults = field(default_factory=Faults)
    failing_since: float | None = None
    """When looking at the files failed, unless it succeeded since."""
    _found: tuple[Layer, Manifest] | None = None
    _unfinished: Unfinished | None = None
    _purged: bool = False
    _purges: int = 0
    _config_left: bytes | None = None
    """The config that the next process will take for the last one that could be read."""

    @classmethod
    def at(cls, root: Path, clock: Callable[[], float], caches: Path | None = None) -> Collection:
        """The knowledge base in a folder, not read yet; `caches` is the folder for its bases."""
        bases = None if caches is None else Bases(caches, root)
        store = Store(root / KB_DIRNAME, clock=clock)
        return cls(root, store, Settings(), bases, workspace=Workspace(root), clock=clock)

    # Reading. All of this blocks, one call at a time, in any thread.

    def read(self, paths: Iterable[str] | None = None) -> Step | None:
        """See what changed on disk; None when nothing did.

        With `paths` (below `.vouch/`) only there and where something is due; first of all: all.
        """
        if self.is_refused():
            raise PermissionError(why_refused(str(self.root)))
        if self.is_failing or self.is_damaged:
            return self._read_anew()
        if not self.complete:
            return self._read_first()
        seen = self.store.reconcile(paths)
        self._take(self.latest, seen.change)
        same = (
            self.latest is self.knowledge
            and seen.problems == self.problems
            and seen.config == self.config
            and seen.skipped == self.skipped
        )
        return None if same else self._step(seen, _ended(seen.change.upserts))

    def find_base(self) -> bool:
        """Whether an earlier process left a base to begin with."""
        if self._found is None and self.bases is not None:
            self._found = self.bases.open()
        return self._found is not None

    @property
    def rebuilds(self) -> bool:
        """Whether the base could not be read, and is built anew."""
        found_damaged = not self.complete and self.bases is not None and self.bases.damaged
        return found_damaged or self.is_damaged

    @property
    def is_damaged(self) -> bool:
        """Whether the files of the base were overwritten while it is asked."""
        return self.knowledge.base.is_damaged or self.latest.base.is_damaged

    def _read_first(self) -> Step:
        """See everything, with the help of a base that an earlier process left."""
        self.find_base()
        repository = Repository.around(self.root, self.settings.trust.folders)
        self.has_commits = repository is not None and repository.head() is not None
        found, self._found = self._found, None
        seen = self._learn() if found is None else self._recall(*found)
        return self._step(seen, _ended(self.latest.all_of(Kind.SESSION)))

    def _read_anew(self) -> Step:
        """See everything, and rely on nothing but the last good config: a look that failed may have
        been half taken in anywhere.
        """
        self._purge()
        self._forget_files()
        seen = self._learn()
        return self._step(seen, _ended(self.latest.all_of(Kind.SESSION)))

    @property
    def disk(self) -> Disk:
        """What is read from files where it is needed."""
        return Disk(self.store.content_of, self.store.read_artifact)

    def _forget_files(self) -> None:
        self.store = Store(self.root / KB_DIRNAME, clock=self.clock)
        self.store.resume({}, self.store.read_artifact, self.config)

    def _learn(self) -> Reconciled:
        """Read every file into a base of this process: on disk, or in memory where there is no
        room.
        """
        if self.bases is None:
            return self._learn_into(Writing())
        try:
            self._purged = False
            self._unfinished = self.bases.begin()
            return self._learn_into(self._unfinished.writing)
        except (OSError, ValueError) as error:
            log.warning("the index stays in memory: %s", type(error).__name__)
        if self._unfinished is not None:
            self.bases.discard(self._unfinished)
        self._unfinished, self._purged = None, True
        self._forget_files()
        return self._learn_into(Writing())

    def _learn_into(self, writing: Writing) -> Reconciled:
        builder = Builder(writing, self.disk)
        self.store.keep_by(builder.add, self.store.read_artifact)
        seen = self.store.reconcile()
        base = builder.finish()
        self.store.keep_by(None, _recalling(base))
        self._take(base, seen.change)
        return seen

    def _recall(self, layer: Layer, manifest: Manifest) -> Reconciled:
        """Take over a base, but for what is not as it was when that was finished."""
        base = Knowledge(layer)
        self.store.resume(dict(manifest.stats), _recalling(base), manifest.config)
        seen = self.store.reconcile()
        proved = {key_of(artifact) for artifact in seen.change.upserts}
        doubtful = {*map(usual_key, self.store.outdated), *manifest.unlisted}
        gone = seen.change.removals | (doubtful - proved)
        self._take(base, Change(seen.change.upserts, gone))
        self._config_left = manifest.config
        return seen

    def _take(self, before: Knowledge, change: Change) -> None:
        """Take a change in. What it retires stands in no file of this user from then on."""
        self.latest = after(before, change, self.disk)
        if _retired(before, self.latest):
            self._purge()

    def _step(self, seen: Reconciled, ended: frozenset[str]) -> Step:
        return Step(self.latest, seen.problems, seen.skipped, seen.config, ended)

    def _purge(self) -> None:
        self._unfinished = None
        if self.bases is not None:
            self._purged = True
            self._purges += 1
            self.bases.purge()

    # The base. `write` may run beside everything else; `adopt` and `finish_base` as reading does.

    def keep_up(self, whole: bool = False) -> bool:
        """Bring what is on disk for the next process up to what was last read, `whole` also where
        little changed; False when that has to wait.
        """
        if self.wants_base or (whole and self.latest.changed):
            written = self.write()
            if written is None:
                return False
            self.adopt(written)
        return self.finish_base()

    @property
    def wants_base(self) -> bool:
        """Whether a new base is worth writing. One that was removed is written once, by whichever
        process is first.
        """
        if self.bases is not None and self._purged and not self.bases.is_there():
            return True
        return len(self.latest.changed) >= REBASE_FROM or self._leaves_another_config

    @property
    def _leaves_another_config(self) -> bool:
        settled = self.bases is not None and self._unfinished is None
        return settled and self.store.config != self._config_left

    def write(self) -> Written | None:
        """Write a base of what was last read; None where somebody removed it meanwhile. Raises
        OSError or ValueError.
        """
        purges, known = self._purges, self.latest
        if self.bases is None:
            return Written(known, in_memory(known.documents()), None, purges)
        written = self.bases.write(known.documents())
        if written is None:
            return None
        unfinished, layer = written
        return Written(known, layer, unfinished, purges)

    def adopt(self, written: Written) -> None:
        """Go on with a base that was written, and with what changed since."""
        if written.of.base is not self.latest.base:
            return  # all was read anew meanwhile
        base = Knowledge(written.layer, written.of.names)
        since = self.latest.on(written.layer, written.of)
        self.store.release(_recalling(base), since.changed.keys())
        if self._unfinished is not None and self.bases is not None:
            self.bases.discard(self._unfinished)
        self._unfinished, self._purged = written.unfinished, False
        self.latest = since
        if self._purges != written.purges:
            self._purge()

    def finish_base(self) -> bool:
        """Leave the base to the next process; False when that has to wait."""
        if self.is_failing:
            return False
        if self._unfinished is None or self.bases is None:
            return True
        if not self.store.is_settled():
            return False
        changed = self.latest.changed
        stats = {
            path: stat
            for path, stat in self.store.listed()
            if path == CONFIG or usual_key(path) not in changed
        }
        unlisted = frozenset(self.store.unlisted() | changed.keys())
        finished = self.bases.finish(self._unfinished, Manifest(stats, unlisted, self.store.config))
        self._purged, self._unfinished = not finished, None
        self._config_left = self.store.config
        return finished

    # What fails

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Look at the files. Where that fails, the next look is at all of them, anew."""
        with self.faults.contained(LOOK, "Changes on disk could not be taken in"):
            yield
        if LOOK not in self.faults:
            self.failing_since = None
        elif self.failing_since is None:
            self.failing_since = self.clock()

    @contextmanager
    def remembering(self) -> Iterator[None]:
        """Write a base, or finish it. Where that fails, the next start reads more files."""
        with self.faults.contained(BASE, "The cache could not be written"):
            yield

    def is_refused(self) -> bool:
        """Whether another user owns `.vouch/` by now, and nobody trusts it."""
        return is_refused(str(self.root / KB_DIRNAME), self.settings.trust.folders)

    @property
    def is_failing(self) -> bool:
        """Whether the last look at the files failed."""
        return self.failing_since is not None

    @property
    def silent_at(self) -> float:
        """When nothing is to be said any more, unless a look at the files succeeds before."""
        return inf if self.failing_since is None else self.failing_since + SILENT_SECONDS

    @property
    def is_silent(self) -> bool:
        """Whether looking has failed for so long that nothing of it may be said."""
        return self.silent_at <= self.clock()

    @property
    def is_noticed_late(self) -> bool:
        """Whether changes on disk may be noticed late."""
        return WATCH in self.faults or GIT in self.faults

    def faulty(self) -> list[Problem]:
        """What fails at the moment, as problems of the knowledge base itself."""
        found = [Problem("", text, Severity.WARNING) for text in self.faults]
        if self.is_failing and self.is_refused():
            found.append(Problem("", why_refused(printable(str(self.root))), Severity.WARNING))
        if self.is_silent:
            words = f"its files could not be looked at for {SILENT_SECONDS:g} seconds"
            found.append(Problem("", f"Nothing of {self.name} is said: {words}"))
        return found

    @property
    def is_workspace_pending(self) -> bool:
        """Whether ties to files are not worked out for what is published."""
        return self.workspace_of is not self.knowledge

    @property
    def may_have_topics(self) -> bool:
        """Whether names that nobody declared count, and there may be some."""
        return self.settings.topics.enabled and bool(self.knowledge.sparse_behind)

    # Publishing. Belongs to the event loop.

    def take(self, step: Step, now: float) -> None:
        """Make a step count, whole."""
        self.knowledge = step.knowledge
        self.problems = step.problems
        self.skipped = step.skipped
        self.config = step.config
        self.complete = True
        self.indexed_at = now

    def on_disk(self, relative: str) -> Artifact | None:
        """What the file at a path below `.vouch/` says, as published, if it counts for its id."""
        return self.knowledge.at_path(relative)

    def configure(self, client: Mapping[str, object], env: Mapping[str, str]) -> None:
        """Read the settings anew."""
        self.settings, self.settings_problems = load_settings(self.config, client, env)


def _retired(before: Knowledge, after: Knowledge) -> bool:
    """Whether something is known no more, or a part of it is not: a sentence, a quote."""
    return after is not before and any(
        made is not (was := before.changed.get(key)) and _says_less(before, key, was, made)
        for key, made in after.changed.items()
    )


def _says_less(before: Knowledge, key: Key, was: Documents | None, made: Documents) -> bool:
    if not is_known(made):
        return was is None or is_known(was)
    then = was[0] if was else before.document(key)
    if then is None:
        return False
    lost = stands_in(made[0]).linked == WITHOUT_QUOTE != stands_in(then).linked
    old, new = quoted_in(then), quoted_in(made[0])
    sentence = None if old is None else old.sentence
    told = None if new is None else new.sentence
    return lost or (sentence is not None and (told is None or told.text != sentence.text))


def _ended(artifacts: Iterable[Artifact]) -> frozenset[str]:
    """Ids of the sessions that have ended."""
    sessions = (a for a in artifacts if isinstance(a, VouchSession))
    return frozenset(s.id for s in sessions if s.ended_at is not None)


def _recalling(base: Knowledge) -> Callable[[str], Artifact]:
    """Gives what a file said when the base was written; of what was for nobody, only that it was
    there.
    """

    def recall(path: str) -> Artifact:
        return base.artifact(usual_key(path)) or _for_nobody(path)

    return recall


def _for_nobody(path: str) -> Artifact:
    kind, artifact_id = usual_key(path)
    withheld: dict[Kind, Callable[..., Artifact]] = {
        Kind.CLAIM: Claim,
        Kind.PAGE: Page,
        Kind.SOURCE: Source,
    }
    return withheld[kind](artifact_id, path, "", scope=Scope("private"))
