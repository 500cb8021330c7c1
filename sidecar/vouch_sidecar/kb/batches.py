"""Files parsed batch by batch, so that other processes can do it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from vouch_sidecar.kb.reader import Reading, parse
from vouch_sidecar.kb.versions import Found

__all__ = ["BATCH_FILES", "Parse", "parse_inline", "parsed"]

BATCH_FILES = 128
BATCH_BYTES = 1 << 20

Parse = Callable[[Iterable[Sequence[tuple[str, bytes]]], int], Iterable[Sequence[Reading]]]
"""Takes batches of files, path and bytes of each, and gives what they say, batch by batch in the
same order. It may take several before it gives the first. The number: files that come at most.
"""


def parse_inline(
    batches: Iterable[Sequence[tuple[str, bytes]]], _expected: int
) -> Iterator[Sequence[Reading]]:
    """Parses in the calling thread."""
    for files in batches:
        yield [parse(path, data) for path, data in files]


def parsed(files: Iterable[Found], by: Parse, expected: int) -> Iterator[tuple[Found, Reading]]:
    """Each file with what it says. `expected`: at most so many come."""
    waiting: deque[list[Found]] = deque()

    def batches() -> Iterator[list[tuple[str, bytes]]]:
        for batch in _batched(files):
            waiting.append(batch)
            yield [(file.path, file.data) for file in batch]

    for readings in by(batches(), expected):
        yield from zip(waiting.popleft(), readings, strict=True)


def _batched(files: Iterable[Found]) -> Iterator[list[Found]]:
    batch: list[Found] = []
    size = 0
    for file in files:
        batch.append(file)
        size += len(file.data)
        if len(batch) >= BATCH_FILES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
