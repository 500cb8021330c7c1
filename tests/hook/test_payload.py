"""What a host sends of a file that a tool touched, whatever it is."""

from __future__ import annotations

from typing import Any

import pytest
from vouch_sidecar.surfaces.hook import payload as given

PATH = "/base/src/relay.py"


@pytest.mark.parametrize(
    "event",
    [
        {"offset": "1", "limit": None},
        {"offset": -1, "limit": 10**30},
        {"offset": 1.5, "limit": [], "edits": 3},
        {"edits": [1, None, {"old_string": 2, "new_string": {}}], "old_string": []},
        {"content": "x" * 300_000},
    ],
)
@pytest.mark.parametrize(
    "response",
    [
        None,
        [],
        {"structuredPatch": 1},
        {"structuredPatch": [1, None, {}, {"newStart": "1"}, {"lines": [1, None]}]},
        {"structuredPatch": [{"newStart": True, "newLines": -4, "lines": {"+": 1}}] * 1000},
        {
            "structuredPatch": [
                {"newStart": 0, "newLines": 0, "lines": [" "] * 9 + ["+"] + [" "] * 9}
            ]
        },
        {"file": {"startLine": 10**40, "numLines": None, "content": ["x"]}},
        {"file": "x", "content": [[[[[[[["deep"]]]]]]]]},
    ],
)
def test_whatever_a_host_sends_something_is_understood(
    event: dict[str, Any], response: object
) -> None:
    payload = {
        "cwd": "/base",
        "tool_input": {"file_path": PATH, **event},
        "tool_response": response,
    }
    assert given.edited_file(payload) == PATH
    for ranges in (given.ranges_of(payload), given.ranges_before(payload)):
        assert all(0 <= first <= last <= 2 * given.MAX_LINE_NUMBER for first, last in ranges)
        assert len(ranges) <= given.MAX_RANGES
    said = given.text_of(payload), given.change_of(payload), given.inserted_in(payload)
    assert all(len(text or "") <= given.MAX_PROMPT for text in said)
    assert isinstance(given.is_edit(payload), bool)
    assert given.digest_of("post-tool-use", payload)


def test_a_change_by_the_hosts_patch() -> None:
    lines = [" a", "-b", "+c", "+ "]
    hunk = {"oldStart": 5, "oldLines": 2, "newStart": 7, "newLines": 3, "lines": lines}
    payload = {
        "tool_input": {"file_path": PATH, "old_string": "b", "new_string": "c"},
        "tool_response": {"structuredPatch": [hunk], "originalFile": "all of it"},
    }
    assert given.ranges_of(payload) == [(8, 9)]
    assert given.ranges_before(payload) == [(6, 6)]
    assert given.growth_of(payload) == 2
    assert (given.inserted_in(payload), given.change_of(payload)) == ("c", "b\nc")


@pytest.mark.parametrize(
    ("event", "response", "ranges"),
    [
        ({"offset": 5, "limit": 3}, None, [(5, 7)]),
        ({"limit": 3}, None, [(1, 3)]),
        ({"offset": 5}, None, [(5, 4 + given.TO_THE_END)]),
        ({"offset": 5, "limit": 3}, {"file": {"startLine": 4, "numLines": 2}}, [(4, 5)]),
        ({}, {"file": {"content": "x"}}, []),
        ({}, "all of its text", []),
    ],
)
def test_the_range_that_was_read(
    event: dict[str, Any], response: object, ranges: list[tuple[int, int]]
) -> None:
    payload = {"tool_input": {"file_path": PATH, **event}, "tool_response": response}
    assert given.ranges_of(payload) == ranges


def test_lines_that_were_there_are_not_new() -> None:
    edit = {"file_path": PATH, "old_string": "a\nb", "new_string": "a\nc\n\nb"}
    assert given.inserted_in({"tool_input": edit}) == "c"
    edits = [{"old_string": "a", "new_string": "x"}, {"old_string": "b", "new_string": "a"}]
    assert given.inserted_in({"tool_input": {"file_path": PATH, "edits": edits}}) == "x"


def test_lines_that_a_change_adds_or_takes_away_lie_between_those_around_them() -> None:
    around = [" a", " b", " c"]
    added = {"oldStart": 10, "oldLines": 6, "newStart": 20, "newLines": 7}
    hunks = [{**added, "lines": [*around, "+né", *around]}]
    payload = {"tool_input": {"file_path": PATH}, "tool_response": {"structuredPatch": hunks}}
    assert (given.ranges_before(payload), given.ranges_of(payload)) == ([(12, 13)], [(23, 23)])
    assert given.growth_of(payload) == len("né\n".encode())
