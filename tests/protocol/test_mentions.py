"""What an open document, or a part of it, names."""

from __future__ import annotations

from typing import Any

import pytest

from tests.protocol.client import Client

TEXT = "😀 JWT\r\nfirst Redis\n\nthen JSON Web Tokens\nand JWT"
URI = "file:///notes/a%20b.md"


def place(line: int, start: int, end: int) -> dict[str, Any]:
    return {
        "start": {"line": line, "character": start},
        "end": {"line": line, "character": end},
    }


def part(start: tuple[int, int], end: tuple[int, int]) -> dict[str, Any]:
    return {
        "start": {"line": start[0], "character": start[1]},
        "end": {"line": end[0], "character": end[1]},
    }


def found(client: Client, **params: Any) -> list[tuple[str, Any]]:
    rows = client.request("vouch/mentions", {"uri": URI, **params})["mentions"]
    assert all("start" not in row and "end" not in row for row in rows)
    return [(row["entity_id"], row["range"]) for row in rows]


@pytest.mark.parametrize(
    ("range_", "lines"),
    [
        (part((0, 0), (99, 0)), [0, 1, 3, 4]),
        (part((1, 0), (2, 0)), [1]),
        (part((1, 6), (1, 11)), [1]),
        (part((1, 7), (3, 4)), []),  # what begins before it is none of its
        (part((3, 0), (99, 0)), [3, 4]),
        (part((99, 0), (99, 9)), []),
        (part((4, 0), (0, 0)), []),
    ],
)
def test_a_part_of_it(shared: Client, range_: dict[str, Any], lines: list[int]) -> None:
    shared.open(URI, TEXT)
    assert [at["start"]["line"] for _, at in found(shared, range=range_)] == lines
