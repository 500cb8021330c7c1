"""One knowledge base of the process: its files, what is known of them, and its settings."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import NamedTuple

from vouch_sidecar.engine.faults import Faults
from vouch_sidecar.index.base_cache import Bases, Manifest, Unfinished
from vouch_sidecar.index.builder import Builder
from vouch_sidecar.index.encoding import Pseudonyms
from vouch_sidecar.index.incremental import after
from vouch_sidecar.index.knowledge import Documents, Knowledge, is_known
from vouch_sidecar.index.layers import Layer, Writing, in_memory
from vouch_sidecar.index.links import link_state_of
from vouch_sidecar.index.receipts import Disk
from vouch_sidecar.index.schema import WITHOUT_QUOTE, quoted_in, retired_key
from vouch_sidecar.kb.discovery import is_refused, why_refused
from vouch_sidecar.kb.layout import CONFIG, KB_DIRNAME, usual_key
from vouch_sidecar.kb.pauses import Pause
from vouch_sidecar.kb.records import (
    Artifact,
    Change,
    Claim,
    Key,
    Kind,
    Page,
    Problem,
    Relation,
    Scope,
    Severity,
    Source,
    VouchSession,
    key_of,
)
from vouch_sidecar.kb.safe_files import Stat
from vouch_sidecar.kb.sanitize import printable
from vouch_sidecar.kb.settings import Settings, load_settings
from vouch_sidecar.kb.store import GRACE_SECONDS, Reconciled, Store
from vouch_sidecar.workspace.code_owners import stamp_of_owners
from vouch_sidecar.workspace.file_list import stamp_of
from vouch_sidecar.workspace.git import Head, Repository, why_unasked
from vouch_sidecar.workspace.snapshot import Workspace
from vouch_sidecar.workspace.topics import NO_TOPICS, Topics

log = logging.getLogger(__name__)

REBASE_FROM = 300
"""A new base is written once this many artifacts changed: every change rebuilds the layers."""
SILENT_SECONDS = GRACE_SECONDS
"""How long the last content is served while the files cannot be read: as long as the last good
version of a single unreadable file. Without a limit, redacted text would be served for ever.
"""
READY_SECONDS = 10.0
"""How long after a process began to serve a knowledge base its first answers wait to be whole."""
LOOK, BASE, GIT, WATCH, WORKSPACE = "look", "base", "git", "watch", "workspace"
"""Names of the steps of a knowledge base that may fail, in its `faults`."""


@dataclass(frozen=True, slots=True)
class Step:
    """The content of the disk, ready to be published. `ended`: ids of sessions that vouch ended."""

    knowledge: Knowledge
    problems: Mapping[str, tuple[Problem, ...]]
    skipped: int
    config: bytes | None
    ended: frozenset[str] = frozenset()


class Written(NamedTuple):
    """A new base, in memory if `unfinished` is None, and the generation that it was written from.
    `purges`: the number of purges before the base was written.
    """

    of: Knowledge
    layer: Layer
    unfinished: Unfinished | None
    purges: int


@dataclass(slots=True)
class Collection:
    """A knowledge base in this process. `name` is unique within the process.

    `knowledge` is the published generation, `latest` the one last read; `clock` is monotonic, in
    seconds.
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
    """The files around the knowledge base, as far as they are analysed."""
    topics: Topics = NO_TOPICS
    """Names that nobody declared, as far as they are derived."""
    workspace_of: Knowledge | None = None
    """The generation for which `workspace` is complete."""
    head: Head | None = None
    """HEAD of the repository around it, for an indexer that follows the disk."""
    head_looked: object = None
    """The version of `head` before the last look at the files of the knowledge base."""
    head_around: object = None
    """The version of `head` for which `workspace` is complete."""
    index_listed: Stat | None = None
    """Stat of git's index when the files of `workspace` were listed."""
    has_commits: bool = False
    """Whether a repository with commits surrounded the knowledge base at the first read."""
    has_code_owners: bool = False
    """Whether there was a CODEOWNERS file at the first read."""
    pause: Pause = field(default_factory=Pause)
    why_git_unasked: str = ""
    """Why the repository around it counts as none; "" where it counts, or there is none."""
    clock: Callable[[], float] = time.monotonic
    since: float = 0.0
    """When this process began to serve it."""
    faults: Faults = field(default_factory=Faults)
    failing_since: float | None = None
    """When reading the files began to fail; None if the last read succeeded."""
    _opened_base: tuple[Layer, Manifest] | None = None
    _unfinished: Unfinished | None = None
    _purged: bool = False
    _purges: int = 0
    _config_in_base: bytes | None = None
    """The last readable config, as the manifest of the base hands it to the next process."""

    @classmethod
    def at(cls, root: Path, clock: Callable[[], float], caches: Path | None = None) -> Collection:
        """The knowledge base in folder `root`, unread; `caches` is the folder for its bases."""
        bases = None if caches is None else Bases(caches, root)
        store = Store(root / KB_DIRNAME, clock=clock)
        workspace = Workspace(root)
        return cls(root, store, Settings(), bases, workspace=workspace, clock=clock, since=clock())

    # Reading. These methods block; any thread may call them, one at a time.

    def read(self, paths: Iterable[str] | None = None) -> Step | None:
        """Read what changed on disk; None if nothing did.

        `paths` (below `.vouch/`) limits this to these files and those that the store is to check
        again. The first call reads everything. Raises PermissionError if another user owns
        `.vouch/`.
        """
        if self.is_refused():
            raise PermissionError(why_refused(str(self.root)))
        if self.is_failing or self.is_damaged:
            return self._read_again()
        if not self.complete:
            return self._read_first()
        seen = self.store.reconcile(paths)
        self._apply(self.latest, seen.change)
        same = (
            self.latest is self.knowledge
            and seen.problems == self.problems
            and seen.config == self.config
            and seen.skipped == self.skipped
        )
        return None if same else self._step(seen, _ended(seen.change.upserts))

    def find_base(self) -> bool:
        """Whether an earlier process left a base that can be opened."""
        if self._opened_base is None and self.bases is not None:
            self._opened_base = self.bases.open()
        return self._opened_base is not None

    @property
    def rebuilds(self) -> bool:
        """Whether the base is rebuilt because it was damaged."""
        found_damaged = not self.complete and self.bases is not None and self.bases.damaged
        return found_damaged or self.is_damaged

    @property
    def is_damaged(self) -> bool:
        """Whether the files of the base were overwritten while in use."""
        return self.knowledge.base.is_damaged or self.latest.base.is_damaged

    def _read_first(self) -> Step:
        """Read everything, starting from the base of an earlier process if there is one."""
        self.find_base()
        repository = Repository.around(self.root, self.settings.trust.folders)
        self.why_git_unasked = why_unasked(self.root, self.settings.trust.folders)
        self.has_commits = repository is not None and repository.head() is not None
        top = self.root if repository is None else repository.top
        self.has_code_owners = any(stamp_of_owners(top))
        base, self._opened_base = self._opened_base, None
        seen = self._build_base() if base is None else self._resume(*base)
        return self._step(seen, _ended(self.latest.all_of(Kind.SESSION)))

    def _read_again(self) -> Step:
        """Read everything again and keep only the last good config: a failed read may have left
        any other state half updated.
        """
        self._purge()
        self._reset_store()
        seen = self._build_base()
        return self._step(seen, _ended(self.latest.all_of(Kind.SESSION)))

    @property
    def disk(self) -> Disk:
        """Reads contents and artifacts from the files on demand."""
        return Disk(self.store.content_of, self.store.read_artifact, self.store.hidden)

    def _reset_store(self) -> None:
        self.store = Store(self.root / KB_DIRNAME, clock=self.clock)
        self.store.resume({}, self.store.read_artifact, self.config)

    def _build_base(self) -> Reconciled:
        """Index every file into a new base: on disk, or in memory if the disk cannot be written."""
        if self.bases is None:
            return self._build_into(Writing())
        try:
            self._purged = False
            self._unfinished = self.bases.begin()
            return self._build_into(self._unfinished.writing)
        except (OSError, ValueError) as error:
            log.warning("the index stays in memory: %s", type(error).__name__)
        if self._unfinished is not None:
            self.bases.discard(self._unfinished)
        self._unfinished, self._purged = None, True
        self._reset_store()
        return self._build_into(Writing())

    def _build_into(self, writing: Writing) -> Reconciled:
        builder = Builder(writing, self.disk)
        self.store.hand_over_to(builder.add, self.store.read_artifact)
        seen = self.store.reconcile()
        base = builder.finish()
        self.store.hand_over_to(None, _artifact_reader(base))
        self._apply(base, seen.change)
        return seen

    def _resume(self, layer: Layer, manifest: Manifest) -> Reconciled:
        """Start from a finished base and apply what changed on disk since then."""
        base = Knowledge(layer, pseudonyms=Pseudonyms(manifest.salt))
        self.store.resume(dict(manifest.stats), _artifact_reader(base), manifest.config)
        seen = self.store.reconcile()
        read_again = {key_of(artifact) for artifact in seen.change.upserts}
        uncertain = {*map(usual_key, self.store.outdated), *manifest.unlisted}
        gone = seen.change.removals | (uncertain - read_again)
        self._apply(base, Change(seen.change.upserts, gone))
        self._config_in_base = manifest.config
        return seen

    def _apply(self, before: Knowledge, change: Change) -> None:
        """Apply a change to `latest`. If it removes text, purge the bases, which still hold it."""
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

    # The base. `write` may run at any time; `adopt` and `finish_base` only while nothing is read.

    def keep_up(self, whole: bool = False) -> bool:
        """Write a base for the next process if enough changed (`whole`: if anything changed).
        Returns False if the base cannot be written or finished yet.
        """
        if self.wants_base or (whole and self.latest.changed):
            written = self.write()
            if written is None:
                return False
            self.adopt(written)
        return self.finish_base()

    @property
    def wants_base(self) -> bool:
        """Whether a new base is worth writing. After a purge, the first process to notice writes
        the base for all.
        """
        if self.bases is not None and self._purged and not self.bases.is_there():
            return True
        return len(self.latest.changed) >= REBASE_FROM or self._config_differs

    @property
    def _config_differs(self) -> bool:
        settled = self.bases is not None and self._unfinished is None
        return settled and self.store.config != self._config_in_base

    def write(self) -> Written | None:
        """Write a base of `latest`; None if it was removed while being written. Raises OSError or
        ValueError.
        """
        purges, knowledge = self._purges, self.latest
        if self.bases is None:
            return Written(knowledge, in_memory(knowledge.documents()), None, purges)
        written = self.bases.write(knowledge.documents())
        if written is None:
            return None
        unfinished, layer = written
        return Written(knowledge, layer, unfinished, purges)

    def adopt(self, written: Written) -> None:
        """Replace the base by a written one; `latest` keeps the changes made since."""
        if written.of.base is not self.latest.base:
            return  # everything was read again meanwhile
        names = written.of.pseudonyms
        base = Knowledge(written.layer, written.of.names, pseudonyms=names)
        since = self.latest.on(written.layer, written.of)
        self.store.hold_only(_artifact_reader(base), since.changed.keys())
        if self._unfinished is not None and self.bases is not None:
            self.bases.discard(self._unfinished)
        self._unfinished, self._purged = written.unfinished, False
        self.latest = since
        if self._purges != written.purges:
            self._purge()

    def finish_base(self) -> bool:
        """Finish the base for the next process; False if reads fail or files are too new."""
        if self.is_failing:
            return False
        if self._unfinished is None or self.bases is None:
            return True
        if not self.store.is_settled():
            return False
        knowledge, changed = self.latest, self.latest.changed
        names, hidden = knowledge.pseudonyms, knowledge.retired_keys()

        def is_retired(key: Key) -> bool:
            if key[0] in (Kind.CLAIM, Kind.RELATION):
                return retired_key(key, names) in hidden
            return key[0] is Kind.PAGE and knowledge.document(key) is None

        stats = {
            path: stat
            for path, stat in self.store.manifest_stats()
            if path == CONFIG or usual_key(path) not in changed
        }
        retired = frozenset(one for one in stats if one != CONFIG and is_retired(usual_key(one)))
        unlisted = self.store.not_in_manifest() | changed.keys()
        unlisted = {key for key in unlisted if not is_retired(key)}
        config = self.store.config
        manifest = Manifest(stats, frozenset(unlisted), config, retired, names.salt)
        finished = self.bases.finish(self._unfinished, manifest)
        self._purged, self._unfinished = not finished, None
        self._config_in_base = self.store.config
        return finished

    # Faults

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
        """When answers stop unless a read succeeds before, on `clock`; infinity if none failed."""
        return inf if self.failing_since is None else self.failing_since + SILENT_SECONDS

    @property
    def is_silent(self) -> bool:
        """Whether reads have failed for so long that nothing may be answered from this."""
        return self.silent_at <= self.clock()

    @property
    def is_noticed_late(self) -> bool:
        """Whether changes on disk may be noticed late."""
        return WATCH in self.faults or GIT in self.faults

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
        """What the whole knowledge base does without, though nothing failed."""
        if not self.why_git_unasked:
            return []
        text = "git is not asked, so that files are found by a walk, and authors not named"
        return [Problem("", f"{text}: {self.why_git_unasked}", Severity.HINT)]

    @property
    def is_workspace_pending(self) -> bool:
        """Whether ties to files are incomplete for the published generation."""
        return self.workspace_of is not self.knowledge or self.head_around != self.head_looked

    @property
    def is_first_look_pending(self) -> bool:
        """Whether the workspace was never complete, and analysing it has not failed."""
        return self.workspace_of is None and WORKSPACE not in self.faults

    @property
    def is_checkout_pending(self) -> bool:
        """Whether the workspace was complete before the last checkout only."""
        was_complete = self.workspace_of is not None and WORKSPACE not in self.faults
        return was_complete and self.head_around != self.head_looked

    @property
    def is_behind(self) -> bool:
        """Whether something was checked out since the last look at the files."""
        return self.head is not None and self.head.version() != self.head_looked

    def is_list_behind(self, paths: Iterable[str]) -> bool:
        """Whether git's index changed since it was read for the list of files, and one of these
        paths has come or gone.
        """
        files, trusted = self.workspace.files, self.settings.trust.folders
        if not (paths and files.tracked) or stamp_of(self.root, trusted) == self.index_listed:
            return False
        below = filter(None, map(self.workspace.path_of, paths))
        return any((path in files) != os.path.lexists(self.root / path) for path in below)

    @property
    def may_have_topics(self) -> bool:
        """Whether topics are enabled and the published generation may have some."""
        return self.settings.topics.enabled and bool(self.knowledge.sparse_labels)

    # Publishing, on the event loop only.

    def take(self, step: Step, now: float) -> None:
        """Publish a step. `now` is wall-clock time in seconds."""
        self.knowledge = step.knowledge
        self.problems = step.problems
        self.skipped = step.skipped
        self.config = step.config
        self.complete = True
        self.indexed_at = now

    def configure(self, client: Mapping[str, object], env: Mapping[str, str]) -> None:
        """Load the settings from config, client and environment."""
        self.settings, self.settings_problems = load_settings(self.config, client, env)


def _retired(before: Knowledge, after: Knowledge) -> bool:
    """Whether a change removed an artifact, or a sentence or quote of one."""
    return after is not before and any(
        made is not (was := before.changed.get(key)) and _lost_text(before, key, was, made)
        for key, made in after.changed.items()
    )


def _lost_text(before: Knowledge, key: Key, was: Documents | None, documents: Documents) -> bool:
    if not is_known(documents):
        return before.artifact(key) is not None
    then = was[0] if was else before.document(key)
    if then is None:
        return False
    stands, stood = link_state_of(documents[0]), link_state_of(then)
    lost = stands.linked == WITHOUT_QUOTE != stood.linked
    lost = lost or any(one.gates is None for one in set(stands.closed).difference(stood.closed))
    old, new = quoted_in(then), quoted_in(documents[0])
    sentence = None if old is None else old.sentence
    kept = None if new is None else new.sentence
    return lost or (sentence is not None and (kept is None or kept.text != sentence.text))


def _ended(artifacts: Iterable[Artifact]) -> frozenset[str]:
    """Ids of the sessions that have ended."""
    sessions = (a for a in artifacts if isinstance(a, VouchSession))
    return frozenset(s.id for s in sessions if s.ended_at is not None)


def _artifact_reader(base: Knowledge) -> Callable[[str], Artifact]:
    """Returns a function from a path to its artifact in the base. If the base withheld the text,
    the artifact is empty and private.
    """

    def recall(path: str) -> Artifact:
        return base.artifact(usual_key(path)) or _empty_private(path)

    return recall


def _empty_private(path: str) -> Artifact:
    kind, artifact_id = usual_key(path)
    if kind is Kind.RELATION:
        return Relation(artifact_id, path, "", "", "")
    withheld: dict[Kind, Callable[..., Claim | Page | Source]] = {
        Kind.CLAIM: Claim,
        Kind.PAGE: Page,
        Kind.SOURCE: Source,
    }
    return withheld[kind](artifact_id, path, "", scope=Scope("private"))
