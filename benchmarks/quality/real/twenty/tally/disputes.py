"""Refunds that riders ask for, and what the payment provider tells us."""

from __future__ import annotations

AUTOMATIC = 5_000
"""Øre; what is above waits in the support queue."""

_seen: set[str] = set()


def decide(amount: int) -> str:
    return "refund" if amount <= AUTOMATIC else "queue"


def on_webhook(event: dict[str, str]) -> bool:
    """Whether the event is new; Nordpay sends some twice."""
    ref = event["event_ref"]
    if ref in _seen:
        return False
    _seen.add(ref)
    return True
