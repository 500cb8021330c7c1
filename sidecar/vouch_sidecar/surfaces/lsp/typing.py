"""When what is typed counts: once it stands still, or when somebody asks.

A prompt fills one slot of its session. Of another document the paragraphs that were changed last
fill three.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from vouch_sidecar.engine import Engine
from vouch_sidecar.kb.settings import Settings
from vouch_sidecar.surfaces.lsp.documents import BREAK, Document

MAX_LINES = 20
MAX_BEFORE = 14
"""Lines of a paragraph before the edited one."""
KEPT = 3


class Typing:
    """What is typed into the open documents, each a slot of a session, or three."""

    def __init__(self, engine: Engine, documents: Mapping[str, Document]) -> None:
        self._engine = engine
        self._documents = documents
        self._timer: asyncio.TimerHandle | None = None

    def change(self) -> None:
        """A document has a new text, which counts once nothing more is typed."""
        if self._timer is not None:
            self._timer.cancel()
        served = [collection.settings for collection in self._engine.collections.values()]
        idle_ms = min(settings.prompts.idle_ms for settings in served or [Settings()])
        self._timer = asyncio.get_running_loop().call_later(idle_ms / 1000, self.flush)

    def flush(self) -> None:
        """Observe all that was typed: an answer reflects every earlier message."""
        for document in self._documents.values():
            self.observe(document)

    def observe(self, document: Document, *, is_final: bool = False) -> None:
        """Observe a document as it stands. What is typed into a prompt after a `final` text is
        another one.
        """
        text, (before, was_final) = document.words, document.observed
        if text == before and (was_final or not is_final):
            return
        document.observed = text, is_final
        session_id, uri = document.session_id, document.uri
        if document.is_prompt:
            self._engine.observe(session_id, uri, text, final=is_final)
            return
        for number, paragraph in edited(document.paragraphs, before, text):
            self._engine.observe(session_id, f"{uri}#{number}", paragraph)


def edited(paragraphs: dict[int, list[str]], old: str, new: str) -> list[tuple[int, str]]:
    """The numbers and texts of the paragraphs that differ between two states of a document.
    `paragraphs` are those that were changed last, at most three, their lines by number (0, 1 or 2),
    the newest last; they are kept up to date. A paragraph is the lines between two blank ones, at
    most `MAX_LINES`.

    One that is new replaces one of which the text lacks a line, or which is a part of it, else the
    one that was changed longest ago. Of one that lost lines the others are left. Blank and removed
    lines, and those that the text had already, begin none.
    """
    known, after = {*BREAK.split(old)}, BREAK.split(new)
    there, seen = {*after}, 0
    changed: list[list[str]] = []
    for at, line in enumerate(after):
        if at >= seen and line.strip() and line not in known:
            first, seen = _around(after, at)
            changed.append(after[first:seen])
    now = {
        number: [line for line in lines if line in there]
        for number, lines in paragraphs.items()
        if not there.issuperset(lines)
    }
    taken: set[int] = set()
    for lines in changed[-KEPT:]:
        parts = [number for number, own in paragraphs.items() if {*own} <= {*lines}]
        unused = [number for number in range(KEPT) if number not in paragraphs]
        number = next(n for n in (*now, *parts, *unused, *paragraphs) if n not in taken)
        taken.add(number)
        for kept in (paragraphs, now):  # the newest is the last
            kept.pop(number, None)
            kept[number] = lines
    paragraphs |= now
    return [(number, "\n".join(lines)) for number, lines in now.items()]


def _around(lines: Sequence[str], at: int) -> tuple[int, int]:
    """Where the paragraph with line `at` begins, and where it has ended."""
    first, end = at, at + 1
    while first > max(0, at - MAX_BEFORE) and lines[first - 1].strip():
        first -= 1
    while end < min(len(lines), first + MAX_LINES) and lines[end].strip():
        end += 1
    return first, end
