"""Reads the payload of an agent's event, which may hold anything."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, TypeGuard

from vouch_sidecar.kb.discovery import KB_DIRNAME
from vouch_sidecar.operations.wire import MAX_SESSION_ID
from vouch_sidecar.retrieval.blocks.touched_files import Touched
from vouch_sidecar.surfaces.hook.events import NAMES
from vouch_sidecar.surfaces.hook.typed import typed_of

Payload = Mapping[str, Any]

MAX_PROMPT = 262_144
"""Characters of a prompt or bytes of a file. Longer ones are ignored: nobody typed them."""
AGENT = "#"
"""Stands between the ids of a session and of a subagent in it."""
PATHS = ("file_path", "notebook_path", "filePath")
EDITED = ("new_string", "content", "new_source")
REPLACED = ("old_string",)
MAX_RANGES = 50
MAX_LINE_NUMBER = 10_000_000
TO_THE_END = 2_000
"""Lines that a host reads where only the first one is given."""


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


def prompt_of(payload: Payload) -> str:
    """What a person typed of the prompt; empty when that is too long or no text."""
    return typed_of(_text(payload.get("prompt")))


def digest_of(event: str, payload: Payload) -> bytes:
    """A digest of what counts of an event, however the rest of it differs."""
    names = ("prompt", "source", "tool_input", "tool_response")
    what = [event, *map(payload.get, names)]
    return sha256(json.dumps(what, sort_keys=True).encode()).digest()


def edited_file(payload: Payload) -> str | None:
    """The path of the file that a tool has just read or written; None when the event names none."""
    given, cwd = _object(payload.get("tool_input")), payload.get("cwd")
    path = next((p for name in PATHS if isinstance(p := given.get(name), str) and p), None)
    start = cwd if isinstance(cwd, str) and os.path.isabs(cwd) else os.getcwd()
    return path if path is None else os.path.join(start, path)


def text_of(payload: Payload) -> str:
    """The text that a tool has just read or written, as far as the event has it; empty for files in
    `.vouch/`, or where it is too large.
    """
    path = edited_file(payload)
    if path is None or KB_DIRNAME in path.split(os.sep):
        return ""
    file = _object(_object(payload.get("tool_response")).get("file"))
    return _written(payload, *EDITED) or _text(file.get("content"))


def touched_of(payload: Payload) -> Touched | None:
    """What a tool has just read or changed of a file, by the host's patch where it sends one: of a
    change the lines are those after it. None when the event names no file.
    """
    path = edited_file(payload)
    if path is None:
        return None
    old, new = _written(payload, *REPLACED), _written(payload, *EDITED)
    before, after = old.splitlines(), new.splitlines()
    was, now = set(before), set(after)
    inserted = [line for line in after if line not in was]
    removed = [line for line in before if line not in now]
    ranges = _range_read(payload)
    if hunks := _hunks(payload):
        patch = [line for hunk in hunks for line in _lines(hunk)]
        inserted = [line[1:] for line in patch if line.startswith("+")]
        removed = [line[1:] for line in patch if line.startswith("-")]
        ranges = [touched for hunk in hunks for touched in _range_changed(hunk)]
    return Touched(
        path,
        ranges,
        is_edit=bool(old or new),
        text=_text("\n".join(filter(None, (old, new)))),
        inserted=_text("\n".join(filter(str.strip, inserted))),
        removed=_text("\n".join(filter(str.strip, removed))),
    )


def _range_read(payload: Payload) -> list[tuple[int, int]]:
    """The first and last lines, from 1, of what a tool has read, where the event tells them."""
    given = _object(payload.get("tool_input"))
    file = _object(_object(payload.get("tool_response")).get("file"))
    first, number = file.get("startLine"), file.get("numLines")
    if first is None and ("offset" in given or "limit" in given):
        first, number = given.get("offset", 1), given.get("limit", TO_THE_END)
    if not (_is_count(first) and _is_count(number)):
        return []
    return [(first, max(first, first + number - 1))]


def _range_changed(hunk: Payload) -> list[tuple[int, int]]:
    """The first and last lines of a change in a patch, as they are after it; where it only took
    lines away, the line in their place.
    """
    number, touched = hunk.get("newStart"), []
    for line in _lines(hunk):
        if not _is_count(number):
            break
        if line.startswith(("+", "-")):
            touched.append(number)
        number += not line.startswith("-")
    return [(touched[0], touched[-1])] if touched else []


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and 0 <= value <= MAX_LINE_NUMBER


def _hunks(payload: Payload) -> list[Payload]:
    patch = _object(payload.get("tool_response")).get("structuredPatch")
    return [hunk for hunk in _list(patch)[:MAX_RANGES] if isinstance(hunk, Mapping)]


def _lines(hunk: Payload) -> list[str]:
    return [line for line in _list(hunk.get("lines")) if isinstance(line, str)]


def _written(payload: Payload, *names: str) -> str:
    """The texts of an edit, or of several, under some names; empty if they are too long."""
    given = _object(payload.get("tool_input"))
    parts = [given, *map(_object, _list(given.get("edits")))]
    texts = (part.get(name) for part in parts for name in names)
    return _text("\n".join(text for text in texts if isinstance(text, str) and text))


def _object(value: object) -> Payload:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    """A text without lone surrogates, which JSON can carry and UTF-8 can't; empty for one that is
    too long, or none.
    """
    if not isinstance(value, str) or len(value) > MAX_PROMPT:
        return ""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
