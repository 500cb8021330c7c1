"""Faults: current failures, each reported until its step succeeds; other steps go on."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

from vouch_sidecar.kb.records import Problem, Severity
from vouch_sidecar.semantic.backend import UnavailableError

log = logging.getLogger(__name__)

LOOK, BASE, WATCH, WORKSPACE = "look", "base", "watch", "workspace"
"""Names of the steps of a knowledge base that may fail."""
MODEL, QUESTION = "model", "question"
"""The steps of a model that finds by meaning."""
NOT_TAKEN_IN = "Changes on disk could not be taken in"
NO_TIES = "Claims are not tied to files"
UNWRITTEN = "The cache could not be written"


class Faults:
    """The steps whose last run failed, each with a sentence that says what this means. `tell` is
    called when a fault begins or ends.
    """

    def __init__(self, tell: Callable[[], None], clock: Callable[[], float]) -> None:
        self._faults: dict[Hashable, tuple[str, float]] = {}
        """The sentence of each step, and since when it has failed."""
        self._tell = tell
        self._clock = clock

    def __contains__(self, step: Hashable) -> bool:
        return step in self._faults

    def __iter__(self) -> Iterator[Hashable]:
        """The steps."""
        return iter(self._faults.copy())  # threads that read add and remove some

    def problems(self) -> list[Problem]:
        """The faults as problems of a whole knowledge base."""
        faults = self._faults.copy().values()
        return [Problem("", sentence, Severity.WARNING) for sentence, _ in faults]

    def age(self, step: Hashable) -> float:
        """For how many seconds a step has failed; 0 if it does not."""
        fault = self._faults.get(step)
        return 0.0 if fault is None else self._clock() - fault[1]

    def add(self, step: Hashable, sentence: str) -> None:
        """Record that a step failed."""
        before, begun = self._faults.get(step, ("", self._clock()))
        self._faults[step] = sentence, begun
        if sentence != before:
            self._tell()

    def remove(self, step: Hashable) -> None:
        """Record that a step succeeded or is no longer run."""
        if self._faults.pop(step, None) is not None:
            self._tell()

    @contextmanager
    def contained(self, step: Hashable, sentence: str) -> Iterator[None]:
        """Run a step and record an exception instead of raising it. The exception's text may quote
        a file or a prompt, so it is not logged or shown, except that of `UnavailableError`.
        """
        try:
            yield
        except UnavailableError as error:
            self.add(step, f"{sentence}: {error}")
        except Exception as error:
            message = f"{sentence} ({type(error).__name__})"
            if step not in self:
                log.error("%s\n%s", message, "".join(traceback.format_tb(error.__traceback__)))
            self.add(step, message)
        else:
            self.remove(step)
