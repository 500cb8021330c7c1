"""What an open document, or a part of it, names."""

from __future__ import annotations

import pytest

from tests.protocol.client import Client

TEXT = "😀 JWT\r\nfirst Redis\n\nthen JSON Web Tokens\nand JWT"
URI = "file:///notes/a%20b.md"


@pytest.mark.parametrize(
    ("start", "end", "lines"),
    [
        ((0, 0), (99, 0), [0, 1, 3, 4]),
        ((1, 0), (2, 0), [1]),
        ((1, 6), (1, 11), [1]),
        ((1, 7), (3, 4), []),  # what begins before it is none of its
        ((3, 0), (99, 0), [3, 4]),
        ((99, 0), (99, 9), []),
        ((4, 0), (0, 0), []),
    ],
)
def test_a_part_of_it(
    shared: Client, start: tuple[int, int], end: tuple[int, int], lines: list[int]
) -> None:
    shared.open(URI, TEXT)
    first, last = ({"line": line, "character": at} for line, at in (start, end))
    asked = {"uri": URI, "range": {"start": first, "end": last}}
    rows = shared.request("vouch/mentions", asked)["mentions"]
    assert [row["range"]["start"]["line"] for row in rows] == lines
    assert all("start" not in row and "end" not in row for row in rows)
