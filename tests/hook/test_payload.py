"""What a host sends of a file that a tool touched."""

from __future__ import annotations

from typing import Any

import pytest
from vouch_sidecar.retrieval.blocks.touched_files import Touched
from vouch_sidecar.surfaces.hook import payload as given

PATH = "/base/src/relay.py"


def test_a_change_by_the_hosts_patch() -> None:
    around = [" a", " b"]
    hunks = [
        {"oldStart": 5, "newStart": 7, "lines": [*around, "-b", "+c", "+ ", *around]},
        {"oldStart": 27, "newStart": 30, "lines": [*around, "-gone", *around]},
    ]
    payload: dict[str, Any] = {
        "tool_input": {"file_path": PATH, "old_string": "b", "new_string": "c"},
        "tool_response": {"structuredPatch": hunks},
    }
    assert given.touched_of(payload) == Touched(
        PATH, [(9, 10), (32, 32)], is_edit=True, text="b\nc", inserted="c", removed="b\ngone"
    )
    payload["tool_response"]["originalFile"] = "all of it"
    touched = given.touched_of(payload)
    assert touched is not None
    assert (touched.inserted, touched.removed) == ("c", "all of it")


@pytest.mark.parametrize(
    ("event", "response", "ranges"),
    [
        ({"offset": 5, "limit": 3}, None, [(5, 7)]),
        ({"limit": 3}, None, [(1, 3)]),
        ({"offset": 5}, None, [(5, 4 + given.TO_THE_END)]),
        ({"offset": 5, "limit": 3}, {"file": {"startLine": 4, "numLines": 2}}, [(4, 5)]),
        ({}, {"file": {"content": "x"}}, []),
    ],
)
def test_the_range_that_was_read(
    event: dict[str, Any], response: object, ranges: list[tuple[int, int]]
) -> None:
    payload = {"tool_input": {"file_path": PATH, **event}, "tool_response": response}
    assert given.touched_of(payload) == Touched(PATH, ranges)


def inserted_and_removed(payload: dict[str, Any]) -> tuple[str, str]:
    touched = given.touched_of(payload)
    assert touched is not None
    return touched.inserted, touched.removed


def test_lines_that_were_there_are_not_new() -> None:
    edit = {"file_path": PATH, "old_string": "a\nb", "new_string": "a\nc\n\nb"}
    assert inserted_and_removed({"tool_input": edit}) == ("c", "")
    edits = [{"old_string": "a", "new_string": "x"}, {"old_string": "b", "new_string": "a"}]
    tool = {"file_path": PATH, "edits": edits}
    assert inserted_and_removed({"tool_input": tool}) == ("x", "b")
