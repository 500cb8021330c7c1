"""Bytes reach the event loop as they come, and the end of a stream is noticed at any time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

import anyio
import pytest
from vouch_sidecar.surfaces import jsonl
from vouch_sidecar.surfaces.streams import reader_of


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


@pytest.mark.parametrize("rest", [b"", b"\n"])
def test_a_line_that_is_too_long_stands_for_one_bad_line(
    monkeypatch: pytest.MonkeyPatch, rest: bytes
) -> None:
    monkeypatch.setattr(jsonl, "MAX_MESSAGE", 6)
    reading, writing = os.pipe()
    os.write(writing, b"one\n\ntwo" + b" " * 50 + b"\nthree" + rest)
    os.close(writing)

    async def lines() -> list[bytes]:
        with os.fdopen(reading, "rb", buffering=0) as stream:
            return [line async for line in jsonl._lines(stream)]

    one, blank, cut, three, *_ = anyio.run(lines)
    assert [one, blank, three.strip()] == [b"one\n", b"\n", b"three"]
    assert cut == jsonl.CUT
