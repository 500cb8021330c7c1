"""Lists the operations without importing them, which would take 0.3 seconds.

Standard library only: the shell lists its commands with this. `operations()` imports what it lists.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

FOLDER = os.path.join(os.path.dirname(__file__), "operations")
DEFINES = "\nOPERATION = Operation("
SHOWS = "\n    show="


class Slice(NamedTuple):
    """A file that defines an operation. `purpose` is the first line of its docstring; `shown` says
    whether people can read its result, so that the shell has a command for it.
    """

    name: str
    purpose: str
    shown: bool


def slices() -> Iterator[Slice]:
    """All operations, sorted by name."""
    for file in sorted(os.listdir(FOLDER)):
        name, ending = os.path.splitext(file)
        if ending != ".py":
            continue
        with open(os.path.join(FOLDER, file), encoding="utf-8") as source:
            before, defines, parts = source.read().partition(DEFINES)
        if defines:
            yield Slice(name, before.strip('"').partition('"""')[0], SHOWS in parts)
