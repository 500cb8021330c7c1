"""Reports what is wrong in a process: its faults, the problems in its files, and the values of
`degraded`.
"""

from __future__ import annotations

from vouch_sidecar.engine.callers import Caller
from vouch_sidecar.engine.collection import GIT, WATCH, Collection
from vouch_sidecar.engine.faults import Faults
from vouch_sidecar.engine.registry import Registry
from vouch_sidecar.kb.artifact_files import CONFIG
from vouch_sidecar.kb.records import Problem, Severity
from vouch_sidecar.kb.settings import load_settings


class ProblemReport:
    """Collects problems. `faults` are those of the whole process."""

    def __init__(self, registry: Registry, *faults: Faults) -> None:
        self._registry = registry
        self._faults_of_changes = faults
        """While there are some, clients may learn late of changes on disk."""
        self._faults = list(faults)

    def add(self, faults: Faults) -> None:
        """Also report some faults, which do not delay news of changes."""
        self._faults.append(faults)

    @property
    def watch_lost(self) -> bool:
        """Whether clients may learn late of changes on disk."""
        of_each = (collection.faults for collection in self._registry.collections.values())
        late = any(WATCH in faults or GIT in faults for faults in of_each)
        return late or any(self._faults_of_changes)

    def degraded(self) -> list[str]:
        """The values of `degraded` that apply to all answers now."""
        values = []
        if not self._registry.complete:
            values.append("index_building")
        if any(c.reader.rebuilds for c in self._registry.collections.values()):
            values.append("search_failed")
        if self.watch_lost:
            values.append("watch_lost")
        if any(c.published.skipped or c.is_failing for c in self._registry.collections.values()):
            values.append("files_skipped")
        return values

    def problems_of(self, collection: Collection) -> dict[str, tuple[Problem, ...]]:
        """All problems of a knowledge base by path."""
        by_path = dict(collection.published.problems)
        of_collection = (
            *collection.published.settings_problems,
            *collection.faulty(),
            *collection.hints(),
        )
        for problem in (*of_collection, *self._faulty()):
            by_path[problem.path] = (*by_path.get(problem.path, ()), problem)
        return {path: problems for path, problems in by_path.items() if problems}

    def in_config(self, text: bytes) -> tuple[Problem, ...]:
        """The problems that a text would cause as `config.yaml`."""
        _, problems = load_settings(text, self._registry.client, self._registry.env)
        return tuple(problem for problem in problems if problem.path == CONFIG)

    def for_caller(self, caller: Caller, collection: Collection) -> dict[str, tuple[Problem, ...]]:
        """The problems that a caller is told. People and programs are told those of all files,
        whoever may see the content; a model is told only those of settings and current failures.
        """
        by_path = self.problems_of(collection)
        paths = by_path.keys() & {"", CONFIG} if caller.is_model else by_path.keys()
        return {path: problems for path, problems in by_path.items() if path in paths}

    def faulty(self) -> list[Problem]:
        """All current faults, errors first."""
        problems = [
            problem for _, c in sorted(self._registry.collections.items()) for problem in c.faulty()
        ]
        problems += [Problem("", text, Severity.WARNING) for text in self._registry.refused]
        return sorted(
            (*problems, *self._faulty()), key=lambda problem: problem.severity is not Severity.ERROR
        )

    def _faulty(self) -> list[Problem]:
        texts = [text for faults in self._faults for text in faults]
        return [Problem("", text, Severity.WARNING) for text in texts]

    def errors(self) -> list[tuple[Collection, Problem]]:
        """The errors because of which artifacts are missing from answers, by path."""
        return [
            (collection, problem)
            for _, collection in sorted(self._registry.collections.items())
            for _, problems in sorted(collection.published.problems.items())
            for problem in problems
            if problem.severity is Severity.ERROR
        ]
