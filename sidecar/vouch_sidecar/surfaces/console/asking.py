"""Asks on behalf of a command: the process that serves, else an engine in this one."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import ValidationError

from vouch_sidecar.operations.operation import Operation
from vouch_sidecar.operations.wire import Result
from vouch_sidecar.surfaces.local.client import SOON_SECONDS, UnansweredError, ask

R = TypeVar("R", bound=Result)
Asker = tuple[str | None, str | None]
"""The project and the agent to ask as; None: as the environment and the config say."""


class Back(Protocol):
    """Answers an operation. Raises `OperationError`, or `UnansweredError`."""

    def __call__(self, operation: Operation[Any, R], params: dict[str, Any]) -> R: ...


def serving(roots: Sequence[Path], asker: Asker) -> Back:
    """Asks the process that serves these knowledge bases, as a person."""
    viewer = {"project": asker[0], "agent": asker[1]}

    def answer(operation: Operation[Any, R], params: dict[str, Any]) -> R:
        asked = roots, operation.kb_method, {**params, "viewer": viewer}
        found = ask(*asked, env=os.environ, timeout=SOON_SECONDS, reader="person")
        try:
            return operation.result.model_validate(found)
        except ValidationError:
            raise UnansweredError from None

    return answer


def alone(roots: Sequence[Path], asker: Asker) -> Back:
    """Asks an engine in this process."""
    from vouch_sidecar.api import KnowledgeBase, engine_on
    from vouch_sidecar.kb.access import Viewer

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread that reads can't be interrupted
    return KnowledgeBase(engine_on(roots), Viewer(*asker)).ask


def answered(roots: Sequence[Path], asker: Asker, run: Callable[[Back], R]) -> R:
    """What `run` returns, which asks the process that serves, or an engine in this process if there
    is none, or if it can't answer something. Raises `OperationError`.
    """
    try:
        result = run(serving(roots, asker))
        if result.complete:
            return result
    except UnansweredError:
        pass
    return run(alone(roots, asker))
