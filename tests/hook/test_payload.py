"""What a host sends of a file that a tool touched."""

from __future__ import annotations

from typing import Any

import pytest
from vouch_sidecar.retrieval.blocks.touched_files import Touched
from vouch_sidecar.surfaces.hook.payload import TO_THE_END, touched_of

PATH = "/base/src/relay.py"


def test_a_change_by_the_hosts_patch() -> None:
    around = [" a", " b"]
    hunks = [
        {"oldStart": 5, "newStart": 7, "lines": [*around, "-b", "+c", "+ ", *around]},
        {"oldStart": 27, "newStart": 30, "lines": [*around, "-gone", *around]},
    ]
    edit = {"file_path": PATH, "old_string": "b", "new_string": "c"}
    ranges = [(9, 10), (32, 32)]
    for original, removed in (({}, "b\ngone"), ({"originalFile": "all of it"}, "all of it")):
        response = {"structuredPatch": hunks, **original}
        assert touched_of({"tool_input": edit, "tool_response": response}) == Touched(
            PATH, ranges, is_edit=True, text="b\nc", inserted="c", removed=removed
        )


@pytest.mark.parametrize(
    ("event", "response", "ranges"),
    [
        ({"offset": 5, "limit": 3}, None, [(5, 7)]),
        ({"limit": 3}, None, [(1, 3)]),
        ({"offset": 5}, None, [(5, 4 + TO_THE_END)]),
        ({"offset": 5, "limit": 3}, {"file": {"startLine": 4, "numLines": 2}}, [(4, 5)]),
        ({}, {"file": {"content": "x"}}, []),
    ],
)
def test_the_range_that_was_read(
    event: dict[str, Any], response: object, ranges: list[tuple[int, int]]
) -> None:
    payload = {"tool_input": {"file_path": PATH, **event}, "tool_response": response}
    assert touched_of(payload) == Touched(PATH, ranges)


EDITS = [{"old_string": "a", "new_string": "x"}, {"old_string": "b", "new_string": "a"}]


@pytest.mark.parametrize(
    ("edit", "changed"),
    [
        ({"old_string": "a\nb", "new_string": "a\nc\n\nb"}, ("c", "")),
        ({"edits": EDITS}, ("x", "b")),
    ],
)
def test_lines_that_were_there_are_not_new(edit: dict[str, Any], changed: tuple[str, str]) -> None:
    touched = touched_of({"tool_input": {"file_path": PATH, **edit}})
    assert touched is not None
    assert (touched.inserted, touched.removed) == changed
