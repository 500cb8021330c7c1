"""Codes that open a dock which has no network. Decision 0011."""

from __future__ import annotations

import hashlib
import hmac

WINDOW = 20 * 60


def code(secret: bytes, serial: str, now: float) -> str:
    """Six digits, good for one window of twenty minutes."""
    window = int(now // WINDOW)
    digest = hmac.new(secret, f"{serial}:{window}".encode(), hashlib.sha256).digest()
    return f"{int.from_bytes(digest[:4], 'big') % 1_000_000:06d}"
