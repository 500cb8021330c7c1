"""Keeps the vectors of what is published, and those of the texts that are asked about. All that a
model does happens in worker threads; nothing of it is imported before a model is configured.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import anyio
from anyio.to_thread import run_sync as in_worker

from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.faults import Faults
from vouch_sidecar.engine.served import Served
from vouch_sidecar.retrieval.meant import Meant
from vouch_sidecar.semantic.backend import Backend, UnavailableError, is_latin
from vouch_sidecar.semantic.loading import backend_of
from vouch_sidecar.semantic.texts import Texts, mark_of, texts_of
from vouch_sidecar.semantic.vectors import Vectors, arranged, from_bytes, to_bytes

if TYPE_CHECKING:
    from vouch_sidecar.semantic.vectors import Vector


BATCH = 16
"""Texts that are embedded at once."""
BATCH_SECONDS = 120.0
"""How long a batch may take: the first one waits until Ollama has loaded the model."""
RETRY_SECONDS = 30.0
"""How long what failed rests."""
UNWRITTEN_SECONDS = 5.0
"""How long vectors that could not be kept rest: their base may be under way."""
UNWRITTEN = 256
"""New vectors that are written only with the next ones: to write all of them takes a moment."""
HEARD = 64
"""Texts whose vectors are remembered."""
FOLLOW, HEAR = "follow", "hear"
SAID = "Nothing is found by meaning"
MIXED = "the model gives vectors of different lengths: choose another one"
SLOW = "the model takes too long: raise `recall.timeout_ms` or take a smaller one"
LEFT_SECONDS = 0.05
"""What the rest of an answer needs of its time limit."""


class Progress(NamedTuple):
    """How many texts of all have their vector."""

    done: int
    total: int


@dataclass(slots=True)
class _Held:
    """What is held of one knowledge base: the vectors of some generation's texts, and all that are
    known for the next one.
    """

    texts: Texts | None = None
    vectors: Vectors = field(default_factory=lambda: Vectors({}, {}))
    known: dict[bytes, Vector] | None = None
    unwritten: int = 0


class Meaning:
    """The vectors of an engine's knowledge bases. Belongs to its event loop."""

    def __init__(
        self,
        collections: Mapping[Path, Collection],
        tell: Callable[[], None],
        load: Callable[[str, str | None], Backend] = backend_of,
    ) -> None:
        """`tell` is called when something else fails than before."""
        self._collections = collections
        self._tell = tell
        self._load = load
        self._wake = anyio.Event()
        self._model: tuple[str | None, str | None] = None, None
        self._backend: Backend | None = None
        self._identity = ""
        self._held: dict[Path, _Held] = {}
        self._heard: OrderedDict[bytes, Vector] = OrderedDict()
        self.faults = Faults()
        """What fails, and what to do about it: one sentence."""
        self.progress: Progress | None = None
        """While many vectors are made."""
        self.on_progress: set[Callable[[], None]] = set()

    def wake(self) -> None:
        """Look whether something was published."""
        self._wake.set()

    async def run(self) -> None:
        """Follow what is published, until cancelled."""
        while True:
            self._wake = anyio.Event()
            pause = RETRY_SECONDS
            with self._telling(), self.faults.contained(FOLLOW, SAID):
                try:
                    pause = await self._follow()
                finally:
                    self._show(None)
            with anyio.move_on_after(pause):
                await self._wake.wait()

    # Vectors of what is known

    async def _follow(self) -> float:
        """Take in what was published, and say how long to wait for more, in seconds."""
        collections = self._collections
        if self._model != self._wanted():
            self._model, self._backend = self._wanted(), None
            self._forget()
        model, ollama = self._model
        if model is None:
            return math.inf
        for root in self._held.keys() - collections.keys():
            del self._held[root]
        try:
            if self._backend is None:
                load = partial(self._load, model, ollama)
                backend = await in_worker(load, abandon_on_cancel=True)
                if backend.identity != self._identity:  # Ollama may have another by now
                    self._forget()
                self._backend, self._identity = backend, backend.identity
            kept = [await self._take_in(self._backend, one) for one in list(collections.values())]
        except UnavailableError:
            self._backend = None
            self.faults.remove(HEAR)  # one of the two is enough
            raise
        return math.inf if all(kept) else UNWRITTEN_SECONDS

    def _forget(self) -> None:
        """Begin anew, with another model."""
        self._held.clear()
        self._heard.clear()
        self.faults.remove(HEAR)

    def _wanted(self) -> tuple[str | None, str | None]:
        """The model that is configured, and where it runs: the same for all knowledge bases."""
        settings = (one.settings.semantic for one in self._collections.values())
        return next(((one.model, one.ollama) for one in settings), (None, None))

    async def _take_in(self, backend: Backend, collection: Collection) -> bool:
        """Make the vectors that one knowledge base lacks; whether they are kept on disk as well."""
        held = self._held.setdefault(collection.root, _Held())
        if not collection.complete:
            return True
        if not self._is_ready(collection):
            if held.known is None:
                read = partial(_read, collection, backend.identity)
                held.known = await in_worker(read, abandon_on_cancel=True)
            read_texts = partial(texts_of, collection.knowledge, held.texts, backend.any_script)
            texts = await in_worker(read_texts, abandon_on_cancel=True)
            lacking = [mark for mark in texts.by_mark if mark not in held.known]
            lacking.sort(key=lambda mark: len(texts.by_mark[mark]))
            for at in range(0, len(lacking), BATCH):
                if self._model != self._wanted():
                    return True
                if len(lacking) > BATCH:
                    self._show(Progress(at, len(lacking)))
                marks = lacking[at : at + BATCH]
                embed = partial(backend.embed, [texts.by_mark[m] for m in marks], BATCH_SECONDS)
                made = await in_worker(embed, abandon_on_cancel=True)
                held.known.update(zip(marks, made, strict=True))
            try:
                held.vectors = await in_worker(partial(arranged, texts, held.known))
            except ValueError:  # what was kept is that of another model
                held.texts, held.known = None, {}
                raise UnavailableError(MIXED) from None
            if held.texts is not None and held.texts.of.keys() - texts.of.keys():
                held.unwritten += UNWRITTEN + 1  # what is retired must be in no file
            held.known = dict(held.vectors.by_mark)
            held.texts = texts._replace(by_mark={})
            held.unwritten += len(lacking)
        return await self._keep(backend, collection, held)

    async def _keep(self, backend: Backend, collection: Collection, held: _Held) -> bool:
        """Leave the vectors to the next process; False where that has to wait."""
        keep = partial(_write, collection, backend.identity, held.vectors, held.unwritten)
        if not await in_worker(keep, abandon_on_cancel=True):
            return False
        if held.unwritten > UNWRITTEN:
            held.unwritten = 0
        return True

    def _is_ready(self, collection: Collection) -> bool:
        held = self._held.get(collection.root)
        texts = held.texts if held is not None else None
        return texts is not None and texts.knowledge is collection.knowledge

    # Asking

    @property
    def is_on(self) -> bool:
        """Whether somebody has configured a model."""
        return any(c.settings.semantic.model for c in self._collections.values())

    @property
    def speaks(self) -> bool:
        """Whether it may answer in a block."""
        return any(c.settings.semantic.speaks for c in self._collections.values())

    async def meant(self, text: str, served: Sequence[Served]) -> Meant | None:
        """A text as a vector beside those of some knowledge bases; None where one is missing, or
        the time of the question does not suffice.
        """
        collections = [one.collection for one in served]
        if not all(map(self._is_ready, collections)):
            return None
        heard = await self._hear(text, min(one.view.deadline.left for one in served))
        if heard is None or not all(map(self._is_ready, collections)):
            return None
        vectors = {one.view.identity: self._held[one.collection.root].vectors for one in served}
        return Meant(heard, vectors)

    async def _hear(self, text: str, left: float) -> Vector | None:
        """The vector of a text, in the seconds that are left, less what the answer needs."""
        mark, backend = mark_of(text), self._backend
        if mark in self._heard:
            self._heard.move_to_end(mark)
        elif backend is not None and self.reads(text):
            seconds = max(0.0, left - LEFT_SECONDS)
            with self._telling(), self.faults.contained(HEAR, SAID):
                with anyio.move_on_after(seconds) as limit:
                    embed = partial(backend.embed, [text], seconds)
                    found = (await in_worker(embed, abandon_on_cancel=True))[0]
                    lengths = {held.vectors.dimension for held in self._held.values()}
                    if lengths - {None, len(found)}:
                        raise UnavailableError(MIXED)
                    self._heard[mark] = found
                if limit.cancelled_caught:
                    raise UnavailableError(SLOW)
            while len(self._heard) > HEARD:
                self._heard.popitem(last=False)
        return self._heard.get(mark)

    def reads(self, text: str) -> bool:
        """Whether a text is in a script that the model knows."""
        return is_latin(text) or (self._backend is not None and self._backend.any_script)

    # Telling

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Tell who listens to the engine where something else fails after this."""
        before = list(self.faults)
        yield
        if before != list(self.faults):
            self._tell()

    def _show(self, progress: Progress | None) -> None:
        if progress != self.progress:
            self.progress = progress
            for listener in list(self.on_progress):
                listener()


def _read(collection: Collection, identity: str) -> dict[bytes, Vector]:
    """What an earlier process kept."""
    data = collection.bases.beside(f"vectors-{identity}") if collection.bases is not None else None
    return {} if data is None else from_bytes(data)


def _write(collection: Collection, identity: str, vectors: Vectors, unwritten: int) -> bool:
    """Keep vectors, where many are new or what was kept is gone; False where that has to wait."""
    if collection.bases is None:
        return True
    if unwritten <= UNWRITTEN and collection.bases.has_beside(f"vectors-{identity}"):
        return True
    if not collection.bases.folder.is_dir():
        return False
    return collection.bases.keep_beside(f"vectors-{identity}", to_bytes(vectors))
