"""The ways in: each turns its own protocol into calls of the operations, and decides no more."""

from __future__ import annotations

__all__: list[str] = []
