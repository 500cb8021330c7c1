"""Reads knowledge bases for the first time in a thread, so that whoever asks may stop waiting."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.disk_reader import Step

if TYPE_CHECKING:
    from vouch_sidecar.engine.engine import Engine


class FirstRead:
    """Reads every knowledge base of an engine that nobody follows, and writes the bases for the
    next process. The process ends when this is done, not before: the next one may ask as little.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        worker = ThreadPoolExecutor(1, "first read")
        self._reads = {worker.submit(_read, c): c for c in engine.collections.values()}
        worker.shutdown(wait=False)

    def publish(self, seconds: float | None = None) -> None:
        """Publish what was read, and wait for the rest for at most `seconds`; None: to the end."""
        for read in wait(self._reads, seconds).done:
            collection, step = self._reads.pop(read), read.result()
            if step is not None:
                self._engine.publish(collection, step)
            if collection.reader.latest is not collection.knowledge and not collection.is_failing:
                self._engine.publish_on_new_base(collection)


def _read(collection: Collection) -> Step | None:
    step = None
    with collection.reading():
        step = collection.read()
    if not collection.is_failing:
        with collection.writing_base():
            collection.reader.keep_up()
    return step
