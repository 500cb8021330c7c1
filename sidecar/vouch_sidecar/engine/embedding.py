"""Computes and keeps the vectors of published texts, and those of recent questions. Models run in
worker threads; their libraries are imported only once a model is configured.
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

from vouch_sidecar.engine.callers import Served
from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.faults import Faults
from vouch_sidecar.retrieval.statements.text_vector import TextVector
from vouch_sidecar.semantic.backend import Backend, UnavailableError, is_latin
from vouch_sidecar.semantic.embedded_texts import Texts, mark_of, texts_of
from vouch_sidecar.semantic.loading import backend_of
from vouch_sidecar.semantic.vectors import Vectors, arranged, from_bytes, to_bytes

if TYPE_CHECKING:
    from vouch_sidecar.semantic.vectors import Vector


BATCH = 16
"""Texts in one call of the model."""
BATCH_SECONDS = 120.0
"""Time limit of a batch: during the first one, Ollama loads the model."""
RETRY_SECONDS = 30.0
"""Pause before a failed step is retried."""
UNWRITTEN_SECONDS = 5.0
"""Pause before vectors that could not be written are tried again: a base may be in progress."""
UNWRITTEN = 256
"""Up to this many new vectors wait for more before all are written to disk."""
MAX_QUESTIONS = 64
"""Number of questions whose vectors are remembered."""
FOLLOW_STEP, EMBED = "follow", "embed"
NO_VECTORS = "Nothing is found by meaning"
MIXED = "the model gives vectors of different lengths: choose another one"
SLOW = "the model takes too long: raise `recall.timeout_ms` or take a smaller one"
COMPARING_SHARE = 0.25
"""Share of a question's remaining time that is reserved for the search."""


class Progress(NamedTuple):
    """Number of texts that have their vector, and of all texts."""

    done: int
    total: int


@dataclass(slots=True)
class _KbVectors:
    """The vectors of one knowledge base: of the texts of a generation, and all `known` ones by
    digest of the text. `unwritten` counts those not on disk yet.
    """

    texts: Texts | None = None
    vectors: Vectors = field(default_factory=lambda: Vectors({}, {}))
    by_digest: dict[bytes, Vector] | None = None
    unwritten: int = 0


class Embeddings:
    """The vectors of an engine's knowledge bases. Call its methods on the event loop only."""

    def __init__(
        self,
        collections: Mapping[Path, Collection],
        tell: Callable[[], None],
        load: Callable[[str, str | None], Backend] = backend_of,
    ) -> None:
        """`tell` is called when a fault begins or ends."""
        self._collections = collections
        self._tell = tell
        self._load = load
        self._wake = anyio.Event()
        self._model: tuple[str | None, str | None] = None, None
        self._backend: Backend | None = None
        self._identity = ""
        self._vectors: dict[Path, _KbVectors] = {}
        self._questions: OrderedDict[bytes, Vector] = OrderedDict()
        self.faults = Faults()
        """Current faults, each a sentence that says what to do."""
        self.progress: Progress | None = None
        """Progress while many vectors are computed, else None."""
        self.on_progress: set[Callable[[], None]] = set()

    def wake(self) -> None:
        """Check at once whether something was published."""
        self._wake.set()

    async def run(self) -> None:
        """Compute vectors of published texts until cancelled."""
        while True:
            self._wake = anyio.Event()
            pause = RETRY_SECONDS
            with self._notifying(), self.faults.contained(FOLLOW_STEP, NO_VECTORS):
                try:
                    pause = await self._follow()
                finally:
                    self._set_progress(None)
            with anyio.move_on_after(pause):
                await self._wake.wait()

    # Vectors of published texts

    async def _follow(self) -> float:
        """Compute missing vectors. Returns the seconds to wait before trying again. Raises
        `UnavailableError`.
        """
        collections = self._collections
        if self._model != self._wanted():
            self._model, self._backend = self._wanted(), None
            self._forget()
        model, ollama = self._model
        if model is None:
            return math.inf
        for root in self._vectors.keys() - collections.keys():
            del self._vectors[root]
        try:
            if self._backend is None:
                load = partial(self._load, model, ollama)
                backend = await in_worker(load, abandon_on_cancel=True)
                if backend.identity != self._identity:  # Ollama may have replaced the model
                    self._forget()
                self._backend, self._identity = backend, backend.identity
            backend = self._backend
            kept = [
                await self._embed_missing(backend, collection)
                for collection in list(collections.values())
            ]
        except UnavailableError:
            self._backend = None
            self.faults.remove(EMBED)  # the fault of FOLLOW_STEP says it
            raise
        return math.inf if all(kept) else UNWRITTEN_SECONDS

    def _forget(self) -> None:
        """Drop all vectors, because the model changed."""
        self._vectors.clear()
        self._questions.clear()
        self.faults.remove(EMBED)

    def _wanted(self) -> tuple[str | None, str | None]:
        """The configured model and the address of Ollama, the same for all knowledge bases."""
        settings = (collection.settings.semantic for collection in self._collections.values())
        return next(((semantic.model, semantic.ollama) for semantic in settings), (None, None))

    async def _embed_missing(self, backend: Backend, collection: Collection) -> bool:
        """Compute the missing vectors of one knowledge base. Returns whether they are written."""
        state = self._vectors.setdefault(collection.root, _KbVectors())
        if not collection.complete:
            return True
        if not self._is_ready(collection):
            if state.by_digest is None:
                read = partial(_read, collection, backend.identity)
                state.by_digest = await in_worker(read, abandon_on_cancel=True)
            read_texts = partial(texts_of, collection.knowledge, state.texts, backend.any_script)
            texts = await in_worker(read_texts, abandon_on_cancel=True)
            lacking = [mark for mark in texts.by_mark if mark not in state.by_digest]
            lacking.sort(key=lambda mark: len(texts.by_mark[mark]))
            for at in range(0, len(lacking), BATCH):
                if self._model != self._wanted():
                    return True
                if len(lacking) > BATCH:
                    self._set_progress(Progress(at, len(lacking)))
                marks = lacking[at : at + BATCH]
                embed = partial(backend.embed, [texts.by_mark[m] for m in marks], BATCH_SECONDS)
                rows = await in_worker(embed, abandon_on_cancel=True)
                state.by_digest.update(zip(marks, rows, strict=True))
            try:
                state.vectors = await in_worker(partial(arranged, texts, state.by_digest))
            except ValueError:  # the vectors on disk are those of another model
                state.texts, state.by_digest = None, {}
                raise UnavailableError(MIXED) from None
            if (
                state.texts is not None
                and state.texts.by_artifact.keys() - texts.by_artifact.keys()
            ):
                state.unwritten += UNWRITTEN + 1  # removed texts must not stay in a file
            state.by_digest = dict(state.vectors.by_mark)
            state.texts = texts._replace(by_mark={})
            state.unwritten += len(lacking)
        return await self._keep(backend, collection, state)

    async def _keep(self, backend: Backend, collection: Collection, state: _KbVectors) -> bool:
        """Write the vectors for the next process; False if there is no base to put them beside."""
        keep = partial(_write, collection, backend.identity, state.vectors, state.unwritten)
        if not await in_worker(keep, abandon_on_cancel=True):
            return False
        if state.unwritten > UNWRITTEN:
            state.unwritten = 0
        return True

    def _is_ready(self, collection: Collection) -> bool:
        state = self._vectors.get(collection.root)
        texts = state.texts if state is not None else None
        return texts is not None and texts.knowledge is collection.knowledge

    # Asking

    @property
    def is_on(self) -> bool:
        """Whether a model is configured."""
        return any(c.settings.semantic.model for c in self._collections.values())

    @property
    def speaks(self) -> bool:
        """Whether hits by meaning may appear in context blocks (`semantic.speaks`)."""
        return any(c.settings.semantic.speaks for c in self._collections.values())

    async def vector(self, text: str, served: Sequence[Served]) -> TextVector | None:
        """The vector of a text with the vectors of some knowledge bases; None if any is missing, or
        the question's deadline is too close.
        """
        collections = [kb.collection for kb in served]
        if not all(map(self._is_ready, collections)):
            return None
        vector = await self._embed_question(
            text, min(kb.view.deadline.seconds_left for kb in served)
        )
        if vector is None or not all(map(self._is_ready, collections)):
            return None
        vectors = {kb.view.identity: self._vectors[kb.collection.root].vectors for kb in served}
        return TextVector(vector, vectors)

    async def _embed_question(self, text: str, left: float) -> Vector | None:
        """The vector of a text; None if the model fails or needs longer than `left` seconds, less
        those reserved for the search.
        """
        mark, backend = mark_of(text), self._backend
        if mark in self._questions:
            self._questions.move_to_end(mark)
        elif backend is not None and self.reads(text):
            seconds = max(0.0, left * (1 - COMPARING_SHARE))
            with self._notifying(), self.faults.contained(EMBED, NO_VECTORS):
                with anyio.move_on_after(seconds) as limit:
                    embed = partial(backend.embed, [text], seconds)
                    vector = (await in_worker(embed, abandon_on_cancel=True))[0]
                    lengths = {state.vectors.dimension for state in self._vectors.values()}
                    if lengths - {None, len(vector)}:
                        raise UnavailableError(MIXED)
                    self._questions[mark] = vector
                if limit.cancelled_caught:
                    raise UnavailableError(SLOW)
            while len(self._questions) > MAX_QUESTIONS:
                self._questions.popitem(last=False)
        return self._questions.get(mark)

    def reads(self, text: str) -> bool:
        """Whether the model supports the script of a text."""
        return is_latin(text) or (self._backend is not None and self._backend.any_script)

    # Notifying

    @contextmanager
    def _notifying(self) -> Iterator[None]:
        """Notify the listeners if this block begins or ends a fault."""
        before = list(self.faults)
        yield
        if before != list(self.faults):
            self._tell()

    def _set_progress(self, progress: Progress | None) -> None:
        if progress != self.progress:
            self.progress = progress
            for listener in list(self.on_progress):
                listener()


def _read(collection: Collection, identity: str) -> dict[bytes, Vector]:
    """The vectors that an earlier process wrote, by digest of the text; empty without any."""
    data = (
        collection.bases.read_extra(f"vectors-{identity}") if collection.bases is not None else None
    )
    return {} if data is None else from_bytes(data)


def _write(collection: Collection, identity: str, vectors: Vectors, unwritten: int) -> bool:
    """Write vectors if many are new or their file is gone; False if there is no base yet."""
    if collection.bases is None:
        return True
    if unwritten <= UNWRITTEN and collection.bases.has_extra(f"vectors-{identity}"):
        return True
    if not collection.bases.folder.is_dir():
        return False
    return collection.bases.write_extra(f"vectors-{identity}", to_bytes(vectors))
