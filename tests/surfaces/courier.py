"""Questions about the example, and what of the answers is the same on every surface."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vouch_sidecar.operations.operation import operations

COURIER = Path(__file__).parents[2] / "examples" / "courier"
TEXT = "Can we restart Relay while the rate limiter is busy?"
_CHOSEN: dict[str, tuple[dict[str, Any], list[str] | None]] = {
    "experts": ({"topic": "rate limiter"}, ["rate limiter"]),
    "salience": ({"session_id": "shell"}, [TEXT]),
    "probe": ({"text": TEXT}, [TEXT]),
    "context": ({"task": TEXT}, [TEXT]),
    "search": ({"query": "kafka brokers"}, ["kafka brokers"]),
    "mentions": ({"text": TEXT}, [TEXT]),
    "entity": ({"id": "relay"}, ["relay"]),
    "claim": ({"id": "relay-p99"}, ["relay-p99"]),
    "status": ({}, []),
    "session_end": ({"session_id": "other"}, None),
}
QUESTIONS = _CHOSEN | {
    name: (dict(operation.example), None)
    for name, operation in operations().items()
    if name not in _CHOSEN
}
"""By operation, params and what the shell is asked; None where it has no such command."""
# What the contract exempts, and who watches, which differs by nature.
EXEMPT = {"generation", "indexed_at", "probe_time_ms", "from_cache", "watcher", "sessions"} | {
    "operations",
    "fresh",  # worked out meanwhile: one surface may ask sooner, and says so
}


def comparable(result: Any) -> Any:
    if isinstance(result, dict):
        if isinstance(
            result.get("files"), list
        ):  # ties are worked out meanwhile: one surface may ask sooner
            files = [file["path"] for file in result["files"]]
            result = {**result, "files": files}
        if isinstance(result.get("degraded"), list):
            lacking = [item for item in result["degraded"] if item != "workspace_pending"]
            result = {**result, "degraded": lacking}
        return {name: comparable(value) for name, value in result.items() if name not in EXEMPT}
    return [comparable(item) for item in result] if isinstance(result, list) else result
