"""Bytes reach the event loop as they come, and the end of a stream is noticed at any time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from vouch_sidecar.surfaces.streams import Lines, reader_of


async def _all(descriptor: int, on_end: Callable[[], None]) -> bytes:
    with os.fdopen(descriptor, "rb", buffering=0) as stream:
        return await reader_of(stream, on_end).read()


def test_all_that_was_written_comes_before_the_end() -> None:
    reading, writing = os.pipe()
    data, ended = b"x" * 50_000 + b"y", threading.Event()
    os.write(writing, data)
    os.close(writing)
    assert anyio.run(_all, reading, ended.set) == data
    assert ended.wait(5)


def test_a_file_is_read_as_well(tmp_path: Path) -> None:
    path, ended = tmp_path / "file", threading.Event()
    path.write_bytes(b"x" * 200_000)
    assert anyio.run(_all, os.open(path, os.O_RDONLY), ended.set) == path.read_bytes()
    assert ended.wait(5)


def test_the_end_is_noticed_while_the_loop_hangs() -> None:
    reading, writing = os.pipe()
    ended = threading.Event()

    async def main() -> None:
        with os.fdopen(reading, "rb", buffering=0) as stream:
            assert await reader_of(stream, ended.set).read(1) == b"x"
            os.close(writing)
            assert ended.wait(5)

    os.write(writing, b"x")
    anyio.run(main)


@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_lines_are_found_in_any_parts(size: int) -> None:
    data = b"one\n\ntwo and more than that\r\nthree"
    lines = Lines(most=6)
    found = [line for at in range(0, len(data), size) for line in lines.feed(data[at : at + size])]
    assert [*found, lines.rest()] == [b"one", b"", b"two and", b"three"]
