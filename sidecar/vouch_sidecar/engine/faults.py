"""Faults: current failures, each reported until its step succeeds; other steps go on."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

from vouch_sidecar.semantic.backend import UnavailableError

log = logging.getLogger(__name__)


class Faults:
    """The steps whose last run failed, each with a sentence that says what this means. `tell` is
    called when a fault begins or ends.
    """

    def __init__(self, tell: Callable[[], None] = lambda: None) -> None:
        self._sentences: dict[Hashable, str] = {}
        self._tell = tell

    def __contains__(self, step: Hashable) -> bool:
        return step in self._sentences

    def __iter__(self) -> Iterator[str]:
        return iter([*self._sentences.values()])  # threads that read add and remove some

    def __len__(self) -> int:
        return len(self._sentences)

    def add(self, step: Hashable, sentence: str) -> None:
        """Record that a step failed."""
        if self._sentences.get(step) != sentence:
            self._sentences[step] = sentence
            self._tell()

    def remove(self, step: Hashable) -> None:
        """Record that a step succeeded or is no longer run."""
        if self._sentences.pop(step, None) is not None:
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
            if step not in self._sentences:
                log.error("%s\n%s", message, "".join(traceback.format_tb(error.__traceback__)))
            self.add(step, message)
        else:
            self.remove(step)
