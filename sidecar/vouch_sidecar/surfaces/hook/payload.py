"""Reads the payload of an agent's event, which may hold anything."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from vouch_sidecar.surfaces.hook.events import FILE, NAMES, PROMPT
from vouch_sidecar.surfaces.hook.typed import typed_of

Payload = Mapping[str, Any]


MAX_PROMPT = 262_144
"""Characters of a prompt or bytes of a file. Longer ones are ignored: nobody typed them."""
MAX_SESSION_ID = 256
AGENT = "#"
"""Stands between the ids of a session and of a subagent in it."""
EDITED = ("new_string", "content", "new_source", "new_str", "file_text")
REPLACED = ("old_string", "old_str")
PATCH = "structuredPatch"
MAX_RANGES = 50
MAX_LINE_NUMBER = 10_000_000
TO_THE_END = 2_000
"""Lines that a host reads where only the first one is given."""
PATHS = ("file_path", "path", "notebook_path", "filePath")


def output(event: str, text: str) -> dict[str, Any] | None:
    """The object to print for a text; None for an empty text."""
    if not text:
        return None
    return {"hookSpecificOutput": {"hookEventName": NAMES[event], "additionalContext": text}}


def session_of(payload: Payload) -> str | None:
    """The session's id, of a subagent with its own behind it: it shares the session, not what was
    said. None without one. Raises ValueError if it is no valid id.
    """
    session_id, agent_id = payload.get("session_id"), payload.get("agent_id")
    if session_id is None:
        return None
    if not isinstance(session_id, str) or not session_id:
        raise ValueError
    if isinstance(agent_id, str) and agent_id:
        session_id += AGENT + agent_id
    if len(session_id) > MAX_SESSION_ID:
        raise ValueError
    session_id.encode()
    return session_id


def prompt_of(payload: Payload) -> str | None:
    """What a person typed of the prompt; None when that is blank, too long or no text."""
    prompt = payload.get("prompt")
    if not isinstance(prompt, str) or len(prompt) > MAX_PROMPT:
        return None
    return _whole(typed_of(prompt)) or None


def digest_of(event: str, payload: Payload) -> bytes:
    """A digest of what counts of an event, however the rest of it differs."""
    what: object = payload.get("source")
    if event == PROMPT:
        what = prompt_of(payload)
    elif event == FILE:
        what = [payload.get("tool_input"), payload.get("tool_response")]
    return sha256(json.dumps(what, sort_keys=True).encode()).digest()


def edited_file(payload: Payload) -> str | None:
    """The path of the file that a tool has just read or written; None when the event names none."""
    given = payload.get("tool_input")
    if not isinstance(given, Mapping):
        return None
    path = next((p for name in PATHS if isinstance(p := given.get(name), str) and p), None)
    return path if path is None else os.path.join(_cwd(payload), path)


def text_of(payload: Payload) -> str | None:
    """The text that a tool has just read or written, as far as the event has it; None for files in
    `.vouch/`, or where it is too large.
    """
    path = edited_file(payload)
    if path is None or ".vouch" in path.split(os.sep):
        return None
    text = _written(payload["tool_input"], EDITED) or _read(payload.get("tool_response"))
    return _whole(text) if text and len(text) <= MAX_PROMPT else None


def is_edit(payload: Payload) -> bool:
    """Whether a tool changed the file, and not only read it."""
    return bool(_written(payload["tool_input"], (*EDITED, *REPLACED)))


def change_of(payload: Payload) -> str:
    """The text of a change, before and after it."""
    text = _written(payload["tool_input"], (*REPLACED, *EDITED))
    return _whole(text) if len(text) <= MAX_PROMPT else ""


def inserted_in(payload: Payload) -> str:
    """The lines of a change that are new: by the host's patch, else those that were not there."""
    return _lines_of(payload, "+", EDITED, REPLACED)


def removed_in(payload: Payload) -> str:
    """The lines of a change that are gone, in the same way."""
    return _lines_of(payload, "-", REPLACED, EDITED)


def _lines_of(payload: Payload, sign: str, names: tuple[str, ...], others: tuple[str, ...]) -> str:
    """The lines with a sign in the host's patch; without one, those of the texts under `names`
    that are not in those under `others`.
    """
    hunks = _hunks(payload)
    if hunks:
        patch = [line for hunk in hunks for line in _texts(hunk.get("lines"))]
        lines = [line[1:] for line in patch if line.startswith(sign)]
    else:
        on_both_sides = set(_written(payload["tool_input"], others).splitlines())
        given = _written(payload["tool_input"], names).splitlines()
        lines = [line for line in given if line not in on_both_sides]
    text = "\n".join(line for line in lines if line.strip())
    return _whole(text) if len(text) <= MAX_PROMPT else ""


def ranges_of(payload: Payload) -> list[tuple[int, int]]:
    """The first and last lines, from 1, of what a tool has read or changed, as far as the event
    tells them; of a change, as they are after it.
    """
    hunks = _hunks(payload)
    if hunks:
        return _changed_lines(hunks, "new")
    given, response = payload["tool_input"], payload.get("tool_response")
    file = response.get("file") if isinstance(response, Mapping) else None
    lines = (
        _range(file.get("startLine"), file.get("numLines")) if isinstance(file, Mapping) else None
    )
    first, limit = given.get("offset"), given.get("limit")
    if lines is None and (first is not None or limit is not None):
        lines = _range(1 if first is None else first, TO_THE_END if limit is None else limit)
    return [] if lines is None else [lines]


def ranges_before(payload: Payload) -> list[tuple[int, int]]:
    """The first and last lines of what a tool has changed, as they were before it, by the host's
    patch.
    """
    return _changed_lines(_hunks(payload), "old")


def growth_of(payload: Payload) -> int:
    """How many bytes larger a change made the file, by the host's patch."""
    signs = {"+": 1, "-": -1}  # a sign takes the place of the line's end
    lines = [line for hunk in _hunks(payload) for line in _texts(hunk.get("lines"))]
    return sum(signs.get(line[:1], 0) * len(line.encode("utf-8", "replace")) for line in lines)


def _changed_lines(hunks: list[Payload], side: str) -> list[tuple[int, int]]:
    """The lines of a patch on one side, "old" or "new", without those around each change. Where
    nothing is on this side, the lines before and after the place.
    """
    ranges = []
    for hunk in hunks:
        lines = [line.startswith(("+", "-")) for line in _texts(hunk.get("lines"))]
        around = (lines.index(True), lines[::-1].index(True)) if any(lines) else (0, 0)
        span = _range(hunk.get(f"{side}Start"), hunk.get(f"{side}Lines"))
        if span is not None:
            ends = span[0] + around[0], max(0, span[1] - around[1])
            ranges.append((min(ends), max(ends)))
    return ranges


def _hunks(payload: Payload) -> list[Payload]:
    response = payload.get("tool_response")
    patch = response.get(PATCH) if isinstance(response, Mapping) else None
    return [hunk for hunk in _list(patch)[:MAX_RANGES] if isinstance(hunk, Mapping)]


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _texts(value: object) -> list[str]:
    return [text for text in _list(value) if isinstance(text, str)]


def _range(first: object, number: object) -> tuple[int, int] | None:
    if not (isinstance(first, int) and isinstance(number, int)):
        return None
    if not (0 <= first <= MAX_LINE_NUMBER and 0 <= number <= MAX_LINE_NUMBER):
        return None
    return first, max(first, first + number - 1)


def _whole(text: str) -> str:
    """A text without lone surrogates: JSON can carry them, UTF-8 can't."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _cwd(payload: Payload) -> str:
    cwd = payload.get("cwd")
    return cwd if isinstance(cwd, str) and os.path.isabs(cwd) else os.getcwd()


def _written(given: Payload, names: tuple[str, ...]) -> str:
    """The texts of an edit, or of several, under some names."""
    parts = [given, *_list(given.get("edits"))]
    texts = (part.get(name) for part in parts if isinstance(part, Mapping) for name in names)
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
