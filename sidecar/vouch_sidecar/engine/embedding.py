"""Computes the vectors of published texts (`kb_vectors`), and of questions. Models run in worker
threads; their libraries are imported only once a model is configured.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from anyio.to_thread import run_sync as in_worker

from vouch_sidecar.engine.callers import Served
from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.faults import Faults
from vouch_sidecar.engine.kb_vectors import MIXED, KbVectors
from vouch_sidecar.retrieval.statements.text_vector import TextVector
from vouch_sidecar.semantic.backend import Backend, UnavailableError, is_latin
from vouch_sidecar.semantic.embedded_texts import mark_of
from vouch_sidecar.semantic.loading import backend_of

if TYPE_CHECKING:
    from vouch_sidecar.semantic.vectors import Vector


RETRY_SECONDS = 30.0
"""Pause before a failed step is retried."""
UNWRITTEN_SECONDS = 5.0
"""Pause before vectors that could not be written are tried again: a base may be in progress."""
MAX_QUESTIONS = 64
"""Number of questions whose vectors are remembered."""
FOLLOW_STEP, EMBED = "follow", "embed"
NO_VECTORS = "Nothing is found by meaning"
SLOW = "the model takes too long: raise `recall.timeout_ms` or take a smaller one"
COMPARING_SHARE = 0.25
"""Share of a question's remaining time that is reserved for the search."""


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
        self._questions: OrderedDict[bytes, Vector] = OrderedDict()
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

    # Vectors of published texts

    async def _follow(self) -> float:
        """Compute missing vectors. Returns the seconds to wait before trying again. Raises
        `UnavailableError`.
        """
        collections = self._collections
        if not self._is_wanted():
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
            backend, kept = self._backend, []
            for collection in list(collections.values()):
                if (state := self._of(collection)) is None:
                    state = self._vectors[collection.tree] = KbVectors(collection, self._identity)
                kept.append(await state.bring_up(backend, self._is_wanted))
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

    def _is_wanted(self) -> bool:
        return self._model == self._wanted()

    def _wanted(self) -> tuple[str | None, str | None]:
        """The configured model and the address of Ollama, the same for all knowledge bases."""
        settings = (collection.settings.semantic for collection in self._collections.values())
        return next(((semantic.model, semantic.ollama) for semantic in settings), (None, None))

    def _is_ready(self, collection: Collection) -> bool:
        return (state := self._of(collection)) is not None and state.is_ready

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
        collections = [kb.collection for kb in served]
        if not all(map(self._is_ready, collections)):
            return None
        vector = await self._embed_question(
            text, min(kb.view.deadline.seconds_left for kb in served)
        )
        if vector is None or not all(map(self._is_ready, collections)):
            return None
        vectors = {kb.view.identity: self._vectors[kb.collection.tree].vectors for kb in served}
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
            with self.faults.contained(EMBED, NO_VECTORS):
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
