"""Reads knowledge bases for the first time in a thread, so that whoever asks may stop waiting."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.disk_reader import Step

if TYPE_CHECKING:
    from vouch_sidecar.engine.engine import Engine


class FirstRead:
    """Reads knowledge bases that nobody follows, and writes the bases for the next process. The
    process ends when this is done, not before: the next one may ask as little.
    """

    def __init__(self, collections: Iterable[Collection]) -> None:
        self._reads: dict[Future[Step | None], Collection] = {}
        self._failed: list[Collection] = []
        self._begin(collections)

    def _begin(self, collections: Iterable[Collection]) -> None:
        worker = ThreadPoolExecutor(1, "first read")
        self._reads |= {worker.submit(_read, collection): collection for collection in collections}
        worker.shutdown(wait=False)

    def publish(self, engine: Engine, seconds: float | None = None) -> None:
        """Publish what was read, and wait for the rest for at most `seconds`; None: to the end.
        What failed before is read again. An interrupt ends this, and what was not begun.
        """
        if self._failed:
            self._begin(self._failed)
            self._failed = []
        try:
            done = wait(self._reads, seconds).done
        except KeyboardInterrupt:
            self.cancel()
            raise
        for read in done:
            collection, step = self._reads.pop(read), read.result()
            if step is not None:
                engine.publish(collection, step)
            if collection.is_failing:
                self._failed.append(collection)
            else:
                engine.publish_on_new_base(collection)

    def cancel(self) -> None:
        """Read nothing that was not begun."""
        for read in self._reads:
            read.cancel()
        self._reads, self._failed = {}, []


def _read(collection: Collection) -> Step | None:
    step = None
    with collection.reading():
        step = collection.read()
    if not collection.is_failing:
        with collection.writing_base():
            collection.reader.keep_up()
    return step
