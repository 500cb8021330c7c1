"""The knowledge bases and sessions of one process. One thread publishes: that of the event loop,
where there is one. Questions that are answered in other threads see what was published, and change
sessions.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from vouch_sidecar.engine.breath import Breath
from vouch_sidecar.engine.callers import Caller, Served
from vouch_sidecar.engine.changed import Changed
from vouch_sidecar.engine.collection import WATCH, Collection
from vouch_sidecar.engine.disk_reader import Step
from vouch_sidecar.engine.faults import Faults
from vouch_sidecar.engine.problem_report import ProblemReport
from vouch_sidecar.engine.registry import Registry
from vouch_sidecar.engine.sessions import Sessions
from vouch_sidecar.engine.stats import Stats
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.artifact_files import anchored
from vouch_sidecar.kb.settings import viewer_for
from vouch_sidecar.retrieval.blocks.block import without_blocks
from vouch_sidecar.retrieval.constants import VOLUNTEERED
from vouch_sidecar.retrieval.salience import Salient
from vouch_sidecar.retrieval.session_update import in_play
from vouch_sidecar.retrieval.view import Deadline, NameWords, PeopleTold, View
from vouch_sidecar.workspace.topics import NO_TOPICS
from vouch_sidecar.workspace.world import World

if TYPE_CHECKING:
    from vouch_sidecar.engine.embedding import Embeddings


log = logging.getLogger(__name__)

Watching = Literal["own", "sweep", "none"]
"""What reports changes on disk first: the client, our own watcher, or only the sweep."""


class Engine:
    """Publishes generations, and gives callers a view of them. Only `read` and `load` read a
    knowledge base, and block. Others ask the system at most which folders there are, what git has
    checked out, and when its index or a pause was last written.
    """

    def __init__(
        self,
        *,
        env: Mapping[str, str],
        now: Callable[[], float] = time.time,
        clock: Callable[[], float] = time.monotonic,
        client_settings: Mapping[str, object] | None = None,
    ) -> None:
        self.env = dict(env)  # look-ups in `os.environ` are slow
        self.now = now
        self.clock = clock
        self.changed = Changed()
        """Counts what is published, faults that begin or end, and texts of sessions."""
        self.registry = Registry(self.env, clock, client_settings or {}, self.changed.bump)
        self.collections = self.registry.collections
        self.sessions = Sessions(clock)
        self.stats = Stats()
        self.breath = Breath()
        self.embeddings: Embeddings | None = None
        """Semantic search; None unless somebody follows the disk."""
        self._wake: Callable[[], None] | None = None
        self.generation = 0
        self._nothing = Knowledge()
        """Served in place of a knowledge base that is silent."""
        self.faults = Faults(self.changed.bump)
        """Faults of the whole process."""
        self.telling_faults = Faults(self.changed.bump)
        """Faults because of which clients may learn late of changes."""
        self.problems = ProblemReport(self.registry, self.faults, self.telling_faults)

    def follow_by(self, wake: Callable[[], None], embeddings: Embeddings) -> None:
        """Let somebody keep this engine up to date from now on, who is to `wake` when something is
        due or was published, or a fault began or ended.
        """
        self._wake, self.embeddings = wake, embeddings
        self.problems.add(embeddings.faults)

    @property
    def is_followed(self) -> bool:
        """Whether changes on disk are noticed without a call of `read`."""
        return self._wake is not None

    @property
    def watching(self) -> Watching:
        """What reports changes on disk first."""
        if not (self.is_followed and self.collections):
            return "none"
        if all(WATCH in collection.faults for collection in self.collections.values()):
            return "sweep"
        return "own"

    def check_soon(self, paths: Iterable[Path] = ()) -> None:
        """Have the disk looked at soon, if it is followed: at these files, which somebody says have
        changed, and at whatever else is due. Questions wait for it (`not_looked_at`).
        """
        if self._wake is None:
            return
        reported = [anchored(path) for path in paths]
        for collection in self.collections.values():
            collection.due.report(reported)
        self._wake()

    def serve_from(self, start: Path) -> list[Collection]:
        """Serve the knowledge bases found from a folder or a document, too, and return them."""
        before, collections = len(self.collections), self.registry.add_start(start)
        if len(self.collections) > before:
            self.check_soon()
        return collections

    def open_document(self, path: Path) -> None:
        """Serve what a document leads to, to questions about that document, while it is open."""
        before = len(self.collections)
        self.registry.open_document(path)
        if len(self.collections) > before:
            self.check_soon()

    def close_document(self, path: Path) -> None:
        """A document was closed."""
        self.registry.close_document(path)

    def set_folders(self, folders: Sequence[Path]) -> None:
        """Make these the folders of the workspace, and serve their knowledge bases alone, beside
        those that a document led to.
        """
        self.registry.set_folders(folders)
        self.notify()

    def search_again(self) -> None:
        """Search all starts again for knowledge bases, and serve those found."""
        self.registry.search_again()
        self.notify()

    def read(self) -> None:
        """Read every knowledge base and publish what changed. Blocks."""
        for collection in self.collections.values():
            with collection.reading():
                if (step := collection.read()) is not None:
                    self.publish(collection, step)

    def load(self, whole: bool = False) -> bool:
        """As `read`, then write bases for the next process, with `whole` also after small changes.
        Returns whether all bases are finished.
        """
        self.read()
        done = []
        for collection in self.collections.values():
            if collection.is_failing:  # what was read last may be half of a change
                done.append(False)
                continue
            with collection.writing_base():
                done.append(collection.reader.keep(whole))
                collection.publish_on_new_base()
        return all(done)

    def publish(self, collection: Collection, step: Step) -> None:
        """Publish a step."""
        if self.collections.get(collection.tree) is not collection:
            return
        config_changed = step.config != collection.published.config or collection.is_failing
        self.generation += 1
        collection.publish(step, self.now())
        if config_changed:
            self._configure([collection])
        for session_id in step.ended:
            self.sessions.end(session_id)
        log.debug("published generation %d, from %r", self.generation, collection.name)
        self.notify()

    def publish_world(self, collection: Collection, world: World) -> None:
        """As `Collection.publish_world`; counts as a generation if answers may differ."""
        if self.collections.get(collection.tree) is not collection:
            return
        was_pending = collection.is_workspace_pending
        differs = collection.publish_world(world)
        self.generation += differs
        if differs or was_pending != collection.is_workspace_pending:
            self.notify()

    def reconfigure(self, client_settings: Mapping[str, object]) -> None:
        """Apply new settings of the client."""
        self.registry.configure(client_settings)
        self._configure(self.collections.values())
        self.search_again()

    def _configure(self, collections: Iterable[Collection]) -> None:
        for collection in collections:
            was_on = collection.settings.reflex.enabled
            collection.configure(self.registry.client, self.env)
            if collection.settings.reflex.enabled and not was_on:
                for session in self.sessions:
                    session.forget(collection.root)
        if self.collections and not self._following():
            self.sessions.clear()
        self.registry.name_collections()

    def _following(self) -> list[Collection]:
        """The knowledge bases that have `reflex.enabled`."""
        return [c for c in self.collections.values() if c.settings.reflex.enabled]

    def notify(self) -> None:
        """Something was published or is due: wake who follows the disk, and who waits."""
        self.changed.bump()
        if self._wake is not None:
            self._wake()

    def serving(
        self, caller: Caller, viewer: Viewer | None = None, root: str | None = None
    ) -> list[Served]:
        """The knowledge bases as a caller sees them now. The views never change. Raises
        `UnknownRootError`.
        """
        served, chosen = [], self.registry.chosen(caller, root)
        all_settings = [self.registry.settings_for(collection, caller) for collection in chosen]
        limits = [settings.recall.timeout_ms for settings in all_settings]
        deadline = Deadline(self.clock() + min(limits, default=0) / 1000, self.clock)
        for collection, settings in zip(chosen, all_settings, strict=True):
            knowledge = self._nothing if collection.is_silent else collection.knowledge
            env = self.env if caller.env is None else caller.env
            who = viewer_for(settings, viewer, caller.viewer, env)
            named = settings.volunteer.threshold
            words = NameWords.of(settings.naming.always, settings.naming.never)
            if collection.lacks_topics(who.gates) and collection.viewed_by(who.gates):
                self.check_soon()
            view = View(
                collection.name,
                knowledge,
                who.gates,
                collection.root,
                words,
                deadline=deadline,
                workspace=collection.world.asked(),
                people_told=PeopleTold.from_settings(settings.people, is_model=caller.is_model),
                topics=collection.world.topics if settings.topics.enabled else NO_TOPICS,
                now=self.now(),
                recall=settings.recall,
                name_threshold=VOLUNTEERED if named is None else named,
                is_unasked=caller.is_unasked,
                shown_collection=self.registry.shown_name(collection, caller),
            )
            served.append(Served(view, settings, collection))
        return served

    def not_looked_at(self, caller: Caller) -> list[Collection]:
        """The caller's knowledge bases of which files were reported as changed, and not looked at
        since.
        """
        if not self.is_followed:
            return []
        return [c for c in self.registry.chosen(caller, None) if c.is_behind]

    def observe(
        self,
        session_id: str,
        slot: str | None,
        text: str,
        *,
        final: bool = False,
    ) -> None:
        """Put a text into a slot of a session, which becomes the newest slot; None makes a new one.

        After a `final` text, a later text with the same name gets another slot.
        """
        if not self.follows_texts():
            return
        text = without_blocks(text)
        session = self.sessions.open(session_id)
        window = max((c.settings.reflex.window for c in self._following()), default=0)
        if slot is None:
            session.add(text, window)
        else:
            session.touch(slot, text, window)
            if final:
                session.finish(slot)
        for root, collection in self.collections.items():
            if collection.pause.until():
                session.pass_over_texts(root)
        self.changed.bump()

    def end_session(self, session_id: str) -> None:
        """Drop a session with its window."""
        self.sessions.end(session_id)
        self.changed.bump()

    def follows_texts(self) -> bool:
        """Whether typed and asked texts count for any knowledge base."""
        return any(not collection.pause.until() for collection in self._following())

    def unpaused(self, caller: Caller) -> list[Served]:
        """The knowledge bases of `serving` that may volunteer something: those that are not
        paused.
        """
        return [kb for kb in self.serving(caller) if not kb.collection.pause.until()]

    def salience(
        self, served: Sequence[Served], session_id: str, top_k: int | None = None
    ) -> list[Salient]:
        """The ranking of a session over the knowledge bases that have `reflex.enabled`."""
        session = self.sessions.peek(session_id)
        if session is None:
            return []
        return in_play([kb.window(session) for kb in served], top_k)
