"""Sessions: their recent texts, and what they were volunteered, given and asked. In memory only.

A session is what an agent, or a window, named so, whichever knowledge bases it asks about.

A session holds slots: a prompt, the lines edited in a document, or a question. Touching a slot
makes it the newest; the window keeps the newest slots. Slots are touched on the event loop; the
thread that answers a question records what it found. What an answer gives is recorded on the event
loop, once it was heard; of a file's event in that thread, as a host reports several at a time.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Set
from itertools import count
from pathlib import Path

import anyio

from vouch_sidecar.engine.changed import Changed
from vouch_sidecar.kb.settings_model import MAX_WINDOW
from vouch_sidecar.retrieval.blocks.block import without_blocks
from vouch_sidecar.retrieval.line import Given, GivenKey

AGENT = "#agent:"
"""Stands between the ids of a session and of a subagent in it; a bare `#` stands in ids of others.
"""
MAX_SESSIONS = 256
SESSION_SECONDS = 30 * 60.0
MAX_SLOT_BYTES = 4096
_CUT_AT_START = re.compile(r"\A\S{0,80}\s")
"""The rest of a word whose beginning was cut off. Longer runs are text without spaces."""
_CUT_AT_END = re.compile(r"\s\S{0,80}\Z")
"""The beginning of a word whose end was cut off."""
_BREAK = "\n\n"
"""Replaces the text left out: no name continues across it."""
PROBED_TURNS = 10
"""Turns for which a phrase counts as known."""


class Session:
    """The window of one session, and what it was volunteered and given. "identity" is that of a
    `View`.
    """

    def __init__(self, session_id: str, last_active: float) -> None:
        self.id = session_id
        self.last_active = last_active
        """When somebody asked for the session, on the clock of `Sessions`."""
        self.shared_for: frozenset[Hashable] = frozenset()
        """What other processes asked about in it: who serves these is told."""
        self.is_clients = False
        """Whether the client of this process put texts into it, whoever else did."""
        self.newest = 0
        """The number of the text that came last. The window is the same as long as this is."""
        self._slots: dict[str, tuple[int, str, Set[Path]]] = {}
        """By key, the newest last: the number of a text, the text, and the folders of the knowledge
        bases for which it counts.
        """
        self.volunteered: dict[tuple[Hashable, str], float] = {}
        """When each entity was volunteered in a push, on the clock of `Sessions`, by identity and
        id.
        """
        self.given: dict[GivenKey, Hashable] = {}
        """What was given with `repeat: false`, with its state then."""
        self.events: dict[int, float] = {}
        """When events of hooks came, by their hash."""
        self.last_task: Hashable = None
        """The task for which `context` was last asked with `repeat: false`, and of what."""
        self._probed: deque[set[Hashable]] = deque(maxlen=PROBED_TURNS)
        """The phrases of the last turns, each with what it was probed in."""

    def touch(
        self,
        key: str | None,
        text: str,
        counts_for: Set[Path],
        number: int,
        *,
        final: bool = False,
    ) -> None:
        """Put what counts of a text, for the knowledge bases in some folders, into its slot, or a
        new one, and make that the newest; a text of which nothing counts empties the slot. After a
        `final` text, a later one with the same key gets another slot.
        """
        self.newest = number
        if key is not None:
            self._slots.pop(key, None)
        if text := what_counts(text):
            key = f"{key or ''}\0{number}" if key is None or final else key
            self._slots[key] = number, text, counts_for
        for old in list(self._slots)[:-MAX_WINDOW]:
            del self._slots[old]

    def texts(self, root: Path, opted_out: int) -> list[str]:
        """The texts of all slots, newest first; "" for one that does not count for the knowledge
        base in a folder, or came before this opt-out.
        """
        return [
            text if root in counts_for and number > opted_out else ""
            # one copy: the event loop may touch slots meanwhile
            for number, text, counts_for in reversed(list(self._slots.values()))
        ]

    def give(self, given: Given, task: Hashable = None) -> None:
        """Record what was heard; `task` is what it was asked for, if that counts as asked."""
        self.given |= given
        self.last_task = self.last_task if task is None else task

    def count_known(self, phrases: Iterable[Hashable]) -> int:
        """A turn with these phrases: how many of them were probed in the last turns."""
        asked, known = {*phrases}, set[Hashable]().union(*self._probed)
        self._probed.append(asked)
        return len(asked & known)

    def forget_answers(self) -> None:
        """Forget what was given and asked: the agent no longer has it in its context."""
        self.given, self.events, self.last_task = {}, {}, None


def what_counts(text: str) -> str:
    """What is read of a text that was sent: without inserted blocks, its beginning and its end,
    `MAX_SLOT_BYTES` together, in whole words. The middle is left out, as people write a question
    before or after what they paste.
    """
    text = without_blocks(text).strip()
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= MAX_SLOT_BYTES:
        return text
    half = (MAX_SLOT_BYTES - len(_BREAK)) // 2
    first, last = (part.decode("utf-8", "ignore") for part in (encoded[:half], encoded[-half:]))
    return _CUT_AT_END.sub("", first) + _BREAK + _CUT_AT_START.sub("", last)


class Sessions:
    """All sessions of a process, which its engines share; at most 256, the longest idle goes first.
    Thread-safe.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.tellable = Changed()
        """Counts what may be told: changes of engines, and texts of sessions and of open files."""
        self.generations = Counter[Path]()
        """How often engines published something of a knowledge base, its world and settings too, by
        its folder.
        """
        self.telling = anyio.Lock()
        """One subscriber at a time is told, so that nothing is volunteered twice."""
        self._sessions: dict[str, Session] = {}
        self.ends_on_disk = defaultdict[Path, dict[str, object]](dict)
        """The ends that engines found in `.vouch/`, each taken in once, by folder and session, as
        long as they are there.
        """
        self.numbers = count(1)
        """Number texts and opt-outs in the order in which they come."""
        self.opted_out = Counter[Path]()
        """The number of the last opt-out that an engine found, `reflex` switched off, by folder of
        the knowledge base; 0 if there was none.
        """

    def generation(self, roots: Iterable[Path]) -> int:
        """The one in answers and pushes about these knowledge bases, while `Knowledge` is a
        generation of one.
        """
        return sum(self.generations[root] for root in roots)

    def __iter__(self) -> Iterator[Session]:
        """Those that have not expired, the most recently active last."""
        alive = filter(self._is_alive, list(self._sessions.values()))
        return iter(sorted(alive, key=lambda session: session.last_active))

    def _is_alive(self, session: Session) -> bool:
        return session.last_active >= self.clock() - SESSION_SECONDS

    def peek(self, session_id: str) -> Session | None:
        """The session, if it has not expired; this does not count as activity."""
        session = self._sessions.get(session_id)
        return session if session is not None and self._is_alive(session) else None

    def get(self, session_id: str) -> Session | None:
        """The session, if it has not expired; this counts as activity."""
        session = self.peek(session_id)
        if session is not None:
            session.last_active = self.clock()
        return session

    def open(self, session_id: str) -> Session:
        """The session, created if there is none."""
        if (session := self.get(session_id)) is not None:
            return session
        for gone in {*self._sessions}.difference(s.id for s in list(self)[1 - MAX_SESSIONS :]):
            self._sessions.pop(gone, None)
        return self._sessions.setdefault(session_id, Session(session_id, self.clock()))

    def end(self, session_id: str) -> None:
        """Drop a session with its window, and those of its subagents."""
        for each in list(self._sessions):
            if f"{each}{AGENT}".startswith(f"{session_id}{AGENT}"):
                self._sessions.pop(each, None)
        self.tellable.bump()
