"""The events of an agent that hooks of ours answer, and which of them each host has."""

from __future__ import annotations

_CALLED = {
    "session-start": "SessionStart",
    "user-prompt-submit": "UserPromptSubmit",
    "post-tool-use": "PostToolUse",
    "stop": "Stop",
    "session-end": "SessionEnd",
}
"""What hosts call each event."""
HOST_EVENTS = {
    "claude-code": tuple(_CALLED),
    "codex": ("session-start", "user-prompt-submit", "stop", "session-end"),
    "cursor": (),
    "opencode": (),
    "zed": (),
}
"""The table in `docs/agents.md` says the same, and why others are missing."""


def hook_events(host: str) -> dict[str, str]:
    """The events of a host by its own names for them."""
    return {_CALLED[event]: event for event in HOST_EVENTS[host]}
