"""When what is typed counts: a document is observed once it stands still, or when somebody asks.

A prompt fills one slot of its session. Of another document the paragraphs that were changed last
fill three.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import unquote, urlsplit

from vouch_sidecar.operations.wire import MAX_SESSION_ID
from vouch_sidecar.surfaces.lsp.documents import BREAK

PROMPT = "vouch-prompt"
"""The language of prompts, and the scheme of their URIs."""
MAX_LINES = 20
BEFORE = 14
"""Lines kept before the edited line, if its paragraph has more than `MAX_LINES`."""
KEPT = 3

LineRange = tuple[int, int]
"""Numbers of the first and last line of a paragraph."""


class Slots(Protocol):
    """The slots of sessions, into which texts are put: an engine."""

    def observe(self, session_id: str, slot: str, text: str, *, final: bool = False) -> None: ...


def is_prompt(uri: str, language_id: str | None) -> bool:
    """Whether a document is a prompt."""
    return language_id == PROMPT or uri.startswith(f"{PROMPT}:")


def session_of(uri: str) -> str | None:
    """The session id in a prompt's URI; None without one."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != PROMPT:
        return None
    session_id = unquote(parts.path.lstrip("/").partition("/")[0])
    return session_id if 0 < len(session_id) <= MAX_SESSION_ID else None


@dataclass(slots=True)
class _Document:
    """A document that is typed into: its text, and the text that was observed last."""

    session_id: str
    paragraphs: Paragraphs | None
    """None for a prompt."""
    text: str
    observed: str
    timer: asyncio.TimerHandle | None = None
    is_final: bool = True
    """Whether nothing was typed since it was opened or submitted."""


class Typing:
    """The documents of one connection that are typed into. `pause` returns the seconds without
    typing after which a document is observed; names of slots begin with `prefix`.
    """

    def __init__(self, slots: Slots, pause: Callable[[], float], prefix: str) -> None:
        self._slots = slots
        self._pause = pause
        self._prefix = prefix
        self._documents: dict[str, _Document] = {}

    def __contains__(self, uri: str) -> bool:
        return uri in self._documents

    def open_prompt(self, uri: str, session_id: str, text: str) -> None:
        """Follow a prompt, all of which counts."""
        self._forget(uri)
        self._documents[uri] = _Document(session_id, None, "", "")
        if text.strip():
            self.change(uri, text)

    def open(self, uri: str, session_id: str, text: str) -> None:
        """Follow another document, of which what is changed counts."""
        self._forget(uri)
        self._documents[uri] = _Document(session_id, Paragraphs(), text, text)

    def change(self, uri: str, text: str) -> None:
        """Set the text of a document, and observe it once it stands still."""
        document = self._documents[uri]
        if text == document.text:
            return
        document.text, document.is_final = text, False
        self._stop(document)
        later = asyncio.get_running_loop().call_later
        document.timer = later(self._pause(), self._observe, uri)

    def flush(self) -> None:
        """Observe all that was typed: an answer reflects every earlier message."""
        for uri in self._documents:
            self._observe(uri)

    def save(self, uri: str) -> None:
        """Observe a document; a prompt is submitted: what is typed next is another one."""
        document = self._documents[uri]
        if document.paragraphs is not None:
            self._observe(uri)
        elif not document.is_final:
            self._stop(document)
            document.observed, document.is_final = document.text, True
            slot = self._prefix + uri
            self._slots.observe(document.session_id, slot, document.text, final=True)

    def close(self, uri: str) -> None:
        """Observe or submit a document, and follow it no longer."""
        self.save(uri)
        del self._documents[uri]

    def _forget(self, uri: str) -> None:
        """Forget a document that is opened again without having been closed."""
        if (former := self._documents.pop(uri, None)) is not None:
            self._stop(former)

    def _observe(self, uri: str) -> None:
        document, slot = self._documents[uri], self._prefix + uri
        if not self._stop(document):
            return
        before, document.observed = document.observed, document.text
        if document.paragraphs is None:
            self._slots.observe(document.session_id, slot, document.text)
            return
        for number, text in document.paragraphs.edit(before, document.text):
            self._slots.observe(document.session_id, f"{slot}#{number}", text)

    def _stop(self, document: _Document) -> bool:
        """Wait no longer for a document to stand still; whether that was waited for."""
        timer, document.timer = document.timer, None
        if timer is not None:
            timer.cancel()
        return timer is not None


@dataclass(slots=True)
class Paragraphs:
    """The three paragraphs of one document that were changed last: by number (0, 1 or 2) their
    lines, the newest last. A paragraph is the lines between two blank ones, at most `MAX_LINES`.
    """

    _lines: dict[int, LineRange] = field(default_factory=dict)

    def edit(self, old: str, new: str) -> list[tuple[int, str]]:
        """The numbers and texts of the paragraphs that differ between two states, in order, at most
        three. Each replaces one that it overlaps, else the one that was changed longest ago. The
        text is "" if one was removed. Blank, moved and removed lines begin none.
        """
        before, after = BREAK.split(old), BREAK.split(new)
        head = _common(before, after)
        tail = _common(before[head:][::-1], after[head:][::-1])
        end, known = len(before) - tail, {*before[head : len(before) - tail]}
        touched = self._move(head, end, len(after) - len(before))
        changed: list[LineRange] = []
        for at in reversed(range(head, len(after) - tail)):
            is_new = bool(after[at].strip()) and after[at] not in known
            if is_new and (not changed or at < changed[-1][0]):
                changed.append(_around(after, at))
        edited: dict[int, LineRange] = {}
        for number in touched:  # lost a part, or was cut in two
            here = _around(after, min(self._lines[number][0], len(after) - 1))
            if not any(_meet(here, lines) for lines in changed):
                edited[number] = here
        for lines in changed[:KEPT][::-1]:
            numbers = [number for number in reversed(self._lines) if number not in edited]
            overlapping = [number for number in numbers if _meet(self._lines[number], lines)]
            unused = [number for number in range(KEPT) if number not in self._lines | edited]
            number = [*overlapping, *unused, *numbers[::-1], *edited][0]
            self._lines.pop(number, None)
            edited[number] = self._lines[number] = lines
        self._lines |= edited
        texts = {number: after[first : last + 1] for number, (first, last) in edited.items()}
        return [(number, "\n".join(text).rstrip("\n")) for number, text in texts.items()]

    def _move(self, start: int, end: int, by: int) -> list[int]:
        """Shift the paragraphs behind the lines `start` to `end - 1`, of which `by` more are there
        now. Returns the numbers of those that had one of these lines.
        """
        touched = []
        for number, (first, last) in self._lines.items():
            if first >= end:
                self._lines[number] = first + by, last + by
            elif last >= start:
                self._lines[number] = first, max(first, last + by)
                touched.append(number)
        return touched


def _meet(one: LineRange, other: LineRange) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(left), len(right)))


def _around(lines: Sequence[str], at: int) -> LineRange:
    """The lines of the paragraph that contains line `at`; a blank one is alone."""
    first = last = at
    if not lines[at].strip():
        return at, at
    while first > 0 and at - first < MAX_LINES and lines[first - 1].strip():
        first -= 1
    while last + 1 < len(lines) and last - at < MAX_LINES and lines[last + 1].strip():
        last += 1
    if last - first >= MAX_LINES:
        first = max(first, at - BEFORE)
        last = min(last, first + MAX_LINES - 1)
    return first, last
