"""Reports what is wrong in a process: its faults, the problems in its files, and the values of
`degraded`.
"""

from __future__ import annotations

from itertools import chain

from vouch_sidecar.engine.callers import Caller
from vouch_sidecar.engine.collection import GIT, WATCH, Collection
from vouch_sidecar.engine.faults import MODEL, QUESTION, Faults
from vouch_sidecar.engine.registry import Registry
from vouch_sidecar.kb.artifact_files import CONFIG
from vouch_sidecar.kb.records import Problem, Severity
from vouch_sidecar.kb.settings import load_settings


class ProblemReport:
    """Collects problems. `faults` are those of the whole process."""

    def __init__(self, registry: Registry, faults: Faults) -> None:
        self._registry = registry
        self._faults = faults

    def degraded(self) -> list[str]:
        """The values of `degraded` that apply to all answers now."""
        served = self._registry.collections.values()
        holds = {
            "index_building": not self._registry.complete,
            "search_failed": any(c.reader.rebuilds for c in served),
            "watch_lost": any(WATCH in c.faults or GIT in c.faults for c in served)
            or any(step not in (MODEL, QUESTION) for step, _ in self._faults),
            "files_skipped": any(c.published.skipped or c.is_failing for c in served),
        }
        return [value for value, is_so in holds.items() if is_so]

    def problems_of(self, collection: Collection) -> dict[str, tuple[Problem, ...]]:
        """All problems of a knowledge base by path."""
        by_path = dict(collection.published.problems)
        others = collection.published.settings_problems, collection.faulty(), self._faulty()
        for problem in chain.from_iterable(others):
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
        of_each = [c.faulty() for _, c in sorted(self._registry.collections.items())]
        refused = [Problem("", text, Severity.WARNING) for text in self._registry.refused]
        problems = [*chain.from_iterable(of_each), *refused, *self._faulty()]
        faulty = [one for one in problems if one.severity is not Severity.HINT]
        return sorted(faulty, key=lambda problem: problem.severity is not Severity.ERROR)

    def _faulty(self) -> list[Problem]:
        return [Problem("", text, Severity.WARNING) for _, text in self._faults]

    def errors(self) -> list[Problem]:
        """The errors because of which artifacts are missing from answers, by path."""
        return [
            problem
            for _, collection in sorted(self._registry.collections.items())
            for _, problems in sorted(collection.published.problems.items())
            for problem in problems
            if problem.severity is Severity.ERROR
        ]
