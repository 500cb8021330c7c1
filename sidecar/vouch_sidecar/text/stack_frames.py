"""Finds the frames of stacks that a text holds, whatever language printed them: lines that give a
place in a file, as `FILE.EXT:12`, in the way of a frame.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Span = tuple[int, int]

MAX_FRAME = 1000
"""Characters of a line that may be a frame."""

_PLACE = re.compile(
    r"\.[A-Za-z]\w{0,9}+(?:\(\d++(?:,\d++)?+\)|:\d++(?::\d++)?+|:line[ ]\d++)|[\"'],[ ]line[ ]\d++"
)
"""The end of a place: `.js:12:3`, `.php(12)`, `.cs:line 12`, `", line 12`."""
_HEAD = re.compile(
    r"""
    [ \t]*+(?:
    (?:at|from)[ \t]++(?:(?:async|new)[ ])?+(?:[^\s()"']++[ ]?+(?:\([^\n]*+)?+|\([ \t]*+)?+
    |File[ ]++["'][^"'\n]*+
    |\#\d++[ \t]++(?:0x[0-9a-f]++[ ]in[ ])?+(?:[^\s(]++[ ]?+\([^\n]*+)?+
    |\([\w .-]++\)[ \t]++
    )\Z
    """,
    re.VERBOSE,
)
"""What stands in front of a place in a frame: a marker, and the function with its arguments."""
_TAIL = re.compile(
    r"""
    [)\]"'>]*+(?:
    (?P<function>[:,]?+[ ]?+in[ ](?:[`'][^`'\n]*+'|\S++\Z))
    |[ ]\+0x[0-9a-f]++\Z
    |\Z
    |(?P<call>[ ]*+[~\[(]|:[ ][^\s(]++(?:\Z|\())             # a library, a function
    )
    """,
    re.VERBOSE,
)
"""What may follow a place in a frame: no prose."""
_WITHOUT_PLACE = re.compile(
    r"""
    [ \t]*+(?:
    at[ ](?:(?:async|new)[ ])?+[^\s()]++[ ]?+\([^()\n]*+\)\Z
    |\d++:[ ]++0x[0-9a-f]++[ ]-[ ]
    |(?<=[ \t])\d++:[ ]++(?:[^\s:]++::)++\S++\Z
    |\.{3}[ ]\d++[ ]more\Z
    )
    """,
    re.VERBOSE,
)
_NUMBERED = re.compile(r"[ \t]*+\d++:[ ]++\S")
_OPENS = " \t\"'(["


def frames(text: str) -> Iterator[Span]:
    """Where the frames of a text begin and end, with the lines of code below them. An error message
    behind a frame is no part of it.
    """
    at, depth = 0, None
    before, before_at = "", 0
    for line in text.splitlines(keepends=True):
        shown = line.rstrip()
        indent = _indent(shown)
        end, has_code = _frame(shown)
        if end:
            if indent > _indent(before) and _is_function(before):
                yield before_at, before_at + len(before)
            yield at, at + end
            depth = indent if has_code else None
        elif depth is not None and shown and indent > depth:
            yield at, at + len(shown)
        else:
            depth = None
        before, before_at = shown, at
        at += len(line)


def _is_function(line: str) -> bool:
    """Whether a line may name the function whose place stands below it, as Go and Rust print it."""
    name, bracket, _ = line.partition("(")
    is_go = "." in name or name == "panic"
    is_call = is_go and bool(bracket) and line.endswith(")") and len(name.split()) == 1
    return is_call or _NUMBERED.match(line) is not None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _frame(line: str) -> tuple[int, bool]:
    """How many characters of a line are a frame, and whether its code may stand below: below a
    place alone stands what somebody pasted.
    """
    if len(line) > MAX_FRAME:
        return 0, False
    place = _PLACE.search(line)
    if place is None:
        return (len(line), False) if _WITHOUT_PLACE.match(line) else (0, False)
    head = line[: max(line.rfind(sign, 0, place.start()) for sign in _OPENS) + 1]
    tail = _TAIL.match(line, place.end())
    if tail is None:
        return 0, False
    if not head.strip():
        function = tail["function"] or ""
        return (0, False) if tail["call"] or function[:1] == " " else (tail.end(), bool(function))
    return (len(line) if tail["call"] else tail.end(), True) if _HEAD.match(head) else (0, False)
