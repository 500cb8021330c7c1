"""Hooks of agents: one event from standard input, the answer on standard output.

Nothing is imported here: the way of an event to a process that already runs is standard library
alone.
"""

from __future__ import annotations

__all__: list[str] = []
