"""Notes the parent process at the very beginning, as it may end while modules are imported.

Standard library only.
"""

from __future__ import annotations

import os

_PARENT = os.getppid()


def is_orphan() -> bool:
    """Whether the process that started this one has ended."""
    return os.getppid() != _PARENT
