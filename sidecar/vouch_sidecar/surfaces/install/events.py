"""The events of an agent that hooks of ours answer, and which of them each host has."""

from __future__ import annotations

from vouch_sidecar.surfaces.hook.payload import NAMES

HOST_EVENTS = {
    "claude-code": ("session-start", "user-prompt-submit", "post-tool-use", "session-end"),
    "codex": ("session-start", "user-prompt-submit", "session-end"),
    "cursor": (),
    "opencode": (),
    "zed": (),
}
"""The table in `docs/agents.md` says the same, and why others are missing."""


def hook_events(host: str) -> dict[str, str]:
    """The events of a host by its own names for them."""
    return {NAMES[event]: event for event in HOST_EVENTS[host]}
