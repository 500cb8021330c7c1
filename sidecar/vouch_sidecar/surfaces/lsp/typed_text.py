"""When what is typed counts: the policy of prompt documents and of edited paragraphs.

A word that is being typed may become another word. So what is typed is observed after a pause; an
edited paragraph also as soon as a word ends, while a prompt waits for the pause. Observing a
half-typed word takes nothing away: until the word ends, its slot keeps what it held before, and
what was observed since. Who asks meanwhile sees the text as it stands, of which pushes know
nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol


class Slots(Protocol):
    """The slots of sessions, into which texts are put: an engine."""

    def observe(
        self, session_id: str, slot: str, text: str, *, final: bool = False, also: Sequence[str]
    ) -> None: ...

    def preview(self, session_id: str, slot: str, text: str, *, also: Sequence[str]) -> None: ...


EditedSlots = Callable[[str, str], Iterable[tuple[str, str]]]
"""From two states of a document to the slots that differ, each with what it holds now."""


class SlotText(NamedTuple):
    """What a slot holds, and the texts that count as well, the oldest first."""

    slot: str
    text: str
    also: Sequence[str] = ()


class TypedText:
    """A document that is typed into, and what of it the slots of a session hold. `at_word_end`:
    whether a word counts as soon as it ends.
    """

    def __init__(self, session_id: str, edited: EditedSlots, text: str, at_word_end: bool) -> None:
        self.session_id = session_id
        self.at_word_end = at_word_end
        self.text = text
        self.ends_in_word = False
        """Whether the last change ended in a word, which may go on."""
        self._edited = edited
        self._settled = text
        """The text when its last word had ended."""
        self._searched = text
        """The text up to which edited slots were looked for."""
        self._line = 0
        """The line of the word that is being typed."""
        self._held: dict[str, str] = {}
        """By slot, what it held when its last word had ended."""
        self._texts: dict[str, str] = {}
        """By slot, what was typed since; the slot edited last is the last one."""
        self._observed: dict[str, list[str]] = {}
        """By slot, what of that was observed."""

    @property
    def is_settled(self) -> bool:
        """Whether nothing was typed since the last word ended."""
        return self.text == self._settled and not self._texts

    @property
    def is_half_typed(self) -> bool:
        """Whether one word was changed since, which may go on."""
        return self.text != self._settled and self._goes_on(self.text)

    def set_text(self, text: str) -> list[SlotText]:
        """Set the new text. Returns what ended, if another word begins with it."""
        start, end = _changed_part(self.text, text)
        line, self.ends_in_word = text.count("\n", 0, start), _ends_in_word(text, end)
        ended: list[SlotText] = []
        if self.is_settled:
            self._line = line
        elif not self._goes_on(text) and (self.ends_in_word or line != self._line):
            ended, self._line = self.end(), line
        self.text = text
        return ended

    def end(self) -> list[SlotText]:
        """End the word. Returns the slots edited since the last one ended."""
        self._take_edits()
        ended = [SlotText(slot, text) for slot, text in self._texts.items()]
        self._held |= self._texts
        self._settled, self._texts, self._observed = self.text, {}, {}
        return ended

    def as_it_stands(self) -> list[SlotText]:
        """The slots edited since the last word ended, without ending this one."""
        self._take_edits()
        if not self.is_half_typed:
            return [SlotText(slot, text) for slot, text in self._texts.items()]
        return [
            SlotText(slot, text, [self._held.get(slot, ""), *self._observed.get(slot, ())])
            for slot, text in self._texts.items()
        ]

    def observe(self) -> list[SlotText]:
        """As `as_it_stands`, and let these texts count until the word ends."""
        slots = self.as_it_stands()
        for slot, text, _ in slots:
            self._observed.setdefault(slot, []).append(text)
        return slots

    def all_slots(self) -> dict[str, str]:
        """What every slot holds that was ever filled."""
        self._take_edits()
        return self._held | self._texts

    def _goes_on(self, text: str) -> bool:
        """Whether a text has the word that is being typed, or had it before it was deleted."""
        return text == self._settled or _differ_by_one_word(self._settled, text)

    def _take_edits(self) -> None:
        for slot, text in self._edited(self._searched, self.text):
            self._texts.pop(slot, None)
            self._texts[slot] = text
        self._searched = self.text


class TypedDocuments:
    """The documents of one connection that are typed into. `pause` returns the seconds without
    typing after which a text is observed.
    """

    def __init__(self, slots: Slots, pause: Callable[[], float]) -> None:
        self._slots = slots
        self._pause = pause
        self._typed: dict[str, TypedText] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        """By URI, what waits for the pause."""

    def __contains__(self, uri: str) -> bool:
        return uri in self._typed

    def text_of(self, uri: str) -> str:
        """The last text of a document."""
        return self._typed[uri].text

    def follow(self, uri: str, typed: TypedText) -> None:
        """Follow a document from its text on, of which nothing counts."""
        self._stop(uri)
        self._typed[uri] = typed

    def set_text(self, uri: str, text: str) -> None:
        """Set the new text of a document. A word in another document has ended then."""
        typed = self._typed[uri]
        if typed.at_word_end:
            for other, another in self._typed.items():
                if other != uri and another.at_word_end:
                    self.end(other)
        ended = typed.set_text(text)
        if typed.at_word_end:
            self._observe(typed, ended)
        if typed.ends_in_word or not typed.at_word_end:
            self._wait(uri)
        else:
            self.end(uri)

    def end(self, uri: str) -> None:
        """Observe a document, if anything was typed, as it stands."""
        self._stop(uri)
        typed = self._typed[uri]
        if not typed.is_settled:
            self._observe(typed, typed.end())

    def submit(self, uri: str) -> None:
        """Make the slots of a document final."""
        self._stop(uri)
        typed = self._typed[uri]
        for slot, text in typed.all_slots().items():
            self._slots.observe(typed.session_id, slot, text, final=True, also=())

    def forget(self, uri: str) -> None:
        """Follow a document no longer."""
        self._stop(uri)
        del self._typed[uri]

    def preview(self) -> None:
        """Let every text that waits for a pause count for those who ask: an answer must reflect
        all earlier messages.
        """
        for uri in self._timers:
            typed = self._typed[uri]
            for slot, text, also in typed.as_it_stands():
                self._slots.preview(typed.session_id, slot, text, also=also)

    def flush(self) -> None:
        """Observe at once every text that waits for a pause."""
        for uri in list(self._timers):
            self.end(uri)

    def _wait(self, uri: str) -> None:
        self._stop(uri)
        later = asyncio.get_running_loop().call_later
        self._timers[uri] = later(self._pause(), self._on_pause, uri)

    def _stop(self, uri: str) -> None:
        if (timer := self._timers.pop(uri, None)) is not None:
            timer.cancel()

    def _on_pause(self, uri: str) -> None:
        """Observe a half-typed word, or a text in which none is."""
        typed = self._typed[uri]
        if not typed.is_half_typed:
            self.end(uri)
            return
        self._stop(uri)
        self._observe(typed, typed.observe())

    def _observe(self, typed: TypedText, slots: Iterable[SlotText]) -> None:
        for slot, text, also in slots:
            self._slots.observe(typed.session_id, slot, text, also=also)


# Half-typed words


def _differ_by_one_word(old: str, new: str) -> bool:
    """Whether two texts differ by one word alone, at the end of which something was changed."""
    start, end = _changed_part(old, new)
    removed = old[start : len(old) - (len(new) - end)]
    return bool(end) and all(map(_is_word_character, removed + new[start:end] + new[end - 1]))


def _ends_in_word(text: str, end: int) -> bool:
    """Whether the part of a text before `end` ends in a word, which may be half-typed."""
    return bool(end) and _is_word_character(text[end - 1])


def _is_word_character(character: str) -> bool:
    return character.isalnum() or character == "_"


def _changed_part(old: str, new: str) -> tuple[int, int]:
    """Start and end of the part of `new` that differs from `old`, as offsets in `new`."""
    start = _common(old, new)
    most = min(len(old), len(new)) - start
    tail = _common(old[len(old) - most :][::-1], new[len(new) - most :][::-1])
    return start, len(new) - tail


def _common(text: str, other: str) -> int:
    """The length of the common beginning of two texts, by bisection: a text may have a million
    characters.
    """
    low, high = 0, min(len(text), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if text[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
