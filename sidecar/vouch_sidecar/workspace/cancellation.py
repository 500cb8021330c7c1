"""How an analysis of the workspace, which may take minutes, is paused and ended from outside."""

from __future__ import annotations

from collections.abc import Callable

Checkpoint = Callable[[], None]
"""Called between small steps of an analysis. It may pause it, and raises `AnalysisCancelledError`
to end it.
"""


class AnalysisCancelledError(Exception):
    """The analysis was told to end. What it published before counts."""


def never_cancelled() -> None:
    """The checkpoint of an analysis that runs to its end."""
