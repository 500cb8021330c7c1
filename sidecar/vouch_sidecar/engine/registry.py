"""The knowledge bases that a process serves, who asks, which of them he means, and what he sees."""

from __future__ import annotations

from asyncio import Future
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from math import inf
from pathlib import Path

from vouch_sidecar.engine.collection import Collection, Published
from vouch_sidecar.engine.sessions import Session, Sessions
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.discovery import (
    BaseInTree,
    Found,
    admitted,
    find,
    is_in_package,
    is_setting,
    path_of,
    place_of,
    why_refused,
)
from vouch_sidecar.kb.sanitize import printable
from vouch_sidecar.kb.settings import Settings, load_settings, viewer_for
from vouch_sidecar.retrieval.push import Window
from vouch_sidecar.retrieval.view import Deadline, View


class UnknownRootError(LookupError):
    """A call names a root without a served knowledge base."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A connection that asks.

    `session_id` is its own session, if it has one. `env` is the environment of the process that it
    comes from; None if that is this one. `places` are the knowledge bases that it may ask, None for
    those of the process's own folders; `at` is the file or folder that it asks about.
    `is_model` tells whether a model reads the answers.
    """

    session_id: str | None = None
    viewer: Viewer | None = None
    env: Mapping[str, str] | None = None
    places: frozenset[BaseInTree] | None = None
    names: Mapping[BaseInTree, str | None] | None = None
    """What a caller who knows these himself calls their collections in rows."""
    is_model: bool = False
    at: Path | None = None
    left: Future[None] | None = field(default=None, compare=False)
    """Done once he waits for no answer any more."""
    is_unasked: bool = False
    """Whether this is a hook or a push, which speaks to somebody who did not ask."""
    until: float = field(default=inf, compare=False)
    """When an answer must be there that he is to hear, on the clock of `time.monotonic`."""
    uri_for: Callable[[Path], str] = field(default=Path.as_uri, compare=False)
    """The URI by which he knows a file."""

    @property
    def is_client(self) -> bool:
        """Whether this is the client of this process; to be told, he may bring its environment."""
        return self.env is None or self.session_id is not None

    @property
    def hears(self) -> bool:
        """Whether he still waits for an answer: what nobody hears was not given."""
        return self.left is None or not self.left.done()


@dataclass(frozen=True, slots=True)
class Served:
    """A collection as one caller sees it."""

    view: View
    collection: Collection

    def window(self, session: Session) -> Window:
        """The texts of a session that count for this knowledge base, as many as its settings say;
        none for a caller who has `reflex` off, whoever's texts they are.
        """
        reflex = self.view.settings.reflex
        every = (
            session.texts(self.collection.root, self.collection.opted_out) if reflex.enabled else []
        )
        texts = [text for text in every[: reflex.window] if text]  # "": it counts elsewhere
        return Window(self.view, texts, is_newest=every[:1] == texts[:1])


class Registry:
    """The knowledge bases that a process serves, with the settings of its client."""

    def __init__(
        self,
        env: Mapping[str, str],
        now: Callable[[], float],
        clock: Callable[[], float],
        client: Mapping[str, object],
        bump: Callable[[], None],
        sessions: Sessions,
    ) -> None:
        """`bump` is called when others are served, when something of one is published, and when a
        fault of one begins or ends. `sessions` are those of the process.
        """
        self.env = env
        self._bump = bump
        self.now = now
        self._clock = clock
        self._sessions = sessions
        self._nothing = Knowledge()
        """Served in place of a knowledge base that is silent."""
        self.collections: dict[BaseInTree, Collection] = {}
        """Those served, in the order of their working trees."""
        self.roots = set[Path]()
        """The folders of all knowledge bases that are or were served: no generation falls."""
        self._named = Found()
        """Those that somebody found, and names."""
        self._folders: dict[Path, Found] = {}
        """By folder of the workspace, or another one that somebody asks from."""
        self._documents: dict[Path, Found] = {}
        """By open document."""
        self.configure(client)

    @property
    def lacking(self) -> list[Path]:
        """The folders that had no knowledge base at the last search."""
        return [folder for folder, found in self._folders.items() if not found.places]

    @property
    def _found(self) -> list[Found]:
        return [self._named, *self._folders.values(), *self._documents.values()]

    @property
    def refused(self) -> list[str]:
        """A sentence for each knowledge base that is not served because another user owns it."""
        return [*map(why_refused, sorted({at for found in self._found for at in found.refused}))]

    def found_from(self, start: Path) -> Found:
        """What a search from a folder or a document finds now. Blocks; thread-safe."""
        return find(start, self.env, self.settings.trust.folders)

    def serve_from(self, folder: Path, found: Found) -> None:
        """Serve the knowledge bases that were found from a folder, too."""
        self._folders[folder] = found
        self._serve_found()

    def add(self, places: Iterable[BaseInTree]) -> None:
        """Serve knowledge bases that somebody found, too, but for those that are refused here."""
        named = admitted(places, self.env, self.settings.trust.folders)
        self._named = Found([*{*self._named.places, *named.places}], named.refused)
        self._serve_found()

    def open_document(self, path: Path) -> None:
        """Serve the knowledge bases found from a document, but for those of installed packages:
        for questions about it alone, while it is open.
        """
        own, found = self.own, self.found_from(path)
        served = [place for place in found.places if place in own or not is_in_package(place.root)]
        self._documents[path] = Found(served, found.refused)
        self._serve_found()

    def close_document(self, path: Path) -> None:
        """A document was closed."""
        self._documents.pop(path, None)
        self._serve_found()
        self._bump()  # none may be refused any more

    def around(self, path: Path | None) -> frozenset[BaseInTree]:
        """What a client may ask about a document: his own, and what the document led to."""
        return self.own.union(self._documents[path].places if path in self._documents else ())

    @property
    def own(self) -> frozenset[BaseInTree]:
        """Those that somebody names, and those that folders lead to; without any folder, those of
        open documents.
        """
        return frozenset(
            place
            for found in (self._named, *(self._folders or self._documents).values())
            for place in found.places
        )

    def set_folders(self, folders: Iterable[Path]) -> None:
        """Make these the folders of the workspace, in place of former ones."""
        self._folders = {folder: self.found_from(folder) for folder in folders}
        self._serve_found()
        self._bump()  # others may be refused

    def _serve_found(self) -> None:
        """Serve the knowledge bases that were found, and no others."""
        places = {place for found in self._found for place in found.places}
        if places != self.collections.keys():
            new, out = (self.env, self.client, self._clock, self._bump), self._sessions.opted_out
            served = [
                self.collections.get(place) or Collection(place, *new, out[Path(place.root)])
                for place in places
            ]
            self.collections = {
                each.place: each for each in sorted(served, key=lambda each: (each.tree, each.root))
            }
            self.roots.update(each.root for each in served)
            self.name_collections()
            self._bump()

    def name_collections(self) -> None:
        """Name collections after their config or folder, made unique by a number."""
        names: dict[Path, str] = {}
        for collection in self.collections.values():
            root = collection.root
            if root not in names:
                base = collection.settings.kb.name or printable(root.name) or "kb"
                numbered = (f"{base}-{number}" if number > 1 else base for number in count(1))
                names[root] = next(name for name in numbered if name not in names.values())
            collection.name = names[root]

    def settings_for(self, collection: Collection, caller: Caller) -> Settings:
        """The settings of a collection. Those in the environment are the caller's: where another
        process asks, not those of this one.
        """
        if caller.env is None or not any(map(is_setting, (*self.env, *caller.env))):
            return collection.settings
        env = {name: value for name, value in self.env.items() if not is_setting(name)}
        return collection.published.configured(self.client, {**env, **caller.env}).settings

    def taking_in(self, caller: Caller) -> frozenset[Path]:
        """The folders of the knowledge bases for which the texts of a caller count: those that have
        `reflex.enabled` for him and are not paused.
        """
        return frozenset(
            collection.root
            for collection in self.collections.values()
            if not collection.paused_until()
            if self.settings_for(collection, caller).reflex.enabled
        )

    def asked(self, caller: Caller) -> list[Collection]:
        """The collections that a caller may ask, by working tree."""
        places = self.own if caller.places is None else caller.places
        return [c for place, c in self.collections.items() if place in places]

    def chosen(self, caller: Caller, root: str | None) -> list[Collection]:
        """The collections that a caller means: of several working trees of one knowledge base that
        in which he stands, else the first. Raises `UnknownRootError`.
        """
        asked, path = self.asked(caller), None if root is None else _path(root)
        nearest = sorted(asked, key=lambda c: _depth(c.tree, path or caller.at), reverse=True)
        of_one = {each.root: each for each in reversed(nearest)}
        chosen = [each for each in asked if each is of_one[each.root]]
        if path is None:
            return chosen
        holding = [c for c in chosen if _depth(c.tree, path) or path == c.root]
        if not holding:
            raise UnknownRootError
        return [max(holding, key=lambda c: (c.root == path, len(c.root.parts)))]

    def shown_name(self, collection: Collection, caller: Caller) -> str | None:
        """The name of a collection in rows of answers; None if the caller may ask no other one."""
        if caller.names is not None:
            return caller.names.get(collection.place)
        return collection.name if len({c.root for c in self.asked(caller)}) > 1 else None

    def with_names(self, caller: Caller) -> Caller:
        """A caller as any process may know him: with the knowledge bases that he may ask, and what
        rows call them.
        """
        names = {each.place: self.shown_name(each, caller) for each in self.asked(caller)}
        return replace(caller, places=frozenset(names), names=names)

    def serving(
        self, caller: Caller, viewer: Viewer | None = None, root: str | None = None
    ) -> list[Served]:
        """The knowledge bases as a caller sees them now. The views never change. Raises
        `UnknownRootError`.
        """
        served, chosen = [], self.chosen(caller, root)
        all_settings = [self.settings_for(collection, caller) for collection in chosen]
        limits = [settings.recall.timeout_ms for settings in all_settings]
        deadline = Deadline(min(limits, default=0) / 1000, self._clock, caller.until)
        for collection, settings in zip(chosen, all_settings, strict=True):
            who = viewer_for(
                settings, viewer, caller.viewer, self.env if caller.env is None else caller.env
            )
            view = View(
                collection.name,
                self._nothing if collection.is_silent else collection.knowledge,
                who.gates,
                collection.root,
                deadline=deadline,
                world=collection.world,
                now=self.now(),
                settings=settings,
                is_model=caller.is_model,
                is_unasked=caller.is_unasked,
                uri_for=caller.uri_for,
                shown_collection=self.shown_name(collection, caller),
                identity=(collection.root, self._sessions.opted_out[collection.root]),
            )
            served.append(Served(view, collection))
        return served

    def unpaused(self, caller: Caller) -> list[Served]:
        """The knowledge bases of `serving` that may volunteer something: those that are not
        paused.
        """
        return [kb for kb in self.serving(caller) if not kb.collection.paused_until()]

    @property
    def has_looked(self) -> bool:
        """Whether the first read of every knowledge base has ended, also if it failed."""
        return all(c.has_looked for c in self.collections.values())

    def publish(self, collection: Collection, after: Published, *, is_news: bool) -> None:
        """Publish what is told of a knowledge base: a generation, if it `is_news` to answers."""
        before, collection.published = collection.published, after
        self._sessions.generations[collection.root] += is_news
        if (is_on := after.settings.reflex.enabled) and not before.settings.reflex.enabled:
            collection.opted_out = self._sessions.opted_out[collection.root]
        elif before.settings.reflex.enabled and not is_on:
            self._sessions.opted_out[collection.root] = next(self._sessions.numbers)
        # Without news the vectors and the next world may still be of what was published before.
        if after.world is not before.world or after.seen != before.seen:
            self._bump()

    def configure(self, client: Mapping[str, object]) -> None:
        """Apply settings of the client, and search again, as they may trust other folders."""
        self.client = client
        self.settings, self.problems = load_settings(None, client, self.env)
        """Those that no repository decides on, of client and environment alone; what is wrong."""
        for collection in self.collections.values():
            after = collection.published.configured(client, self.env)
            self.publish(collection, after, is_news=after.settings != collection.settings)
        for path in list(self._documents):
            self.open_document(path)
        self.set_folders(list(self._folders))


def _depth(tree: Path, path: Path | None) -> int:
    """How deep a working tree is that holds a path; 0 for none that does."""
    return len(tree.parts) if path is not None and path.is_relative_to(tree) else 0


def _path(root: str) -> Path:
    """The root that a path or file URI names; `.vouch` itself names its parent."""
    path = Path(path_of(root))
    with suppress(ValueError):  # no file is called so
        path = Path(place_of(path))
    return path.parent if path.name == KB_DIRNAME else path
