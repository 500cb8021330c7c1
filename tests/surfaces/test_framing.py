"""Messages are found in a byte stream whatever stands between them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vouch_sidecar.surfaces.lsp.framing import MAX_BODY, Framing, Malformed, frame


def read_all(*parts: bytes) -> list[bytes | str]:
    framing = Framing()
    found = [message for part in parts for message in framing.feed(part)]
    return [one.reason if isinstance(one, Malformed) else one for one in found]


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
        b"Content-Type: x\r\n\r\n" + b'{"a": 1}' * 5000,
        b"Content-Length: %d\r\n\r\n{}" % (MAX_BODY + 1),
    ],
)
def test_a_malformed_message_costs_no_other(garbage: bytes) -> None:
    reason, message = read_all(garbage + frame(b"{}"))
    assert isinstance(reason, str)
    assert message == b"{}"


@pytest.mark.parametrize("size", range(8100, 8200, 7))
def test_a_header_is_found_across_the_borders_of_what_is_read_at_once(size: int) -> None:
    found = read_all(b"x: y\r\n\r\n" + b"z" * size + frame(b"{}"))
    assert found[-1] == b"{}"


def test_a_truncated_body_is_the_end() -> None:
    assert read_all(b"Content-Length: 10\r\n\r\n{}") == []


def test_an_empty_body_is_a_message() -> None:
    assert read_all(b"Content-Length: 0\r\n\r\n" + frame(b"{}")) == [b"", b"{}"]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 30)), st.binary(max_size=40).filter(lambda body: b"\n" not in body))
def test_it_does_not_matter_in_which_parts_the_bytes_come(sizes: list[int], body: bytes) -> None:
    data = frame(b"{}") + b"noise\r\n" + body + b"\r\n\r\n" + frame(body) + frame(b"[]")
    parts, start = [], 0
    for size in sizes:
        parts.append(data[start : start + size])
        start += size
    assert read_all(*parts, data[start:]) == read_all(data)
    assert read_all(*(data[i : i + 1] for i in range(len(data)))) == read_all(data)


def test_what_is_read_is_not_kept() -> None:
    framing = Framing()
    for _ in range(1_000):
        assert list(framing.feed(frame(b"x" * 10_000)))
    assert len(framing._buffer) == 0
