"""Where in its file a problem stands, so that every protocol can say so in units of its own."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from vouch_sidecar.kb.records import Problem

__all__ = ["placed"]

_LINE_END = re.compile(r"\r\n|\r|\n")


def placed(problems: Iterable[Problem], data: bytes) -> tuple[Problem, ...]:
    """The problems of a file that holds these bytes, all of them at places that it has."""
    found = tuple(problems)
    if all(problem.line == problem.column == 1 for problem in found):
        return found
    text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")
    lines = _LINE_END.split(text)
    return tuple(_placed(problem, lines) for problem in found)


def _placed(problem: Problem, lines: Sequence[str]) -> Problem:
    """What is said of the end of a file stands at the end of its last line."""
    last = len(lines)
    while last > 1 and not lines[last - 1].strip():
        last -= 1
    line, column = problem.line, problem.column
    if line > last:
        line, column = last, len(lines[last - 1]) + 1
    before = lines[line - 1][: column - 1]
    column = len(before) + 1
    if before.isascii():
        return replace(problem, line=line, column=column)
    utf8 = len(before.encode("utf-8", "replace")) - len(before)
    utf16 = len(before.encode("utf-16-le", "replace")) // 2 - len(before)
    return replace(problem, line=line, column=column, wider=(utf8, utf16))
