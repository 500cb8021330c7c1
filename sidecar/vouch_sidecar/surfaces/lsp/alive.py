"""Whether another process runs."""

from __future__ import annotations

import os
import sys

__all__ = ["is_alive"]


def is_alive(pid: int) -> bool:
    """Whether a process with this id runs, as far as this process can see."""
    if sys.platform == "win32":
        return _is_alive_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError, ValueError):
        return True
    return True


def _is_alive_on_windows(pid: int) -> bool:
    """Where `os.kill` would end the process instead of asking after it."""
    import ctypes

    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 - unknown to checkers elsewhere
    synchronize, timed_out = 0x0010_0000, 0x102
    handle = kernel.OpenProcess(synchronize, False, pid)
    if not handle:
        return False
    try:
        return bool(kernel.WaitForSingleObject(handle, 0) == timed_out)
    finally:
        kernel.CloseHandle(handle)
