"""Computes the vectors of published texts, keeps them beside the base for the next process, and
computes those of questions. Models run in worker threads; their libraries are imported only once a
model is configured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from anyio.to_thread import run_sync

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

RETRY_SECONDS = 30.0
"""Pause before a failed step is retried."""
UNWRITTEN_SECONDS = 5.0
"""Pause before vectors that could not be written are tried again: a base may be in progress."""
MAX_QUESTIONS = 64
"""Number of questions whose vectors are remembered."""
BATCH = 16
"""Texts in one call of the model."""
BATCH_SECONDS = 120.0
"""Time limit of a batch: during the first one, Ollama loads the model."""
UNWRITTEN = 256
"""Up to this many new vectors wait for more before all are written to disk."""
FOLLOW_STEP, EMBED = "follow", "embed"
NO_VECTORS = "Nothing is found by meaning"
SLOW = "the model takes too long: raise `recall.timeout_ms` or take a smaller one"
MIXED = "the model gives vectors of different lengths: choose another one"
COMPARING_SHARE = 0.25
"""Share of a question's remaining time that is reserved for the search."""
in_worker = partial(run_sync, abandon_on_cancel=True)


class KbVectors:
    """The vectors of a knowledge base by one model: of the texts of a generation, and all known
    ones by digest of the text.
    """

    def __init__(self, collection: Collection, model: str) -> None:
        """`model` is the identity of the model."""
        self.collection = collection
        self.vectors = Vectors({}, {})
        self._file = f"vectors-{model}"
        self._texts: Texts | None = None
        self._by_digest: dict[bytes, Vector] | None = None
        self._unwritten = 0
        """Number of vectors that are not on disk yet."""

    @property
    def is_ready(self) -> bool:
        """Whether these are the vectors of the published generation."""
        return self._texts is not None and self._texts.knowledge is self.collection.knowledge

    async def bring_up(self, backend: Backend, is_wanted: Callable[[], bool]) -> bool:
        """Compute missing vectors, as long as the model is wanted. Returns whether all are written.
        Raises `UnavailableError`.
        """
        if not self.collection.complete:
            return True
        if not self.is_ready:
            if self._by_digest is None:
                self._by_digest = await in_worker(self._read)
            knowledge, by_digest = self.collection.knowledge, self._by_digest
            texts = await in_worker(partial(texts_of, knowledge, backend.any_script))
            lacking = [mark for mark in texts.by_mark if mark not in by_digest]
            lacking.sort(key=lambda mark: len(texts.by_mark[mark]))
            for at in range(0, len(lacking), BATCH):
                if not is_wanted():
                    return True
                marks = lacking[at : at + BATCH]
                batch = [texts.by_mark[mark] for mark in marks]
                rows = await in_worker(partial(backend.embed, batch, BATCH_SECONDS))
                by_digest.update(zip(marks, rows, strict=True))
            try:
                self.vectors = await run_sync(partial(arranged, texts, by_digest))
            except ValueError:  # the vectors on disk are those of another model
                self._texts, self._by_digest = None, {}
                raise UnavailableError(MIXED) from None
            before = {} if self._texts is None else self._texts.by_artifact
            if before.keys() - texts.by_artifact.keys():
                self._unwritten += UNWRITTEN + 1  # removed texts must not stay in a file
            self._by_digest = dict(self.vectors.by_mark)
            self._texts = texts._replace(by_mark={})
            self._unwritten += len(lacking)
        return await in_worker(self._write)

    def _read(self) -> dict[bytes, Vector]:
        """The vectors that an earlier process wrote, by digest of the text; empty without any."""
        bases = self.collection.bases
        data = None if bases is None else bases.read_extra(self._file)
        return {} if data is None else from_bytes(data)

    def _write(self) -> bool:
        """Write the vectors for the next process if many are new or their file is gone; False if
        there is no base yet.
        """
        bases = self.collection.bases
        if bases is None or (self._unwritten <= UNWRITTEN and bases.has_extra(self._file)):
            return True
        if not bases.folder.is_dir() or not bases.write_extra(self._file, to_bytes(self.vectors)):
            return False
        self._unwritten = 0
        return True


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
        self._load = load
        self._wake = anyio.Event()
        self._model: tuple[str | None, str | None] = None, None
        self._backend: Backend | None = None
        self._identity = ""
        self._vectors: dict[Path, KbVectors] = {}
        self._questions: dict[bytes, Vector] = {}
        self.faults = Faults(tell)
        """Current faults, each a sentence that says what to do."""

    def wake(self) -> None:
        """Check at once whether something was published."""
        self._wake.set()

    async def run(self) -> None:
        """Compute vectors of published texts until cancelled."""
        while True:
            self._wake = anyio.Event()
            pause = RETRY_SECONDS
            with self.faults.contained(FOLLOW_STEP, NO_VECTORS):
                pause = await self._follow()
            with anyio.move_on_after(pause):
                await self._wake.wait()

    async def _follow(self) -> float:
        """Compute missing vectors. Returns the seconds to wait before trying again. Raises
        `UnavailableError`.
        """
        if self._model != self._wanted():
            self._model, self._backend = self._wanted(), None
            self._forget()
        model, ollama = self._model
        if model is None:
            return math.inf
        served = list(self._collections.values())
        self._vectors = {c.tree: v for c in served if (v := self._of(c)) is not None}
        try:
            if self._backend is None:
                self._backend = await in_worker(partial(self._load, model, ollama))
                if self._backend.identity != self._identity:  # Ollama may have replaced the model
                    self._forget()
                self._identity = self._backend.identity
            backend, kept = self._backend, []
            for collection in served:
                new = KbVectors(collection, self._identity)
                state = self._vectors.setdefault(collection.tree, new)
                kept.append(await state.bring_up(backend, lambda: self._model == self._wanted()))
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

    def _of(self, collection: Collection) -> KbVectors | None:
        state = self._vectors.get(collection.tree)
        return state if state is not None and state.collection is collection else None

    # Asking

    @property
    def is_on(self) -> bool:
        """Whether a model is configured."""
        return any(c.settings.semantic.model for c in self._collections.values())

    async def vector(self, text: str, served: Sequence[Served]) -> TextVector | None:
        """The vector of a text with the vectors of some knowledge bases; None if any is missing, or
        the question's deadline is too close.
        """
        left = min(kb.view.deadline.seconds_left for kb in served)
        states = {kb.view.identity: self._of(kb.collection) for kb in served}
        if not all(state is not None and state.is_ready for state in states.values()):
            return None
        vector = await self._embed_question(text, left)
        ready = {i: s.vectors for i, s in states.items() if s is not None and s.is_ready}
        if vector is None or len(ready) < len(states):
            return None
        return TextVector(vector, ready)

    async def _embed_question(self, text: str, left: float) -> Vector | None:
        """The vector of a text; None if the model fails or needs longer than `left` seconds, less
        those reserved for the search.
        """
        mark, backend = mark_of(text), self._backend
        if mark not in self._questions and backend is not None and self.reads(text):
            seconds = max(0.0, left * (1 - COMPARING_SHARE))
            with self.faults.contained(EMBED, NO_VECTORS):
                with anyio.move_on_after(seconds) as limit:
                    vector = (await in_worker(partial(backend.embed, [text], seconds)))[0]
                    lengths = {state.vectors.dimension for state in self._vectors.values()}
                    if lengths - {None, len(vector)}:
                        raise UnavailableError(MIXED)
                    if len(self._questions) >= MAX_QUESTIONS:
                        self._questions.clear()
                    self._questions[mark] = vector
                if limit.cancelled_caught:
                    raise UnavailableError(SLOW)
        return self._questions.get(mark)

    def reads(self, text: str) -> bool:
        """Whether the model supports the script of a text."""
        return is_latin(text) or (self._backend is not None and self._backend.any_script)
