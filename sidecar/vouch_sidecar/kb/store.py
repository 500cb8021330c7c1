"""What is on disk, as last read: one consistent step at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, groupby
from pathlib import Path

from vouch_sidecar.kb import faulty_claims
from vouch_sidecar.kb.access import is_shown_to_any, shows_more
from vouch_sidecar.kb.artifact_files import (
    CONFIG,
    Survey,
    artifact_file,
    classify,
    is_folder,
    survey,
    usual_key,
    usual_path,
)
from vouch_sidecar.kb.faulty_claims import Closing
from vouch_sidecar.kb.file_versions import HALF_WRITTEN_SECONDS, Found, Versions
from vouch_sidecar.kb.id_owners import IdOwners
from vouch_sidecar.kb.reader import Reading, parse, read_bytes_of, read_content
from vouch_sidecar.kb.records import (
    Artifact,
    Change,
    Claim,
    Key,
    Kind,
    Page,
    Problem,
    Relation,
    Severity,
    Source,
    key_of,
)
from vouch_sidecar.kb.safe_files import Stat, UnreadableError
from vouch_sidecar.kb.settings import config_mapping
from vouch_sidecar.kb.yaml_document import placed

Keep = Callable[[Artifact], None]
"""A function that keeps an artifact somewhere else."""
GRACE_SECONDS = 60.0
"""How long the last good version of an artifact file serves whose bytes can't be read."""
TORN_SECONDS = 5.0
"""The same for a file that can be read and says nothing valid: it may be in the middle of being
written, but not for long.
"""


@dataclass(frozen=True, slots=True)
class Reconciled:
    """One step. `problems` are all current ones by path (`""`: of the knowledge base itself);
    `skipped` counts the files that are there and not served as they stand. `config` is the last
    version of `config.yaml` that could be read; None where there is no such file, or never was one
    that could be read.
    """

    change: Change
    problems: Mapping[str, tuple[Problem, ...]]
    config: bytes | None
    skipped: int


class Store:
    """The artifacts of one knowledge base. Not thread-safe: one call at a time, in any thread.

    `clock` is monotonic, in seconds; `wall` is the time that file systems stamp, in nanoseconds.
    """

    def __init__(
        self,
        kb_dir: Path,
        *,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], int] = time.time_ns,
    ) -> None:
        self.kb_dir = kb_dir
        self._clock = clock
        self._owners = IdOwners()
        self._versions = Versions(kb_dir, wall)
        self._expires: dict[str, float] = {}
        """By path, when the last good version of a file that says nothing now ceases to serve."""
        self._closing: dict[str, Closing] = {}
        """By path, what such a file withholds from then on."""
        self._problems: dict[str, tuple[Problem, ...]] = {}
        self._survey_problems: list[Problem] = []
        self.config: bytes | None = None
        """The last config that could be read."""
        self._resuming = False
        self.outdated: frozenset[str] = frozenset()
        """The paths that changed between the process that is resumed and the first reconcile."""
        self._keep: Keep | None = None
        self._looked_at = 0.0

    @property
    def deadline(self) -> float | None:
        """When, on the store's clock, `reconcile(())` is due without any event."""
        due = [*self._expires.values()]
        if self._versions.racy:
            due.append(self._looked_at + HALF_WRITTEN_SECONDS)
        return min(due, default=None)

    def hand_over_to(self, keep: Keep | None, recall: Callable[[str], Artifact]) -> None:
        """Hand artifacts that are read for the first time to `keep`, instead of holding them;
        `recall` gives them back by path.
        """
        self._keep = keep
        self._owners.recall_by(recall)

    def hold_only(self, recall: Callable[[str], Artifact], but: AbstractSet[Key]) -> None:
        """Hold only the artifacts in `but`: from now on `recall` gives the others by path."""
        self._owners.drop_all_but(but)
        self._owners.recall_by(recall)

    def resume(
        self,
        stats: dict[str, Stat | None],
        recall: Callable[[str], Artifact],
        config: bytes | None = None,
    ) -> None:
        """Begin with what an earlier process has read: the stats of the files (this table is the
        store's own from now on), a function that gives their artifacts by path, and the config.

        The first full reconcile reads only the files whose stat differs; the others are no change.
        """
        self._resuming = True
        self.config = config
        self._versions.resume(stats)
        self._owners.mark_recalled(path for path in stats if path != CONFIG)
        self.hand_over_to(None, recall)

    def is_settled(self) -> bool:
        """Whether no file can change unnoticed, and no earlier version of one serves."""
        return not self._versions.racy and not self._expires

    def manifest_stats(self) -> Iterator[tuple[str, Stat]]:
        """What a manifest lists: the paths of recalled files without problems, and of a config that
        can be read, with their stats.
        """
        stats = self._versions.stats
        for path in chain((CONFIG,), self._owners.recalled()):
            if path not in self._problems and (stat := stats.get(path)) is not None:
                yield path, stat

    def not_in_manifest(self) -> set[Key]:
        """The keys of the artifacts whose files are not in `manifest_stats`."""
        faulty = (usual_key(path) for path in self._problems if classify(path) is not None)
        return {*faulty, *self._owners.held()}

    def paths(self) -> Iterator[str]:
        """The paths of all files that were read."""
        return iter(sorted(self._versions.stats))

    def has_file(self, key: Key) -> bool:
        """Whether there is a file for this artifact, even one that can't be read."""
        return self._owners.has(key) or usual_path(*key) in self._versions.stats

    def read_artifact(self, path: str) -> Artifact:
        """The artifact of a file as it is now. Raises LookupError where there is none."""
        try:
            artifact = self._complete(parse(path, read_bytes_of(self.kb_dir, path)[0]).artifact)
        except (FileNotFoundError, UnreadableError) as error:
            raise LookupError(path) from error
        if artifact is None:
            raise LookupError(path)
        return artifact

    def hidden(self, kind: Kind, is_hidden: Callable[[Key], bool]) -> Iterator[Artifact]:
        """The artifacts of a kind that nobody may see, from their files as they are now.
        `is_hidden` says whether a key is that of one because of other artifacts, or of one that is
        not held here.
        """
        for path in self._owners.paths():
            if classify(path) is not kind:
                continue
            artifact = self._owners.held_at(path)
            if (artifact is None or _lacks_text(artifact)) and is_hidden(usual_key(path)):
                with suppress(FileNotFoundError, UnreadableError):
                    reading = parse(path, read_bytes_of(self.kb_dir, path)[0])
                    artifact = self._complete(reading.artifact) or reading.closes or artifact
            if artifact is None or not self._owners.counts(path, key := key_of(artifact)):
                continue
            if not is_shown_to_any(artifact) or is_hidden(key):
                yield artifact

    def reconcile(self, paths: Iterable[str] | None = None) -> Reconciled:
        """Compares files with what is held and reads what differs: all, or only `paths` below
        `.vouch/` and those written a moment ago. Blocks; no file makes it raise.
        """
        only = None if paths is None else set(map(artifact_file, paths))
        if only is not None and any(map(is_folder, only)):
            only = None
        versions, self._looked_at = self._versions, self._clock()
        surveyed = self._survey(only)
        wanted = versions.stats.keys() if only is None else only | versions.racy
        missing = (
            set() if surveyed.same else {path for path in wanted if path not in surveyed.files}
        )
        differing = _by_name(versions.differing(surveyed.files))
        if self._resuming:
            # A file that differs from what the earlier process read counts as never read.
            otherwise = chain(missing, differing, surveyed.unreadable)
            self.outdated = frozenset(path for path in otherwise if path in self._owners)
            for path in self.outdated:
                versions.forget(path)
                self._owners.drop_recalled(path)
        self._drop_missing(surveyed, missing)
        for path in differing:
            if (file := self._read(path)) is not None:
                self._accept(file, parse(path, file.data))
        if only is None:
            self._resuming, self._keep = False, None
            if CONFIG not in versions.stats:
                self.config = None
        now = self._clock()
        for path in [path for path, at in self._expires.items() if at <= now]:
            self._close(path, self._closing.get(path))
        return self._reconciled()

    def _survey(self, only: set[str] | None) -> Survey:
        """Look at the files. The known ones are only counted, unless one of them is missing."""
        if only is not None:
            return survey(self.kb_dir, only=only | self._versions.racy)
        stats = self._versions.stats
        surveyed = survey(self.kb_dir, is_known=self._versions.is_same)
        others = sum(path in stats for path in chain(surveyed.files, surveyed.unreadable))
        if surveyed.same + others < len(stats):
            surveyed = survey(self.kb_dir)
        files = surveyed.unreadable
        self._survey_problems = [item for item in surveyed.problems if item.path not in files]
        return surveyed

    def _drop_missing(self, surveyed: Survey, missing: set[str]) -> None:
        reasons = {problem.path: problem.message for problem in surveyed.problems}
        folders = tuple(path for path in surveyed.unreadable if path.endswith("/"))
        for path in missing | surveyed.unreadable.difference(folders):
            if path in surveyed.unreadable or path.startswith(folders):
                self._fail(path, reasons.get(path, "the folder can't be listed"))
            else:
                self._forget(path)

    def _read(self, path: str) -> Found | None:
        """The file of an artifact, when its bytes may differ from those last read."""
        try:
            file = self._versions.read(path)
        except FileNotFoundError:
            self._forget(path)
            return None
        except UnreadableError as error:
            self._fail(path, str(error))
            return None
        if file is not None and path == CONFIG:
            self._take_config(file)
            return None
        return file

    def _take_config(self, file: Found) -> None:
        """Where the config can't be read, the last good one goes on counting."""
        problems: list[Problem] = []
        config_mapping(file.data, problems)
        errors = [problem for problem in problems if problem.severity is Severity.ERROR]
        if errors:
            self._fail_config(placed(errors, file.data)[0])
            return
        self._problems.pop(CONFIG, None)
        if file.data or file.final or self.config is None:
            self.config = file.data
        else:
            self._versions.read_again(CONFIG)

    def _fail_config(self, problem: Problem) -> None:
        counts = "the defaults count" if self.config is None else "the version before counts"
        message = f"{problem.message}; until it can be read, {counts}"
        self._problems[CONFIG] = (replace(problem, message=message),)

    def _accept(self, file: Found, reading: Reading) -> None:
        path = file.path
        self._problems.pop(path, None)
        if reading.problems:
            self._problems[path] = reading.problems
        if reading.artifact is None:
            last = self._owners.get(path)
            if self._is_good(last) and not reading.withhold:
                self._closing[path] = reading.closes
                self._hold(path, TORN_SECONDS)
            elif last is not None and not is_shown_to_any(last) and not file.final:
                self._versions.read_again(path)  # half a file may close less
            else:
                self._close(path, reading.closes)
        elif not file.final and shows_more(self._owners.get(path), reading.artifact):
            self._versions.read_again(path)
        else:
            self._stop_holding(path)
            artifact = self._complete(reading.artifact)
            if not self._is_kept(path, artifact):
                self._owners.put(path, artifact)

    def _complete(self, artifact: Artifact | None) -> Artifact | None:
        """An artifact with what other files than its own say of it."""
        if not isinstance(artifact, Source):
            return artifact
        return replace(artifact, kept=self.content_of(artifact) is not None)

    def content_of(self, source: Source) -> bytes | None:
        """What a source was made of, as it is kept now."""
        return read_content(self.kb_dir, source)

    def _is_kept(self, path: str, artifact: Artifact | None) -> bool:
        """Whether `keep` takes what a file says; that is no change then."""
        if self._keep is None or artifact is None or usual_path(*(key := key_of(artifact))) != path:
            return False
        if self._owners.has(key):
            return False
        self._keep(artifact)
        self._owners.mark_recalled((path,))
        return True

    def _fail(self, path: str, reason: str) -> None:
        """The file is there, and what it holds can't be known."""
        self._versions.mark_unreadable(path)
        if path == CONFIG:
            self._fail_config(Problem(path, reason))
            return
        self._problems[path] = (Problem(path, reason),)
        self._hold(path, GRACE_SECONDS)

    def _hold(self, path: str, seconds: float) -> None:
        """Lets the last good version serve for a while, counted from the first failure."""
        if self._is_good(self._owners.get(path)):
            expiry = self._clock() + seconds
            self._expires[path] = min(expiry, self._expires.get(path, expiry))

    @staticmethod
    def _is_good(last: Artifact | None) -> bool:
        """Whether this is a version that may serve, not what is left after a fault."""
        shown = last is not None and is_shown_to_any(last)
        return shown and faulty_claims.after_fault(last, None) != last

    def _forget(self, path: str) -> None:
        self._versions.forget(path)
        self._problems.pop(path, None)
        if path == CONFIG:
            self.config = None
        else:
            self._stop_holding(path)
            self._owners.put(path, None)

    def _close(self, path: str, faulty: Closing) -> None:
        """Show nobody what a file says that can't be used. A claim goes on closing what it did."""
        self._stop_holding(path)
        last = self._owners.get(path)
        self._owners.put(path, faulty_claims.after_fault(last, faulty))

    def _stop_holding(self, path: str) -> None:
        self._expires.pop(path, None)
        self._closing.pop(path, None)

    def _reconciled(self) -> Reconciled:
        problems = dict(self._problems)
        skipped = sum(
            path != CONFIG and any(item.severity is Severity.ERROR for item in items)
            for path, items in problems.items()
        )
        for item in (*self._survey_problems, *self._owners.problems()):
            problems[item.path] = (*problems.get(item.path, ()), item)
        return Reconciled(
            change=self._owners.take_change(),
            problems=problems,
            config=self.config,
            skipped=skipped + len(self._survey_problems),
        )


def _lacks_text(artifact: Artifact) -> bool:
    """Whether an artifact that nobody may see was recalled from a base, which has no text of it."""
    match artifact:
        case Claim(text="") | Page(title="") | Relation(relation=""):
            return True
        case _:
            return False


def _by_name(paths: Iterable[str]) -> list[str]:
    """Sorted within their folders, which stay in the order in which they come."""
    out: list[str] = []
    for _, folder in groupby(paths, key=lambda path: path.partition("/")[0]):
        out += sorted(folder)
    return out
