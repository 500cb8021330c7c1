"""The knowledge bases and sessions of one process, used on the event loop only."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from vouch_sidecar.engine.callers import Caller, Served
from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.disk_reader import Step
from vouch_sidecar.engine.faults import Faults
from vouch_sidecar.engine.foreground import Foreground
from vouch_sidecar.engine.ledger import UsageLedger
from vouch_sidecar.engine.session import Session
from vouch_sidecar.engine.sessions import Sessions
from vouch_sidecar.engine.start_folders import Starts
from vouch_sidecar.engine.stats import Stats
from vouch_sidecar.index.base_cache import user_folder
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.discovery import SETTINGS_PREFIX
from vouch_sidecar.kb.layout import CONFIG, KB_DIRNAME
from vouch_sidecar.kb.pauses import Pause
from vouch_sidecar.kb.records import Problem, Severity
from vouch_sidecar.kb.sanitize import printable
from vouch_sidecar.kb.settings import Settings, load_settings, viewer_for
from vouch_sidecar.retrieval.blocks.block import ContextHit
from vouch_sidecar.retrieval.blocks.context import ContextBlock
from vouch_sidecar.retrieval.people.authors import folded_name
from vouch_sidecar.retrieval.salience import Salient
from vouch_sidecar.retrieval.session_update import in_play
from vouch_sidecar.retrieval.view import Authors, Deadline, NameWords, View
from vouch_sidecar.workspace.snapshot import Workspace
from vouch_sidecar.workspace.topics import NO_TOPICS, Topics

if TYPE_CHECKING:
    from vouch_sidecar.engine.embedding import Embeddings


log = logging.getLogger(__name__)

Watching = Literal["client", "own", "sweep", "none"]
"""What reports changes on disk first: the client, our own watcher, or only the sweep."""


class UnknownRootError(LookupError):
    """A call names a root without a served knowledge base."""


class Follower(Protocol):
    """Follows the disk for an engine, and publishes what changed."""

    embeddings: Embeddings

    def wake(self) -> None:
        """Something was published, or a fault began or ended."""

    def look(self, root: Path) -> None: ...

    def look_around(self) -> None: ...


class Engine:
    """Publishes generations and gives callers a view of them. No method waits or reads files,
    except `read` and `load`.
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
        self.collections: dict[Path, Collection] = {}
        self.starts = Starts(env)
        self.sessions = Sessions(clock)
        self.stats = Stats()
        self.foreground = Foreground()
        self.embeddings: Embeddings | None = None
        """Semantic search; None unless somebody follows the disk."""
        self._follower: Follower | None = None
        self.ledgers: dict[Path, UsageLedger] = {}
        """Those of the knowledge bases whose socket this process owns, by root."""
        self.generation = 0
        self._nothing = Knowledge()
        """Served in place of a knowledge base that is silent."""
        self.watching: Watching = "none"
        self.faults = Faults()
        """Faults of the whole process."""
        self.listener_faults = Faults()
        """The listeners whose notification failed; the indexer notifies them again."""
        self.listeners: set[Callable[[], None]] = set()
        """Called when something was published, and when a fault begins or ends."""
        self.session_listeners: set[Callable[[], None]] = set()
        """Called when the window of a session changed."""
        self._client: Mapping[str, object] = client_settings or {}
        self._trust()
        self._from_folders: set[Path] = set()
        self._from_documents: set[Path] = set()
        self._paused: frozenset[Path] = frozenset()

    # Who follows the disk

    def follow_by(self, follower: Follower) -> None:
        """Let somebody follow the disk from now on."""
        self._follower, self.embeddings = follower, follower.embeddings
        self.listeners.add(follower.wake)

    @property
    def is_followed(self) -> bool:
        """Whether changes on disk are noticed without being asked for."""
        return self._follower is not None

    def look(self, root: Path) -> None:
        """Have the files of a knowledge base checked soon."""
        if self._follower is not None:
            self._follower.look(root)

    def look_around(self) -> None:
        """Have the lists of files checked soon."""
        if self._follower is not None:
            self._follower.look_around()

    # Knowledge bases

    def start_from(self, start: Path) -> list[Collection]:
        """As `add_start`; the indexer searches again if there is no knowledge base yet."""
        self.starts.keep(start)
        return self.add_start(start)

    def add_start(self, start: Path | None) -> list[Collection]:
        """Serve the knowledge bases found from a folder or a document, and return them."""
        roots = self.starts.find(start)
        self._from_documents.update(roots)
        return [self.add_root(root) for root in roots]

    def add_root(self, root: Path) -> Collection:
        """Serve the knowledge base in a folder, unless it is served already, and return it."""
        if root not in self.collections:
            collection = Collection.at(root, self.clock, user_folder(self.env))
            collection.pause = Pause.of(root, self.env)
            collection.configure(self._client, self.env)
            self.collections[root] = collection
            self._name_collections()
        return self.collections[root]

    def set_folders(self, folders: Sequence[Path]) -> None:
        """Make these the folders of the workspace: serve their knowledge bases, and drop those of
        former folders unless a document led to them.
        """
        roots = self.starts.set_folders(folders)
        for root in sorted(roots):
            self.add_root(root)
        gone = self._from_folders - roots
        self._from_folders = roots
        for root in gone - self._from_documents:
            del self.collections[root]
        self._name_collections()
        self._let_go()
        self.notify()

    def _let_go(self) -> None:
        """Drop what sessions remember of old generations."""
        for session in self.sessions:
            session.release_knowledge()

    def look_again(self) -> None:
        """Search all starts again for knowledge bases, and serve those found."""
        for start in self.starts.others:
            self.add_start(start)
        self.set_folders(self.starts.folders)

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
            with collection.writing_base():
                done.append(not collection.is_failing and collection.reader.keep_up(whole))
                collection.knowledge = collection.reader.latest
        return all(done)

    def publish(self, collection: Collection, step: Step) -> None:
        """Publish a step, and notify the listeners."""
        if self.collections.get(collection.root) is not collection:
            return
        config_changed = step.config != collection.config or collection.is_failing
        self.generation += 1
        collection.take(step, self.now())
        if config_changed:
            self._configure([collection])
        for session_id in step.ended:
            self.sessions.end(session_id)
        self._let_go()
        log.debug("published generation %d, from %r", self.generation, collection.name)
        self.notify()

    def publish_workspace(
        self,
        collection: Collection,
        workspace: Workspace,
        topics: Topics | None = None,
        complete_for: Knowledge | None = None,
        head: object = None,
    ) -> None:
        """Publish the workspace of a knowledge base, and its topics unless they are None.
        `complete_for` and `head`: the generation and HEAD for which it is complete, if it is.
        """
        if self.collections.get(collection.root) is not collection:
            return
        was_pending = collection.is_workspace_pending
        head = head if complete_for is collection.knowledge else None
        differs = collection.surroundings.take(workspace, topics, complete_for, head)
        self.generation += differs
        if differs or was_pending != collection.is_workspace_pending:
            self.notify()

    def reconfigure(self, client_settings: Mapping[str, object]) -> None:
        """Apply new settings of the client."""
        self._client = client_settings
        self._configure(self.collections.values())
        self._trust()
        self.look_again()

    def _trust(self) -> None:
        """Read from the settings which folders of other users are trusted."""
        settings, _ = load_settings(None, self._client, self.env)
        self.starts.trusted = settings.trust.folders

    def _configure(self, collections: Iterable[Collection]) -> None:
        for collection in collections:
            was_on = collection.settings.reflex.enabled
            collection.configure(self._client, self.env)
            if collection.settings.reflex.enabled and not was_on:
                for session in self.sessions:
                    session.forget(collection.root)
        if self.collections and not self._reflex_on():
            self.sessions.clear()
        self._name_collections()

    def _reflex_on(self) -> bool:
        return any(c.settings.reflex.enabled for c in self.collections.values())

    def _name_collections(self) -> None:
        """Name collections after their config or folder, made unique by a number."""
        taken: set[str] = set()
        for root, collection in sorted(self.collections.items()):
            base = name = collection.settings.kb.name or printable(root.name) or "kb"
            number = 1
            while name in taken:
                number += 1
                name = f"{base}-{number}"
            taken.add(name)
            collection.name = name

    def notify(self) -> None:
        """Call the listeners."""
        self.call(self.listeners)

    def call(self, listeners: set[Callable[[], None]]) -> None:
        """Call some listeners; one that raises is called again later."""
        for listener in list(listeners):
            with self.listener_faults.contained(listener, "Somebody could not be told of a change"):
                listener()

    def dismiss(self, listener: Callable[[], None]) -> None:
        """Remove a listener."""
        self.listeners.discard(listener)
        self.session_listeners.discard(listener)
        self.listener_faults.remove(listener)

    # Asking

    def serving(
        self, caller: Caller, viewer: Viewer | None = None, root: str | None = None
    ) -> list[Served]:
        """The knowledge bases as a caller sees them now. The views never change. Raises
        `UnknownRootError`.
        """
        served, chosen = [], self._chosen(caller, root)
        all_settings = [self._settings_for(collection, caller) for collection in chosen]
        limits = [settings.recall.timeout_ms for settings in all_settings]
        deadline = Deadline(self.clock() + min(limits, default=0) / 1000, self.clock)
        for collection, settings in zip(chosen, all_settings, strict=True):
            knowledge = self._nothing if collection.is_silent else collection.knowledge
            env = self.env if caller.env is None else caller.env
            who = viewer_for(settings, viewer, caller.viewer, env)
            words = NameWords.of(settings.naming.always, settings.naming.never)
            view = View(
                collection.name,
                knowledge,
                who.gates,
                collection.root,
                words,
                deadline=deadline,
                workspace=collection.surroundings.workspace,
                authors=_authors(settings, caller),
                topics=collection.surroundings.topics if settings.topics.enabled else NO_TOPICS,
                now=self.now(),
            )
            served.append(Served(view, settings, collection))
        return served

    def _settings_for(self, collection: Collection, caller: Caller) -> Settings:
        """The settings of a collection, with those in the caller's environment applied."""
        if not caller.env or not any(name.startswith(SETTINGS_PREFIX) for name in caller.env):
            return collection.settings
        return load_settings(collection.config, self._client, {**self.env, **caller.env})[0]

    def _chosen(self, caller: Caller, root: str | None) -> list[Collection]:
        everything = [
            collection
            for where, collection in sorted(self.collections.items())
            if caller.roots is None or where in caller.roots
        ]
        if root is None:
            return everything
        path = _path(root)
        for collection in sorted(everything, key=lambda c: -len(c.root.parts)):
            if path == collection.root or collection.root in path.parents:
                return [collection]
        raise UnknownRootError

    @property
    def complete(self) -> bool:
        """Whether the first index of every knowledge base is built."""
        return all(c.complete for c in self.collections.values())

    @property
    def has_looked(self) -> bool:
        """Whether the first read of every knowledge base has ended, also if it failed."""
        return all(c.complete or c.is_failing for c in self.collections.values())

    def not_looked_at(self, caller: Caller) -> list[Collection]:
        """The caller's knowledge bases that were not looked at since something was checked out."""
        if not self.is_followed:
            return []
        chosen = self._chosen(caller, None)
        return [one for one in chosen if one.surroundings.is_behind and not one.is_failing]

    def has_outdated_lists(self, caller: Caller, paths: Sequence[str]) -> bool:
        """Whether one of these paths has come or gone since files were listed, as git says."""
        if not self.is_followed:
            return False
        return any(
            one.surroundings.is_list_behind(paths, one.settings.trust.folders)
            for one in self._chosen(caller, None)
        )

    @property
    def watch_lost(self) -> bool:
        """Whether clients may learn late of changes on disk."""
        late = any(c.is_noticed_late for c in self.collections.values())
        return late or bool(self.faults) or bool(self.listener_faults)

    def degraded(self) -> list[str]:
        """The values of `degraded` that apply to all answers now."""
        values = []
        if not self.complete:
            values.append("index_building")
        if any(c.reader.rebuilds for c in self.collections.values()):
            values.append("search_failed")
        if self.watch_lost:
            values.append("watch_lost")
        if any(c.skipped or c.is_failing for c in self.collections.values()):
            values.append("files_skipped")
        return values

    def problems(self, collection: Collection) -> dict[str, tuple[Problem, ...]]:
        """All problems of a knowledge base by path."""
        by_path = dict(collection.problems)
        of_collection = (*collection.settings_problems, *collection.faulty(), *collection.hints())
        for problem in (*of_collection, *self._faulty()):
            by_path[problem.path] = (*by_path.get(problem.path, ()), problem)
        return {path: problems for path, problems in by_path.items() if problems}

    def problems_in_config(self, text: bytes) -> tuple[Problem, ...]:
        """The problems that a text would have as a `config.yaml`."""
        _, problems = load_settings(text, self._client, self.env)
        return tuple(problem for problem in problems if problem.path == CONFIG)

    def problems_for(
        self, caller: Caller, collection: Collection
    ) -> dict[str, tuple[Problem, ...]]:
        """The problems that a caller is told. People and programs are told of every file, whoever
        may see what it holds; a model only of settings and of what fails at the moment.
        """
        by_path = self.problems(collection)
        paths = by_path.keys() & {"", CONFIG} if caller.is_model else by_path.keys()
        return {path: problems for path, problems in by_path.items() if path in paths}

    def faulty(self) -> list[Problem]:
        """All current faults, errors first."""
        problems = [one for _, c in sorted(self.collections.items()) for one in c.faulty()]
        problems += [Problem("", text, Severity.WARNING) for text in self.starts.refused]
        return sorted(
            (*problems, *self._faulty()), key=lambda one: one.severity is not Severity.ERROR
        )

    def _faulty(self) -> list[Problem]:
        texts = [
            *self.faults,
            *self.listener_faults,
            *(self.embeddings.faults if self.embeddings else ()),
        ]
        return [Problem("", text, Severity.WARNING) for text in texts]

    def errors(self) -> list[tuple[Collection, Problem]]:
        """Errors that make artifacts disappear from answers, by path."""
        return [
            (collection, problem)
            for _, collection in sorted(self.collections.items())
            for _, problems in sorted(collection.problems.items())
            for problem in problems
            if problem.severity is Severity.ERROR
        ]

    # Sessions

    def observe(
        self,
        session_id: str,
        slot: str | None,
        text: str,
        *,
        final: bool = False,
        also: Sequence[str] = (),
    ) -> None:
        """Put a text into a slot of a session, which becomes the newest; None: a new slot. If
        `final`, a later text with this name gets another slot. `also`: the slot's texts since its
        last word was begun, the oldest first, if the word is not ended.
        """
        if not self.records():
            return
        session = self.sessions.open(session_id)
        window = self._window()
        if slot is None:
            session.add(text, window)
        else:
            session.touch(slot, text, window, also)
            if final:
                session.finish(slot)
        for root in self._paused:
            session.pass_over_texts(root)
        self.call(self.session_listeners)

    def preview(self, session_id: str, slot: str, text: str, *, also: Sequence[str] = ()) -> None:
        """As `observe`, for a text that is being typed: it counts for those who ask, and for pushes
        once it is observed.
        """
        if self.records():
            self.sessions.open(session_id).preview(slot, text, also)

    def end_session(self, session_id: str) -> None:
        """Drop a session with its window."""
        self.sessions.end(session_id)
        self.call(self.session_listeners)

    def records(self) -> bool:
        """Whether what is typed and asked counts for any knowledge base."""
        self.notice_pauses()
        return self._reflex_on() and len(self._paused) < len(self.collections)

    def notice_pauses(self) -> None:
        """Look which knowledge bases are paused, and call the listeners where that changed."""
        paused = frozenset(r for r, one in self.collections.items() if one.pause.until())
        if paused != self._paused:
            self._paused = paused
            self.call(self.session_listeners)
            self.notify()

    def speaking(self, caller: Caller) -> list[Served]:
        """Those of `serving` that may say something unasked: not those that are paused."""
        self.notice_pauses()
        served = self.serving(caller)
        return [one for one in served if one.collection.root not in self._paused]

    def ledger(self, served: Served) -> UsageLedger | None:
        """Where this process counts for a knowledge base; None where another one does, or nobody,
        because that is switched off, or it is paused.
        """
        return self.ledgers.get(served.collection.root) if self.counts(served) else None

    def counts(self, served: Served) -> bool:
        """Whether anything is counted for a knowledge base, by whichever process."""
        return served.settings.ledger.enabled and served.collection.pause.until() is None

    def count_given(
        self, served: Sequence[Served], session: Session, prompt: str, speech: ContextBlock
    ) -> None:
        """Count the lines of a block that a session was given, which a prompt brought in."""
        lines = (line for line in speech.text.splitlines() if line.startswith("- "))
        given = list(zip(speech.hits, lines, strict=False))
        for kb in served if given else ():
            if (ledger := self.ledger(kb)) is not None:
                ledger.gave(session, prompt, [pair for pair in given if _is_of(pair[0], kb)])

    def _window(self) -> int:
        reflexes = (c.settings.reflex for c in self.collections.values())
        return max((r.window for r in reflexes if r.enabled), default=0)

    def salience(
        self,
        served: Sequence[Served],
        session_id: str,
        top_k: int | None = None,
        *,
        asked: bool = False,
    ) -> list[Salient]:
        """The ranking of a session, from the knowledge bases that have `reflex.enabled`. `asked`:
        with words that are being typed.
        """
        session = self.sessions.peek(session_id)
        if session is None:
            return []
        return in_play([one.window(session, asked=asked) for one in served], top_k)


def _is_of(hit: ContextHit, served: Served) -> bool:
    return hit.view.identity == served.view.identity


def _authors(settings: Settings, caller: Caller) -> Authors:
    """Whether a caller may see authors of commits and owners of code, and which ones never."""
    people = settings.people
    in_blocks = people.git == "agents"
    are_told = in_blocks or (people.git == "people" and not caller.is_model)
    never = frozenset(folded_name(name.removeprefix("@")) for name in people.never)
    return Authors(are_told, in_blocks, people.git != "off", never)


def _path(root: str) -> Path:
    """The root that a path or file URI names; `.vouch` itself names its parent."""
    try:
        if root.startswith("file:"):
            from urllib.parse import unquote, urlparse

            root = unquote(urlparse(root).path)
        path = Path(root).resolve()
    except (OSError, RuntimeError, ValueError):
        return Path(root)
    return path.parent if path.name == KB_DIRNAME else path
