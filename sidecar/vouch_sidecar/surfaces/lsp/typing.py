"""When what is typed counts: once it stands still, or when somebody asks.

A prompt fills one slot of its session. Of another document the paragraphs that were changed last
fill three.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from vouch_sidecar.engine import Engine
from vouch_sidecar.kb.settings import Settings
from vouch_sidecar.retrieval.blocks.block import without_blocks
from vouch_sidecar.surfaces.lsp.documents import BREAK, Document

MAX_LINES = 20
MAX_BEFORE = 14
"""Lines of a paragraph before the edited one."""
KEPT = 3


@dataclass(slots=True)
class _Typed:
    """What of a document was observed."""

    session_id: str
    observed: tuple[str, bool]
    """The text that was observed last, and whether it was submitted."""
    paragraphs: Paragraphs | None
    """None for a prompt."""


class Typing:
    """What is typed into the open documents, each a slot of a session, or three."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._typed: dict[Document, _Typed] = {}
        self._timer: asyncio.TimerHandle | None = None

    def open(self, document: Document, session_id: str) -> None:
        """Follow a document: all of a prompt counts, and what changes in another one."""
        session_id = document.session_id or session_id
        if document.is_prompt:
            self._typed[document] = _Typed(session_id, ("", True), None)
            self.change()
        else:
            observed = _words(document.source), True
            self._typed[document] = _Typed(session_id, observed, Paragraphs())

    def change(self) -> None:
        """A document has a new text, which counts once nothing more is typed."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(self._idle_seconds(), self.flush)

    def flush(self) -> None:
        """Observe all that was typed: an answer reflects every earlier message."""
        for document in self._typed:
            self._observe(document)

    def save(self, document: Document) -> None:
        """Observe a document; a prompt is submitted: what is typed next is another one."""
        self._observe(document, is_final=True)

    def close(self, document: Document) -> None:
        """Observe or submit a document, and follow it no longer."""
        self.save(document)
        del self._typed[document]

    def _observe(self, document: Document, *, is_final: bool = False) -> None:
        typed, uri, text = self._typed[document], document.uri, _words(document.source)
        before, was_final = typed.observed
        if text == before and (was_final or not is_final):
            return
        typed.observed = text, is_final
        if typed.paragraphs is None:
            self._engine.observe(typed.session_id, uri, text, final=is_final)
            return
        for number, paragraph in typed.paragraphs.edit(before, text):
            self._engine.observe(typed.session_id, f"{uri}#{number}", paragraph)

    def _idle_seconds(self) -> float:
        """Seconds without typing after which what was typed counts."""
        served = [collection.settings for collection in self._engine.collections.values()]
        return min(settings.prompts.idle_ms for settings in served or [Settings()]) / 1000


def _words(source: str) -> str:
    """A text without inserted blocks, and without the blank place of one at its end."""
    text = without_blocks(source)
    return text if text == source else text.rstrip()


@dataclass(slots=True)
class Paragraphs:
    """The three paragraphs of one document that were changed last: their lines by number (0, 1 or
    2), the newest last. A paragraph is the lines between two blank ones, at most `MAX_LINES`.
    """

    _lines: dict[int, list[str]] = field(default_factory=dict)

    def edit(self, old: str, new: str) -> list[tuple[int, str]]:
        """The numbers and texts of the paragraphs that differ between two states, at most three.
        One that is new replaces one of which it lacks a line, or which is a part of it, else the
        one that was changed longest ago. Of one that lost lines the others are left. Blank and
        removed lines, and those that the text had already, begin none.
        """
        known, after = {*BREAK.split(old)}, BREAK.split(new)
        there, seen = {*after}, 0
        changed: list[list[str]] = []
        for at, line in enumerate(after):
            if at >= seen and line.strip() and line not in known:
                first, seen = _around(after, at)
                changed.append(after[first:seen])
        edited = {
            number: [line for line in lines if line in there]
            for number, lines in self._lines.items()
            if not there.issuperset(lines)
        }
        taken: set[int] = set()
        for lines in changed[-KEPT:]:
            parts = [number for number, own in self._lines.items() if {*own} <= {*lines}]
            unused = [number for number in range(KEPT) if number not in self._lines]
            numbers = (*edited, *parts, *unused, *self._lines)
            number = next(number for number in numbers if number not in taken)
            taken.add(number)
            for kept in (self._lines, edited):  # the newest is the last
                kept.pop(number, None)
                kept[number] = lines
        self._lines |= edited
        return [(number, "\n".join(lines)) for number, lines in edited.items()]


def _around(lines: Sequence[str], at: int) -> tuple[int, int]:
    """Where the paragraph with line `at` begins, and where it has ended."""
    first, end = at, at + 1
    while first > max(0, at - MAX_BEFORE) and lines[first - 1].strip():
        first -= 1
    while end < min(len(lines), first + MAX_LINES) and lines[end].strip():
        end += 1
    return first, end
