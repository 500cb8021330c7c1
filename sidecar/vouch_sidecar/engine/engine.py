"""The knowledge bases and sessions of one process. The event loop publishes. Questions that are
answered in other threads see what was published, and change sessions.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path

from vouch_sidecar.engine.changed import Changed
from vouch_sidecar.engine.collection import Collection, Seen
from vouch_sidecar.engine.embedding import Embeddings
from vouch_sidecar.engine.faults import Faults
from vouch_sidecar.engine.registry import Caller, Registry, Served
from vouch_sidecar.engine.sessions import Sessions
from vouch_sidecar.kb.artifact_files import anchored
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.retrieval.push import in_play
from vouch_sidecar.retrieval.salience import Salient
from vouch_sidecar.workspace.breath import Breath
from vouch_sidecar.workspace.world import World

LATEST_CALLS = 1000


class Stats:
    """What one process was asked and gave: numbers in memory, never a text."""

    def __init__(self) -> None:
        self.counts = Counter[str]()
        """How often what was counted came up, such as `prompts`."""
        self.calls = Counter[str]()
        """By operation."""
        self.latest = defaultdict[str, deque[float]](lambda: deque(maxlen=LATEST_CALLS))
        """The milliseconds that the latest calls of each operation took."""

    def count_call(self, operation: str, seconds: float) -> None:
        """Record the duration of one call."""
        self.calls[operation] += 1
        self.latest[operation].append(seconds * 1000)


class Engine:
    """Publishes generations, and takes texts into sessions. `running` has files read for it; it
    asks the system itself at most which folders there are, what git has checked out, and when a
    pause was last written.
    """

    breath = Breath()  # one for all engines of the process

    def __init__(
        self,
        *,
        env: Mapping[str, str],
        now: Callable[[], float] = time.time,
        clock: Callable[[], float] = time.monotonic,
        client_settings: Mapping[str, object] | None = None,
        sessions: Sessions | None = None,
    ) -> None:
        """`sessions` are those of all engines of the process, if it has several."""
        self.env = dict(env)  # look-ups in `os.environ` are slow
        self.now = now
        self.clock = clock
        self.sessions = sessions or Sessions(clock)
        self.changed = Changed(self.sessions.tellable)
        """Counts what is published or due, and what begins or ends to fail."""
        self.faults = Faults(self.changed.bump, clock)
        """Faults of what is done for all its knowledge bases."""
        self.registry = Registry(
            self.env, now, clock, client_settings or {}, self.changed.bump, self.sessions
        )
        self.stats = Stats()
        self.embeddings = Embeddings(self.registry, self.faults, self.changed)

    def look_soon(self, paths: Iterable[Path] = ()) -> None:
        """Have the disk looked at soon: at these files, which somebody says have changed, and at
        whatever else is due. Questions wait for it (`Collection.lacks`).
        """
        reported = [anchored(path) for path in paths]
        for collection in self.registry.collections.values():
            collection.report(reported)
        self.changed.bump()

    async def until_looked(self, seconds: float = inf) -> None:
        """Wait until the first read of every knowledge base has ended, also if it failed; for at
        most `seconds`.
        """
        await self.changed.until(lambda: self.registry.has_looked, seconds)

    # Publishing

    def publish(self, collection: Collection, seen: Seen) -> bool:
        """Publish what was read last of a knowledge base. Returns whether anything changed."""
        before, was = collection.published, collection.published.seen
        differs = seen.on_disk != was.on_disk or seen.knowledge.serial != was.knowledge.serial
        read_at = self.now() if differs else before.indexed_at
        after = replace(before, seen=seen, indexed_at=read_at).configured(
            self.registry.client, self.env
        )
        self.registry.publish(collection, after, is_news=differs)
        self.registry.name_collections()
        if differs and before.indexed_at is not None:  # what ended earlier may have been resumed
            taken = self.sessions.ends_on_disk[collection.root]
            for session_id in {*taken, *(session.id for session in self.sessions)}:
                now, earlier = (
                    getattr(of.knowledge.records.get((Kind.SESSION, session_id)), "ended_at", None)
                    for of in (seen, was)
                )
                if now is None and earlier is not None:
                    taken.pop(session_id, None)
                elif now not in (earlier, taken.get(session_id)):  # another engine may look first
                    taken[session_id] = now
                    self.sessions.end(session_id)
        return differs

    def publish_world(self, collection: Collection, world: World) -> None:
        """Publish the world around a knowledge base: news if it says something else, if it is now
        that of what was read last, and if an answer said that it was pending.
        """
        before, now = collection.world, collection.inputs
        is_of_now = before.inputs != now == world.inputs or collection.has_said_pending
        collection.has_said_pending = False
        self.registry.publish(
            collection,
            replace(collection.published, world=world),
            is_news=is_of_now or world.serial != before.serial,
        )

    def have_topics_derived(self, served: Iterable[Served], *, displaces: bool = True) -> None:
        """Have the topics derived of who sees these knowledge bases, where they are not. Who is
        told unasked displaces nobody.
        """
        are_due = [kb.collection.add_viewer(kb.view.gates, displaces=displaces) for kb in served]
        if any(are_due):
            self.changed.bump()

    def observe(
        self,
        session_id: str,
        slot: str | None,
        text: str,
        caller: Caller | None = None,
        *,
        final: bool = False,
    ) -> None:
        """Put a text into a slot of a session, which becomes the newest slot; None makes a new one.

        After a `final` text, a later text with the same name gets another slot. The text counts for
        all knowledge bases that take in texts of the caller, by default the client.
        """
        by = caller or Caller()
        if not (counts_for := self.registry.taking_in(by)):
            return
        session = self.sessions.open(session_id)
        session.touch(slot, text, counts_for, next(self.sessions.numbers), final=final)
        session.is_clients |= by.is_client
        session.shared_for |= frozenset() if by.is_client else by.places or frozenset()
        self.sessions.tellable.bump()

    def salience(
        self, served: Sequence[Served], session_id: str, top_k: int | None = None
    ) -> list[Salient]:
        """The ranking of a session over the knowledge bases that have `reflex.enabled`."""
        if (session := self.sessions.peek(session_id)) is None:
            return []
        return in_play([kb.window(session) for kb in served], top_k)
