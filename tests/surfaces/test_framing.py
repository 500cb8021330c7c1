"""Messages are found in a byte stream whatever stands between them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vouch_sidecar.surfaces.lsp.framing import MessageReader, frame
from vouch_sidecar.surfaces.streams import MAX_MESSAGE

from tests.soak import examples


def read_all(*parts: bytes, limit: int = MAX_MESSAGE) -> list[bytes | str]:
    """The bodies, and the reasons why some could not be read."""
    return asyncio.run(_read_all(parts, limit))


async def _read_all(parts: Sequence[bytes], limit: int) -> list[bytes | str]:
    found: list[bytes | str] = []
    stream = asyncio.StreamReader(limit)
    reader = MessageReader(stream, found.append, partial(asyncio.sleep, 0))

    async def feed() -> None:
        for part in parts:
            stream.feed_data(part)
            await asyncio.sleep(0)
        stream.feed_eof()

    feeding = asyncio.create_task(feed())
    while header := await reader.readline():
        size = int(header.removeprefix(b"Content-Length: "))
        assert await reader.readline() == b"\r\n"
        found.append(await reader.readexactly(size))
    await feeding
    return found


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: 2\r\n\r\n",
        b"content-length:2\r\n\r\n",
        b"CONTENT-LENGTH : 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
        b"Content-Type: x\r\nContent-Length: 2\r\n\r\n",
        b"Content-Length: 2\n\n",
    ],
)
def test_reads_every_spelling_of_a_header(header: bytes) -> None:
    assert read_all(header + b"{}" + header + b"[]") == [b"{}", b"[]"]


@pytest.mark.parametrize(
    "garbage",
    [
        b"garbage\r\n\r\n",
        b"Content-Length: many\r\n\r\n{}",
        b"Content-Length: -2\r\n\r\n{}",
        b"Content-Length: 0\r\n\r\n",
        b"Content-Type: x\r\n\r\n" + b'{"a": 1}' * 5000,
        b"Content-Length: %d\r\n\r\n{}" % (MAX_MESSAGE + 1),
    ],
)
def test_a_malformed_message_costs_no_other(garbage: bytes) -> None:
    reason, message = read_all(garbage + frame(b"{}"))
    assert isinstance(reason, str)
    assert message == b"{}"


def test_a_line_that_is_too_long_costs_no_later_message() -> None:
    parts = [b"x: y\r\n\r\n", *[b"z" * 60] * 50, b"\r\n\r\n", frame(b"{}")]
    assert read_all(*parts, limit=100)[-1] == b"{}"


def test_a_truncated_body_is_the_end() -> None:
    assert read_all(b"Content-Length: 10\r\n\r\n{}") == []


@examples(100)
@given(st.lists(st.integers(1, 30)), st.binary(max_size=40).filter(lambda body: b"\n" not in body))
def test_it_does_not_matter_in_which_parts_the_bytes_come(sizes: list[int], body: bytes) -> None:
    data = frame(b"{}") + b"noise\r\n" + body + b"\r\n\r\n" + frame(body) + frame(b"[]")
    parts, start = [], 0
    for size in sizes:
        parts.append(data[start : start + size])
        start += size
    assert read_all(*parts, data[start:]) == read_all(data)
    assert read_all(*(data[i : i + 1] for i in range(len(data)))) == read_all(data)
