"""The events of agents that hooks answer, and how long each may take. Imports nothing."""

from __future__ import annotations

PROMPT, START, FILE, END = "user-prompt-submit", "session-start", "post-tool-use", "session-end"
NAMES = {PROMPT: "UserPromptSubmit", START: "SessionStart", FILE: "PostToolUse", END: "SessionEnd"}
"""The hosts' names of events, by the names on our command line."""
START_SECONDS = 2.0
"""Time limit of `START`, and of a prompt while a process starts."""
DEFAULT_LIMIT = 0.5
"""Time limit in seconds of other events, unless somebody set one."""
