"""The recent texts of each session, in memory only.

A session holds slots: a prompt, the lines edited in a document, a question asked. A touched slot
becomes the newest; the window keeps the newest slots. The event loop touches slots; the thread that
answers a question records what it found and gave.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from threading import RLock
from typing import TypeVar, cast

from vouch_sidecar.index.memo import Memo

MAX_SESSIONS = 256
MAX_SLOT_BYTES = 4096
MAX_ALSO = 16
"""Earlier texts kept while a word is typed: the one before the word, and the last ones since."""
IDLE_SECONDS = 30 * 60.0
_CUT_AT_START = re.compile(r"\S{0,80}\s")
"""The rest of a word whose beginning was cut off. Longer runs are text without spaces."""
_CUT_AT_END = re.compile(r"\s\S{0,80}$")
"""The beginning of a word whose end was cut off."""
_BREAK = "\n\n"
"""Replaces the text left out: no name continues across it."""
PROBED_TURNS = 10
RANKINGS = 8
"""Rankings remembered for the current window: one per collection and number of rows."""
T = TypeVar("T")


@dataclass(slots=True)
class Slot:
    """One text of a window. It replaces the slot with the same `key`."""

    key: str
    text: str
    turn: int = 0
    """The session's count of touches when this slot was last touched."""
    also: tuple[str, ...] = ()
    """Its earlier texts since the last word was begun: what they name stays until the word ends."""

    def continues(self, earlier: Slot) -> bool:
        """Whether this is `earlier` or a later state of the same slot, final or not."""
        return self.key == earlier.key or self.key.startswith(f"{earlier.key}\0")


@dataclass(slots=True)
class Session:
    """The window of one session, and what it was pushed (`pushed`) and answered (`given`)."""

    id: str
    last_active: float
    slots: OrderedDict[str, Slot] = field(default_factory=OrderedDict)
    pushed: set[tuple[Hashable, str]] = field(default_factory=set)
    """(`View.identity`, entity id) of everything that was ever `fresh`."""
    passed_over: dict[Hashable, tuple[Slot, frozenset[str]]] = field(default_factory=dict)
    """By `View.identity`, a slot and the entities that it named beyond the limit of `fresh`: the
    slot does not volunteer them later, as long as it goes on naming them.
    """
    given: dict[tuple[Hashable, str, str], object] = field(default_factory=dict)
    """(`View.identity`, kind, id) of what `context` gave with `repeat: false`, with its state then;
    the id of a page's section ends with `#` and its number.
    """
    asked: list[str] = field(default_factory=list)
    """The texts for which `context` was last asked with `repeat: false`."""
    turns: dict[str, str] = field(default_factory=dict)
    """The text of the last call in this session, by operation."""
    probed: OrderedDict[Hashable, tuple[int, object]] = field(default_factory=OrderedDict)
    """Results of probes by their key, with the turn in which they were last used."""
    phrases: dict[Hashable, int] = field(default_factory=dict)
    """The phrases that were probed, each with what it was probed in, by the turn of that."""
    turn: int = 0
    touches: int = 0
    """How often slots were touched: while it is the same, so is the window."""
    previews: dict[str, Slot] = field(default_factory=dict)
    """Texts of slots that are not touched yet; they count for those who ask, not for pushes."""
    ranked: Memo = field(default_factory=lambda: Memo(RANKINGS))
    """Rankings of the current window and knowledge."""
    last_push_at: dict[Hashable, float] = field(default_factory=dict)
    """By `View.identity`, when an entity was last `fresh`, on the sessions' clock."""
    _made: int = 0
    _forgotten: dict[Hashable, int] = field(default_factory=dict)
    """By `View.identity`, the count of touches up to which slots do not count."""

    def touch(self, key: str, text: str, window: int, also: Sequence[str] = ()) -> None:
        """Put a text into its slot and make that the newest; blank text empties the slot. `also`:
        the slot's texts since its last word was begun, the oldest first, if the word is not ended.
        """
        self.touches += 1
        self.slots.pop(key, None)
        self.previews.pop(key, None)
        slot = _slot(key, text, self.touches, also)
        if slot.text.strip() or slot.also:
            self.slots[key] = slot
        self.trim(window)

    def preview(self, key: str, text: str, also: Sequence[str] = ()) -> None:
        """As `touch`, only for those who ask, until the slot is touched."""
        self.previews[key] = _slot(key, text, self.touches + 1, also)

    def add(self, text: str, window: int) -> None:
        """Put a text into a new slot."""
        self._made += 1
        self.touch(f"\0{self._made}", text, window)

    def finish(self, key: str) -> None:
        """Make a slot final: a later text with its key gets another slot."""
        if slot := self.slots.get(key):
            self._made += 1
            slot.key = f"{key}\0{self._made}"
            self.slots = OrderedDict((s.key, s) for s in self.slots.values())

    def recall(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value remembered for a key from the last `PROBED_TURNS` turns, else `make`'s."""
        for old, (turn, _) in list(self.probed.items()):
            if self.turn - turn > PROBED_TURNS:
                self.probed.pop(old, None)
        known = self.probed.get(key)
        value = make() if known is None else cast(T, known[1])
        self.probed[key] = (self.turn, value)
        return value

    def count_known(self, phrases: Iterable[Hashable]) -> int:
        """How many of some phrases were probed in the last `PROBED_TURNS` turns; records them."""
        recent = {key: at for key, at in self.phrases.items() if self.turn - at <= PROBED_TURNS}
        found = dict.fromkeys(phrases, self.turn)
        self.phrases = recent | found
        return len(found.keys() & recent.keys())

    def repeats(self, operation: str, text: str) -> bool:
        """Whether `text` is that of the operation's previous call in this session; records it."""
        before = self.turns.get(operation)
        self.turns[operation] = text
        return before == text

    def release_knowledge(self) -> None:
        """Drop remembered probes and rankings: they keep old generations in memory."""
        self.probed.clear()
        self.phrases.clear()
        self.ranked.clear()

    def trim(self, window: int) -> None:
        """Keep the newest slots only."""
        while len(self.slots) > window:
            self.slots.popitem(last=False)

    def newest_first(self, collection: Hashable = None) -> list[str]:
        """The texts of the window; with a `View.identity`, those that count for this collection."""
        return [slot.text for slot in self.window(collection)]

    def window(self, collection: Hashable = None, *, asked: bool = False) -> list[Slot]:
        """The slots, newest first; with a `View.identity`, those that count for this collection.
        `asked`: with the previews in place of their slots.
        """
        after = self._forgotten.get(collection, 0)
        slots = dict(self.slots)  # one copy: the event loop may touch slots meanwhile
        for key, preview in list(self.previews.items()) if asked else ():
            slots.pop(key, None)
            if preview.text.strip() or preview.also:
                slots[key] = preview
        return [slot for slot in reversed(slots.values()) if slot.turn > after]

    def newest(self) -> Slot | None:
        """The slot that was touched last."""
        return next(reversed(self.slots.values()), None)

    def forget_answers(self) -> None:
        """Forget what was given and asked, because the agent no longer has it."""
        self.given.clear()
        self.asked.clear()
        self.turns.clear()

    def forget(self, collection: Hashable) -> None:
        """Forget all texts and answers with regard to one collection (`View.identity`)."""
        self._forgotten[collection] = self.touches
        self.previews.clear()
        self.pushed = {one for one in self.pushed if one[0] != collection}
        given = list(self.given.items())
        self.given = {key: how for key, how in given if key[0] != collection}
        self.passed_over.pop(collection, None)
        self.last_push_at.pop(collection, None)


def _slot(key: str, text: str, turn: int, also: Sequence[str]) -> Slot:
    """A slot, with what of `also` differs from its text."""
    kept = both_ends(text)
    earlier = dict.fromkeys(map(both_ends, [*also[:1], *also[1:][1 - MAX_ALSO :]]))
    return Slot(key, kept, turn, tuple(one for one in earlier if one.strip() and one != kept))


def both_ends(text: str, limit: int = MAX_SLOT_BYTES) -> str:
    """A text cut to `limit` bytes: its beginning and end, in whole words. The middle goes because a
    question is asked before or after pasted text.
    """
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= limit:
        return text
    encoded = text.strip().encode("utf-8", "replace")
    half = (limit - len(_BREAK)) // 2
    if len(encoded) <= 2 * half:
        return encoded.decode("utf-8")
    first, last = (part.decode("utf-8", "ignore") for part in (encoded[:half], encoded[-half:]))
    begun, ended = _CUT_AT_END.search(first), _CUT_AT_START.match(last)
    return (
        (first[: begun.start()] if begun else first) + _BREAK + last[ended.end() if ended else 0 :]
    )


class Sessions:
    """All sessions of a process, at most 256; the longest idle goes first. Thread-safe."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = RLock()
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[Session]:
        with self._lock:
            self._expire()
            return iter(list(self._sessions.values()))

    def get(self, session_id: str) -> Session | None:
        """The session, if it has not expired; this counts as activity."""
        with self._lock:
            session = self.peek(session_id)
            if session is not None:
                session.last_active = self._clock()
                self._sessions.move_to_end(session.id)
            return session

    def peek(self, session_id: str) -> Session | None:
        """The session, if it has not expired; this does not count as activity."""
        with self._lock:
            self._expire()
            return self._sessions.get(session_id)

    def open(self, session_id: str) -> Session:
        """The session, created if there is none."""
        with self._lock:
            session = self.get(session_id)
            if session is None:
                session = Session(session_id, self._clock())
                self._sessions[session_id] = session
                while len(self._sessions) > MAX_SESSIONS:
                    self._sessions.popitem(last=False)
            return session

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the longest idle session expires; None if there are no sessions."""
        with self._lock:
            oldest = next(iter(self._sessions.values()), None)
            left = None if oldest is None else oldest.last_active + IDLE_SECONDS - self._clock()
            return None if left is None else max(left, 0.0)

    def end(self, session_id: str) -> bool:
        """Drop a session; False when there was none."""
        with self._lock:
            return self._sessions.pop(session_id, None) is not None

    def clear(self) -> None:
        """Drop all sessions."""
        with self._lock:
            self._sessions.clear()

    def _expire(self) -> None:
        limit = self._clock() - IDLE_SECONDS
        while self._sessions:
            oldest = next(iter(self._sessions.values()))
            if oldest.last_active >= limit:
                return
            del self._sessions[oldest.id]
