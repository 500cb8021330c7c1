"""Asks on behalf of a command: the process that serves, else an engine in this one."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import ValidationError

from vouch_sidecar.kb.discovery import KB_DIRNAME
from vouch_sidecar.kb.sanitize import count, one_line, with_field
from vouch_sidecar.operations import status
from vouch_sidecar.operations.operation import Operation
from vouch_sidecar.operations.wire import Result
from vouch_sidecar.surfaces.local.client import SOON_SECONDS, UnansweredError, ask
from vouch_sidecar.surfaces.stdio import say

R = TypeVar("R", bound=Result)
Asker = tuple[str | None, str | None]
"""The project and the agent to ask as; None: as the environment and the config say."""

MOST_NAMED = 3
"""Files that can't be used that a command names; it counts the others."""


class Back(Protocol):
    """Answers an operation. Raises `OperationError`, or `UnansweredError`."""

    def __call__(self, operation: Operation[Any, R], params: dict[str, Any]) -> R: ...


def serving(roots: Sequence[Path], asker: Asker) -> Back:
    """Asks the process that serves these knowledge bases, as a person."""

    def answer(operation: Operation[Any, R], params: dict[str, Any]) -> R:
        found = ask(
            roots,
            operation.kb_method,
            {**params, "viewer": {"project": asker[0], "agent": asker[1]}},
            env=os.environ,
            timeout=SOON_SECONDS,
            reader="person",
        )
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
    kb = KnowledgeBase(engine_on(roots), Viewer(*asker))

    def answer(operation: Operation[Any, R], params: dict[str, Any]) -> R:
        return kb.ask(operation, params)

    return answer


def answered(roots: Sequence[Path], asker: Asker, run: Callable[[Back], R]) -> R:
    """What `run` returns, which asks the process that serves, or an engine in this process if there
    is none, or if it can't answer something. Names files that can't be used. Raises
    `OperationError`.
    """
    try:
        back = serving(roots, asker)
        result, state = run(back), back(status.OPERATION, {})
        if result.complete:
            _name_unusable(state)
            return result
    except UnansweredError:
        pass
    back = alone(roots, asker)
    _name_unusable(back(status.OPERATION, {}))
    return run(back)


def _name_unusable(state: status.StatusResult) -> None:
    for sentence in unusable_files(state):
        say(sentence, err=True)


def unusable_files(state: status.StatusResult) -> Iterator[str]:
    """Sentences that name the files that can't be used, by their paths from the working folder,
    with the first problem of each.
    """
    faults: dict[Path, status.ProblemView] = {}
    for root in state.roots:
        for problem in root.problems:
            if problem.is_unusable:
                faults.setdefault(Path(root.root, KB_DIRNAME, problem.path), problem)
    for file, fault in islice(faults.items(), MOST_NAMED):
        place = f"{os.path.relpath(file)}:{fault.line}"
        yield one_line(f"{place} can't be used: {with_field(fault.field, fault.message)}")
    if len(faults) > MOST_NAMED:
        others = count(len(faults) - MOST_NAMED, "other file")
        yield f"{others} can't be used: `vouch-sidecar check` lists all"
