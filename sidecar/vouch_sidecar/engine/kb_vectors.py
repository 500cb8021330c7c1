"""The vectors of one knowledge base: computed, and kept beside its base for the next process."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from anyio.to_thread import run_sync as in_worker

from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.semantic.backend import Backend, UnavailableError
from vouch_sidecar.semantic.embedded_texts import Texts, texts_of
from vouch_sidecar.semantic.vectors import Vectors, arranged, from_bytes, to_bytes

if TYPE_CHECKING:
    from vouch_sidecar.semantic.vectors import Vector

BATCH = 16
"""Texts in one call of the model."""
BATCH_SECONDS = 120.0
"""Time limit of a batch: during the first one, Ollama loads the model."""
UNWRITTEN = 256
"""Up to this many new vectors wait for more before all are written to disk."""
MIXED = "the model gives vectors of different lengths: choose another one"


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
                self._by_digest = await in_worker(self._read, abandon_on_cancel=True)
            knowledge, by_digest = self.collection.knowledge, self._by_digest
            read = partial(texts_of, knowledge, backend.any_script)
            texts = await in_worker(read, abandon_on_cancel=True)
            lacking = [mark for mark in texts.by_mark if mark not in by_digest]
            lacking.sort(key=lambda mark: len(texts.by_mark[mark]))
            for at in range(0, len(lacking), BATCH):
                if not is_wanted():
                    return True
                marks = lacking[at : at + BATCH]
                embed = partial(backend.embed, [texts.by_mark[m] for m in marks], BATCH_SECONDS)
                rows = await in_worker(embed, abandon_on_cancel=True)
                by_digest.update(zip(marks, rows, strict=True))
            try:
                self.vectors = await in_worker(partial(arranged, texts, by_digest))
            except ValueError:  # the vectors on disk are those of another model
                self._texts, self._by_digest = None, {}
                raise UnavailableError(MIXED) from None
            before = {} if self._texts is None else self._texts.by_artifact
            if before.keys() - texts.by_artifact.keys():
                self._unwritten += UNWRITTEN + 1  # removed texts must not stay in a file
            self._by_digest = dict(self.vectors.by_mark)
            self._texts = texts._replace(by_mark={})
            self._unwritten += len(lacking)
        return await in_worker(self._write, abandon_on_cancel=True)

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
