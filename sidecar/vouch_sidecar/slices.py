"""Finds the operations without importing them, which takes a third of a second.

The shell lists its commands by this, the registry imports what it finds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Slice", "slices"]

FOLDER = Path(__file__).parent / "operations"
DEFINES = "\nOPERATION = Operation("
SHOWS = "\n    show="


@dataclass(frozen=True, slots=True)
class Slice:
    """A file that defines an operation. `purpose` is the first line of its docstring; `shown` says
    whether people can read its result, so that the shell has a command for it.
    """

    name: str
    purpose: str
    shown: bool


def slices() -> Iterator[Slice]:
    """All of them by name."""
    for path in sorted(FOLDER.glob("*.py")):
        before, defines, parts = path.read_text("utf-8").partition(DEFINES)
        if defines:
            yield Slice(path.stem, before.strip('"').partition('"""')[0], SHOWS in parts)
