"""The socket that one resident process of a knowledge base listens on, for all others.

Nothing is imported here: a hook takes `address` and `client` alone, which are standard library.
"""

from __future__ import annotations

__all__: list[str] = []
