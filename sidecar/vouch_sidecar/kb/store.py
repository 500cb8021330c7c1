"""What is on disk, as last read: one consistent step at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path

from vouch_sidecar.kb.access import stub_of
from vouch_sidecar.kb.artifact_files import (
    CONFIG,
    survey,
    usual_path,
)
from vouch_sidecar.kb.reader import parse, read_bytes_of
from vouch_sidecar.kb.records import Artifact, Key, Problem, Severity, Source, key_of
from vouch_sidecar.kb.safe_files import Stat, UnreadableError, content_mark, mtime_ns
from vouch_sidecar.kb.settings import Config

GRACE_SECONDS = 5.0
"""How long the last good version of a file serves that can't be read or used: it may be in the
middle of being written, but not for long.
"""
EVERYTHING = frozenset({""})
"""What may have changed, where any file may: the folder itself, by its empty path. A look at this
is a sweep.
"""
YOUNG_SECONDS = 0.1
"""A file that was written less than this before it was read may change again without another time
stamp.
"""


@dataclass(frozen=True, slots=True)
class OnDisk:
    """What is there. `problems` are all current ones by path (`""`: of the knowledge base itself).
    `config` is the last version of `config.yaml` that could be read; None where there is no such
    file, or never was one that could be read. `skipped` counts the paths with `errors` because of
    which artifacts are missing from answers: not the config, nor a file with the id of another one.
    """

    problems: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)
    config: Config | None = None
    skipped: int = 0

    @property
    def errors(self) -> list[Problem]:
        """The problems because of which what files say does not count, by path."""
        return [
            problem
            for _, of_path in sorted(self.problems.items())
            for problem in of_path
            if problem.severity is Severity.ERROR
        ]


def with_what_counts(problem: Problem, config: Config | None) -> Problem:
    """A problem because of which `config.yaml` can't be read, with what counts until it can be:
    `config`, the last version that could, else the defaults.
    """
    counts = "the defaults count" if config is None else "the version before counts"
    return replace(problem, message=f"{problem.message}; until it can be read, {counts}")


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
        self._wall = wall
        self._stats: dict[str, Stat | None] = {}
        """By path; None for a file that can't be read."""
        self._young: set[str] = set()
        """The paths of files that are read again even if their stat is the same."""
        self.records: Mapping[Key, Artifact] = {}
        """The artifacts that count. It never changes, but is replaced by each step."""
        self._records: dict[str, tuple[Key, Artifact]] = {}
        """What every file says, by path."""
        self._rivals: set[str] = set()
        """The paths of files whose key another file has, which counts instead."""
        self._expires: dict[str, float] = {}
        """By path, when the last good version of a file that says nothing now ceases to serve."""
        self._problems: dict[str, tuple[Problem, ...]] = {}
        self._survey_problems: list[Problem] = []
        self.config: Config | None = None
        """The last config that could be read."""
        self._is_new = True
        """Whether files were not compared yet: it holds at most what an earlier process read."""
        self._looked_at = 0.0

    @property
    def due_at(self) -> float:
        """When, on the store's clock, `reconcile(())` is due without any event."""
        settled_at = self._looked_at + YOUNG_SECONDS if self._young else inf
        return min((settled_at, *self._expires.values()))

    def resume(
        self, records: Mapping[Key, Artifact], stats: Mapping[str, Stat], config: bytes | None
    ) -> None:
        """Begin with what an earlier process has read; the first reconcile reads only the files
        whose stat differs, and those without one.
        """
        self.config = None if config is None else Config(config)
        self._stats = {**stats}
        self._records = {one.path: (key, one) for key, one in records.items() if one.path in stats}

    def stats(self) -> dict[str, Stat]:
        """The stats of the files without problems, by path; but those that can change unnoticed."""
        faulty = self._problems.keys() | self._rivals | self._young
        return {path: stat for path, stat in self._stats.items() if stat and path not in faulty}

    def has_file(self, key: Key) -> bool:
        """Whether there is a file where this artifact usually is, even one that can't be read. Any
        thread may ask.
        """
        return usual_path(*key) in self._stats

    def reconcile(self, paths: Collection[str] = EVERYTHING) -> OnDisk:
        """Compare files with what is held and read what differs: the `paths` below `.vouch/` that
        are to be read (`read_with`), and those written a moment ago. The first one is a sweep,
        whatever the paths. Blocks; no file makes it raise.
        """
        is_sweep, touched = self._is_new or EVERYTHING.issubset(paths), {*paths, *self._young}
        self._looked_at = self._clock()
        found = survey(self.kb_dir, only=None if is_sweep else touched)
        if is_sweep:
            self._survey_problems = found.problems
        wanted = {CONFIG, *self._stats} if is_sweep else touched
        for path in wanted - found.files.keys():
            if path.startswith(tuple(found.unlisted)):
                self._fail(path, Problem(path, "the folder can't be listed", is_of_disk=True))
            else:
                self._forget(path)
        for path, stat in found.files.items():
            if self._stats.get(path) != stat or path in self._young:
                self._read_file(path, stat)
        self._is_new = False
        now = self._clock()
        for path in [path for path, at in self._expires.items() if at <= now]:
            self._put(path, None)
        return self._reconciled()

    def _read_file(self, path: str, stat: Stat) -> None:
        """Read a file that had this stat before."""
        started = self._wall()
        try:
            data = read_bytes_of(self.kb_dir, path)
        except FileNotFoundError:
            self._forget(path)
            return
        except UnreadableError as error:
            self._fail(path, Problem(path, str(error), is_of_disk=True))
            return
        self._young.discard(path)
        if abs(started - mtime_ns(stat)) <= YOUNG_SECONDS * 1e9:
            self._young.add(path)
        self._stats[path] = stat
        self._accept(path, data, stat)

    def _accept(self, path: str, data: bytes, stat: Stat) -> None:
        if path == CONFIG:
            config = Config(data)
            if config.error is not None:
                self._problems[CONFIG] = (with_what_counts(config.error, self.config),)
                return
            self._problems.pop(CONFIG, None)
            if data or CONFIG not in self._young or self.config is None:  # it may be half written
                self.config = config
            return
        reading = parse(path, data)
        self._problems.pop(path, None)
        if reading.problems:
            self._problems[path] = reading.problems
        if reading.artifact is None:
            self._hold(path)
            return
        artifact = stub_of(reading.artifact)
        if isinstance(artifact, Source):
            artifact = replace(artifact, kept=content_mark(stat))
        self._put(path, artifact)

    def _fail(self, path: str, problem: Problem) -> None:
        """The file is there, and what it holds can't be known."""
        self._stats[path] = None
        self._young.discard(path)
        if path == CONFIG:
            self._problems[CONFIG] = (with_what_counts(problem, self.config),)
            return
        self._problems[path] = (problem,)
        self._hold(path)

    def _hold(self, path: str) -> None:
        """Let the last good version serve for a while, counted from the first failure; not one that
        an earlier process read.
        """
        if path in self._records:
            grace = 0.0 if self._is_new else GRACE_SECONDS
            self._expires.setdefault(path, self._clock() + grace)

    def _forget(self, path: str) -> None:
        self._stats.pop(path, None)
        self._young.discard(path)
        self._problems.pop(path, None)
        if path == CONFIG:
            self.config = None
        else:
            self._put(path, None)

    def _put(self, path: str, record: Artifact | None) -> None:
        """Hold what a file says from now on; None where it says nothing."""
        self._expires.pop(path, None)
        if record is None:
            self._records.pop(path, None)
        else:
            self._records[path] = key_of(record), record

    def _counting(self) -> dict[Key, Artifact]:
        """The artifact that counts for each key: of several files with one id, the one that is
        named like it, else the first.
        """
        counting, self._rivals = dict(self._records.values()), set()
        if len(counting) == len(self._records):
            return counting
        for key, record in self._records.values():
            if (other := counting[key]) is not record:
                usual = usual_path(*key)
                first, second = sorted((record, other), key=lambda o: (o.path != usual, o.path))
                counting[key] = first
                self._rivals.add(second.path)
        return counting

    def _reconciled(self) -> OnDisk:
        problems, self.records = dict(self._problems), self._counting()
        for item in self._survey_problems:
            problems[item.path] = (*problems.get(item.path, ()), item)
        missing = {problem.path for problem in OnDisk(problems).errors} - {CONFIG}
        for path in sorted(self._rivals):
            counts = self.records[self._records[path][0]].path[:200]
            message = f"another file has the same id and counts: {counts}"
            rival = Problem(path, message, field="id", is_of_disk=True)
            problems[path] = (*problems.get(path, ()), rival)
        return OnDisk(problems, self.config, len(missing))
