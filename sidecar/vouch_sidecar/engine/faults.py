"""What fails at the moment: said until it succeeds, and no reason for anything else to stop."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from vouch_sidecar.semantic.backend import UnavailableError

log = logging.getLogger(__name__)


class Faults:
    """The steps that failed when they were last taken, each with what it means, in a sentence."""

    def __init__(self) -> None:
        self._said: dict[Hashable, str] = {}

    def __contains__(self, step: Hashable) -> bool:
        return step in self._said

    def __iter__(self) -> Iterator[str]:
        return iter(self._said.values())

    def __len__(self) -> int:
        return len(self._said)

    def add(self, step: Hashable, sentence: str) -> None:
        """A step failed."""
        self._said[step] = sentence

    def remove(self, step: Hashable) -> None:
        """A step succeeded, or is taken no more."""
        self._said.pop(step, None)

    @contextmanager
    def contained(self, step: Hashable, sentence: str) -> Iterator[None]:
        """Take a step: an exception ends this block and nothing else. Its text may quote a file or
        a prompt, and is neither logged nor said; only why a model is unavailable is.
        """
        try:
            yield
        except UnavailableError as error:
            self.add(step, f"{sentence}: {error}")
        except Exception as error:
            said = f"{sentence} ({type(error).__name__})"
            if step not in self._said:
                log.error("%s\n%s", said, "".join(traceback.format_tb(error.__traceback__)))
            self.add(step, said)
        else:
            self.remove(step)
