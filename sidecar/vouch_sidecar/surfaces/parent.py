"""The process that started this one: noted at the very beginning, before imports take their time.

Standard library only.
"""

from __future__ import annotations

import os

_PARENT = os.getppid()


def is_orphan() -> bool:
    """Whether the process that started this one has ended."""
    return os.getppid() != _PARENT
