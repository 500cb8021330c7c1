"""Computes the vectors of published texts, keeps them beside the base for the next process, and
computes those of questions. Models run in worker threads; their libraries are imported only once a
model is configured.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial

import anyio
from anyio.to_thread import run_sync

from vouch_sidecar.engine.changed import Changed
from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.faults import MODEL, QUESTION, Faults
from vouch_sidecar.engine.registry import Registry, Served
from vouch_sidecar.index.base_cache import OF_TEXTS
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.semantic import Backend, backend_of
from vouch_sidecar.semantic.vectors import (
    TextVector,
    UnavailableError,
    Vector,
    Vectors,
    arranged,
    from_bytes,
    is_latin,
    texts_of,
    to_bytes,
)

BATCH = 16
"""Texts in one call of the model."""
BATCH_SECONDS = 120.0
"""Time limit of a batch: during the first one, Ollama loads the model."""
SLOW = "the model takes too long: raise `recall.timeout_ms` or take a smaller one"
MIXED = "the model gives vectors of different lengths: choose another one"
ASKING_SHARE = 0.75
"""Share of a question's remaining time that the model may take; the rest is for the search."""
in_worker = partial(run_sync, abandon_on_cancel=True)


@dataclass(slots=True)
class _Known:
    """The vectors of a knowledge base."""

    by_mark: dict[bytes, Vector]
    """Those that an earlier process wrote, or that are computed so far, by the marks of texts."""
    is_kept: bool
    """Whether some by this model are in the cache, unless another one's replaced them since."""
    vectors: Vectors | None = None
    of: Knowledge | None = None
    """The generation of whose texts `vectors` are."""


class Embeddings:
    """The vectors of served knowledge bases. Call its methods on the event loop only."""

    def __init__(self, registry: Registry, faults: Faults, changed: Changed) -> None:
        self._registry = registry
        self._faults = faults
        self._changed = changed
        self._model: tuple[str | None, str | None] = None, None
        self._backend: Backend | None = None
        self._identity = ""
        """That of the model by which the vectors were made."""
        self._known: dict[Collection, _Known] = {}
        self._count = -1
        """Of `changed`, when the vectors were brought up last."""

    async def run(self) -> None:
        """Compute vectors of published texts until cancelled."""
        changed = self._changed
        await self._faults.repeat(MODEL, lambda: changed.since(self._count), self._bring_up)

    async def _bring_up(self) -> None:
        """Compute and write missing vectors. Raises `UnavailableError`."""
        count = self._changed.count
        if self._model != self._wanted():
            self._model, self._backend, self._known = self._wanted(), None, {}
            self._faults.remove(QUESTION)
        model, ollama = self._model
        if model is None:
            self._count = count
            return
        served = [c for c in self._registry.collections.values() if c.complete]
        self._known = {c: known for c in served if (known := self._known.get(c)) is not None}
        try:
            if self._backend is None:
                self._backend = await in_worker(partial(backend_of, model, ollama))
                if self._backend.identity != self._identity:  # Ollama may have replaced the model
                    self._known = {}
                self._identity = self._backend.identity
            for collection in served:
                await self._bring_up_one(collection, self._backend)
        except UnavailableError:
            self._backend = None
            self._faults.remove(QUESTION)  # the fault of MODEL says it
            raise
        self._count = count

    async def _bring_up_one(self, collection: Collection, backend: Backend) -> None:
        """Compute the missing vectors of a knowledge base, as long as the model is wanted, and keep
        them for the next process, where none of this model lie beside the newest base.
        """
        bases, knowledge = collection.bases, collection.knowledge
        file = f"{OF_TEXTS}-{self._identity}"
        known = self._known.get(collection)
        if known is None:
            data = None if bases is None else await in_worker(bases.read_extra, file)
            by_mark = {} if data is None else await in_worker(from_bytes, data)
            known = self._known[collection] = _Known(by_mark, bool(by_mark))
        if known.of is not knowledge:
            rows, texts = await in_worker(partial(texts_of, knowledge, backend.any_script))
            by_mark = known.by_mark
            lacking = [mark for mark in texts if mark not in by_mark]
            lacking.sort(key=lambda mark: len(texts[mark]))
            for at in range(0, len(lacking), BATCH):
                if self._model != self._wanted():
                    return
                marks = lacking[at : at + BATCH]
                batch = [texts[mark] for mark in marks]
                embedded = await in_worker(partial(backend.embed, batch, BATCH_SECONDS))
                by_mark.update(zip(marks, embedded, strict=True))
            try:
                vectors = await run_sync(partial(arranged, rows, by_mark))
            except ValueError:
                known.by_mark = {}
                raise UnavailableError(MIXED) from None
            # rows of this matrix, so that no earlier one is kept
            by_mark = {row.mark: vectors.matrix[at] for at, row in enumerate(rows)}
            known.by_mark, known.vectors, known.of = by_mark, vectors, knowledge
        if bases is None or known.vectors is None:
            return
        if not (known.is_kept and await in_worker(bases.has_extra, file)):
            data = await in_worker(to_bytes, known.vectors)
            known.is_kept = await in_worker(bases.write_extra, file, data)

    def _wanted(self) -> tuple[str | None, str | None]:
        """The configured model and the address of Ollama, the same for all knowledge bases."""
        semantic = self._registry.settings.semantic
        return semantic.model, semantic.ollama

    # Asking

    async def vector(self, text: str, served: Sequence[Served]) -> TextVector | None:
        """The vector of a text that the model `reads`, with the vectors of some knowledge bases;
        None if any is missing, or the question's deadline is too close.
        """
        backend, ready = self._backend, self._ready(served)
        if backend is None or ready is None:
            return None
        seconds = min(kb.view.deadline.seconds_left for kb in served) * ASKING_SHARE
        fitting: TextVector | None = None
        with self._faults.contained(QUESTION):
            vector = None
            with anyio.move_on_after(seconds):
                vector = (await in_worker(partial(backend.embed, [text], seconds)))[0]
            if vector is None:
                raise UnavailableError(SLOW)
            heard = TextVector(vector, ready)
            fitting = heard if heard.fits() else None
            if fitting is None:
                self._backend = None  # Ollama may have replaced the model
                self._changed.bump()
                raise UnavailableError(MIXED)
        return fitting

    def _ready(self, served: Sequence[Served]) -> dict[Hashable, Vectors] | None:
        """The vectors of some knowledge bases; None unless all are those of what is asked."""
        ready: dict[Hashable, Vectors] = {}
        for kb in served:
            known = self._known.get(kb.collection)
            if known is None or known.vectors is None or known.of is not kb.view.knowledge:
                return None
            ready[kb.view.identity] = known.vectors
        return ready

    def reads(self, text: str) -> bool:
        """Whether a model is configured that supports the script of a text."""
        is_read = is_latin(text) or (self._backend is not None and self._backend.any_script)
        return self._wanted()[0] is not None and is_read
