"""When what is typed counts: once it stands still, or when somebody asks.

A prompt fills one slot of its session. Of another document the paragraphs that were changed last
fill three.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import unquote

from vouch_sidecar.operations.wire import MAX_SESSION_ID
from vouch_sidecar.surfaces.lsp.documents import BREAK

PROMPT = "vouch-prompt"
"""The language of prompts, and the scheme of their URIs."""
MAX_LINES = 20
MAX_BEFORE = 14
"""Lines of a paragraph before the edited one."""
KEPT = 3


class Slots(Protocol):
    """The slots of sessions, into which texts are put: an engine."""

    def observe(self, session_id: str, slot: str, text: str, *, final: bool = False) -> None: ...


def is_prompt(uri: str, language_id: str | None) -> bool:
    """Whether a document is a prompt."""
    return language_id == PROMPT or uri.startswith(f"{PROMPT}:")


def session_of(uri: str) -> str | None:
    """The session id in a prompt's URI; None without one."""
    if not uri.startswith(f"{PROMPT}:"):
        return None
    session_id = unquote(uri.partition(":")[2].lstrip("/").partition("/")[0])
    return session_id if 0 < len(session_id) <= MAX_SESSION_ID else None


@dataclass(slots=True)
class _Document:
    """A document that is typed into: its text, and the text that was observed last."""

    session_id: str
    paragraphs: Paragraphs | None
    """None for a prompt."""
    text: str
    observed: str
    is_submitted: bool = True


class Typing:
    """The documents of one connection that are typed into. `pause` returns the seconds without
    typing after which what was typed counts; names of slots begin with `prefix`.
    """

    def __init__(self, slots: Slots, pause: Callable[[], float], prefix: str) -> None:
        self._slots = slots
        self._pause = pause
        self._prefix = prefix
        self._documents: dict[str, _Document] = {}
        self._waiting: dict[str, None] = {}
        """The documents that were typed into since they were observed."""
        self._timer: asyncio.TimerHandle | None = None

    def open_prompt(self, uri: str, session_id: str, text: str) -> None:
        """Follow a prompt, all of which counts."""
        self._waiting.pop(uri, None)
        self._documents[uri] = _Document(session_id, None, "", "")
        if text.strip():
            self.change(uri, text)

    def open(self, uri: str, session_id: str, text: str) -> None:
        """Follow another document, of which what is changed counts."""
        self._waiting.pop(uri, None)
        self._documents[uri] = _Document(session_id, Paragraphs(), text, text)

    def change(self, uri: str, text: str) -> None:
        """Set the text of a document, which counts once nothing more is typed."""
        document = self._documents[uri]
        if text == document.text:
            return
        document.text, document.is_submitted = text, False
        self._waiting[uri] = None
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(self._pause(), self.flush)

    def flush(self) -> None:
        """Observe all that was typed: an answer reflects every earlier message."""
        for uri in list(self._waiting):
            self._observe(uri)

    def save(self, uri: str) -> None:
        """Observe a document; a prompt is submitted: what is typed next is another one."""
        document = self._documents[uri]
        if document.paragraphs is not None:
            self._observe(uri)
        elif not document.is_submitted:
            self._observe(uri, final=True)

    def close(self, uri: str) -> None:
        """Observe or submit a document, and follow it no longer."""
        self.save(uri)
        del self._documents[uri]

    def _observe(self, uri: str, *, final: bool = False) -> None:
        document, slot = self._documents[uri], self._prefix + uri
        self._waiting.pop(uri, None)
        if document.paragraphs is None:
            document.is_submitted = final
            self._slots.observe(document.session_id, slot, document.text, final=final)
        else:
            for number, text in document.paragraphs.edit(document.observed, document.text):
                self._slots.observe(document.session_id, f"{slot}#{number}", text)
        document.observed = document.text


@dataclass(slots=True)
class Paragraphs:
    """The three paragraphs of one document that were changed last: their lines by number (0, 1 or
    2), the newest last. A paragraph is the lines between two blank ones, at most `MAX_LINES`.
    """

    _lines: dict[int, list[str]] = field(default_factory=dict)

    def edit(self, old: str, new: str) -> list[tuple[int, str]]:
        """The numbers and texts of the paragraphs that differ between two states, at most three.
        One that is new replaces one of which it lacks a line, or which is a part of it, else the
        one that was changed longest ago. Of one that lost lines the others are left. Blank, moved
        and removed lines begin none.
        """
        before, after = BREAK.split(old), BREAK.split(new)
        head = _common(before, after)
        tail = _common(before[head:][::-1], after[head:][::-1])
        known, there = {*before[head : len(before) - tail]}, {*after}
        changed: list[list[str]] = []
        seen = head
        for at in range(head, len(after) - tail):
            if at >= seen and after[at].strip() and after[at] not in known:
                first, seen = _around(after, at)
                changed.append(after[first:seen])
        cut = [number for number, lines in self._lines.items() if not there.issuperset(lines)]
        edited: dict[int, list[str]] = {}
        for lines in changed[-KEPT:]:
            parts = [number for number, own in self._lines.items() if {*own} <= {*lines}]
            unused = [number for number in range(KEPT) if number not in self._lines]
            numbers = [*cut, *parts, *unused, *self._lines]
            number = next(number for number in numbers if number not in edited)
            self._lines.pop(number, None)
            self._lines[number] = edited[number] = lines
        for number in cut:
            if number not in edited:
                left = [line for line in self._lines[number] if line in there]
                self._lines[number] = edited[number] = left
        return [(number, "\n".join(lines)) for number, lines in edited.items()]


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    """The number of equal lines at the beginning."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(left), len(right)))


def _around(lines: Sequence[str], at: int) -> tuple[int, int]:
    """Where the paragraph with line `at` begins, and where it has ended."""
    first, end = at, at + 1
    while first > max(0, at - MAX_BEFORE) and lines[first - 1].strip():
        first -= 1
    while end < min(len(lines), first + MAX_LINES) and lines[end].strip():
        end += 1
    return first, end
