"""Reads the payload of an agent's event, which may hold anything. Standard library only."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import Any

Payload = Mapping[str, Any]


MAX_TEXT = 262_144
"""Characters of a prompt or bytes of a file. Longer ones are ignored: nobody typed them."""
MAX_ANSWER = 65_536
"""Characters of an answer that are looked at."""
MAX_SESSION_ID = 256
EDITED = ("new_string", "content", "new_source", "new_str", "file_text")
PATHS = ("file_path", "path", "notebook_path", "filePath")

PROMPT, START, FILE, END = "user-prompt-submit", "session-start", "post-tool-use", "session-end"
STOP = "stop"
START_SECONDS = 2.0
"""Time limit of `START`."""
NAMES = {PROMPT: "UserPromptSubmit", START: "SessionStart", FILE: "PostToolUse", END: "SessionEnd"}
"""The hosts' names of events, by the names on our command line."""


def output(event: str, text: str) -> dict[str, Any] | None:
    """The object to print for a text; None for an empty text."""
    if not text:
        return None
    return {"hookSpecificOutput": {"hookEventName": NAMES[event], "additionalContext": text}}


def session_of(payload: Payload) -> str | None:
    """The session's id; None without one. Raises ValueError if it is no valid id."""
    session_id = payload.get("session_id")
    if session_id is None:
        return None
    if not isinstance(session_id, str) or not 0 < len(session_id) <= MAX_SESSION_ID:
        raise ValueError
    session_id.encode()
    return session_id


def prompt_of(payload: Payload) -> str | None:
    """The prompt; None when it is blank, too long or no text."""
    prompt = payload.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip() or len(prompt) > MAX_TEXT:
        return None
    return _whole(prompt)


def last_answer(payload: Payload) -> str | None:
    """The beginning of the answer that an agent has just given; None where the host hands none
    over.
    """
    answer = payload.get("last_assistant_message")
    return _whole(answer[:MAX_ANSWER]) if isinstance(answer, str) and answer.strip() else None


def edited_file(payload: Payload) -> str | None:
    """The path of the file that a tool has just read or written; None when the event names none."""
    given = payload.get("tool_input")
    if not isinstance(given, Mapping):
        return None
    path = next((p for name in PATHS if isinstance(p := given.get(name), str) and p), None)
    return path if path is None else os.path.join(_cwd(payload), path)


def text_of(payload: Payload) -> str | None:
    """The text that a tool has just read or written: from the event, else from the file.

    None for files in `.vouch/`, outside of the event's folder, or too large.
    """
    path = edited_file(payload)
    if path is None or ".vouch" in path.split(os.sep):
        return None
    text = _written(payload["tool_input"]) or _read(payload.get("tool_response"))
    if not text:
        text = _file(path, _cwd(payload))
    return _whole(text) if text and len(text) <= MAX_TEXT else None


def _whole(text: str) -> str:
    """A text without lone surrogates: JSON can carry them, UTF-8 can't."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _cwd(payload: Payload) -> str:
    cwd = payload.get("cwd")
    return cwd if isinstance(cwd, str) and os.path.isabs(cwd) else os.getcwd()


def _written(given: Payload) -> str:
    """The text of an edit, or of several."""
    edits = given.get("edits")
    parts = [given, *(edits if isinstance(edits, list) else ())]
    texts = (p.get(name) for p in parts if isinstance(p, Mapping) for name in EDITED)
    return "\n".join(text for text in texts if isinstance(text, str) and text)


def _read(response: object) -> str:
    """The text of a file in a tool's response: the response itself, or a part of it."""
    if isinstance(response, str):
        return response
    if not isinstance(response, Mapping):
        return ""
    file = response.get("file")
    if isinstance(file, Mapping):
        response = file
    content = response.get("content")
    if isinstance(content, list):
        content = "\n".join(
            part["text"]
            for part in content
            if isinstance(part, Mapping) and isinstance(part.get("text"), str)
        )
    return content if isinstance(content, str) else ""


def _file(path: str, cwd: str) -> str:
    real, inside = os.path.realpath(path), os.path.realpath(cwd)
    if not real.startswith(inside.rstrip(os.sep) + os.sep) or ".vouch" in real.split(os.sep):
        return ""
    try:
        descriptor = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_TEXT:
            return ""
        return os.read(descriptor, MAX_TEXT).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(descriptor)
