"""The socket on which one process answers all others for a knowledge base.

Imports nothing: `address`, `client` and `shell`, which hooks and the shell use, are standard
library.
"""

from __future__ import annotations

__all__: list[str] = []
