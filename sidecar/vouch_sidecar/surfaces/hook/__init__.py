"""Hooks of agents: one event on standard input, its answer on standard output.

Imports nothing: asking a process that runs takes the standard library only.
"""

from __future__ import annotations

__all__: list[str] = []
