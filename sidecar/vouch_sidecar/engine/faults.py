"""Faults: current failures, each reported until its step succeeds; other steps go on."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Awaitable, Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import anyio

from vouch_sidecar.kb.records import Problem, Severity
from vouch_sidecar.semantic.vectors import UnavailableError

RETRY_SECONDS = 5.0
"""Pause before a failed step is made again."""
Wait = Callable[[], Awaitable[object]]

log = logging.getLogger(__name__)


class Step(NamedTuple):
    """What is done again and again: what it means if that fails, and whom it concerns, where it is
    done for several.
    """

    sentence: str
    concerns: Hashable = None


LOOK = Step("Changes on disk could not be taken in")
CACHE = Step("The cache could not be written")
WORKSPACE = Step("Claims are not tied to files")
WATCH = Step("Changes on disk are noticed late: the watcher was lost")
"""The steps of a knowledge base."""
FOLLOWING = Step("Changes on disk are not all followed")
MODEL = Step("Nothing is found by meaning")
QUESTION = Step(MODEL.sentence, "a question")
"""Those of a process."""


class Faults:
    """The steps whose last run failed. `bump` is called when a fault begins or ends."""

    def __init__(self, bump: Callable[[], None], clock: Callable[[], float]) -> None:
        self._faults: dict[Step, tuple[str, float]] = {}
        """What is said of each step, and since when it has failed."""
        self._bump = bump
        self._clock = clock

    def __contains__(self, step: Step) -> bool:
        return step in self._faults

    def problems(self) -> list[Problem]:
        """The faults as problems of a whole knowledge base."""
        return [Problem("", said, Severity.WARNING) for said, _ in self._faults.copy().values()]

    def age(self, step: Step) -> float:
        """For how many seconds a step has failed; 0 if it does not."""
        fault = self._faults.get(step)
        return 0.0 if fault is None else self._clock() - fault[1]

    def remove(self, step: Step) -> None:
        """Record that a step succeeded or is no longer run."""
        if self._faults.pop(step, None) is not None:
            self._bump()

    @contextmanager
    def contained(self, step: Step) -> Iterator[None]:
        """Run a step and record an exception instead of raising it. The exception's text may quote
        a file or a prompt, so it is not logged or shown, except that of `UnavailableError`.
        """
        try:
            yield
        except Exception as error:
            before, begun = self._faults.get(step, ("", self._clock()))
            if isinstance(error, UnavailableError):
                message = f"{step.sentence}: {error}"
            else:
                message = f"{step.sentence} ({type(error).__name__})"
                if not before:
                    log.error("%s\n%s", message, "".join(traceback.format_tb(error.__traceback__)))
            self._faults[step] = message, begun
            if message != before:
                self._bump()
        else:
            self.remove(step)

    async def repeat(self, step: Step, due: Wait, work: Wait) -> None:
        """Wait until something is due and do it, until cancelled."""
        while True:
            with self.contained(step):
                await due()
                await work()
            if step in self:
                await anyio.sleep(RETRY_SECONDS)
