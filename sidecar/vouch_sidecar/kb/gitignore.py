"""Reads ignore files like git, for folders in which git is not run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

MAX_IGNORE_RULES = 2_000
MAX_PATTERN = 300
_NEVER = re.compile(r"(?!)")
_CLASS = re.compile(r"\[!?\]?[^\]/]*\]")


class Rule(NamedTuple):
    """A line of an ignore file. `parts` match the names of a path below the file's folder; None
    stands for `**`, any number of names.
    """

    parts: tuple[re.Pattern[str] | None, ...]
    negated: bool
    of_folders: bool


class Rules(NamedTuple):
    """The rules of one folder. Its path ends with a slash; that of the root is empty."""

    folder: str
    rules: tuple[Rule, ...]


def rules_in(folder: str, text: str) -> Rules:
    """The rules in the text of an ignore file. Lines that git would refuse are skipped."""
    lines = (_rule(line) for line in text.splitlines()[:MAX_IGNORE_RULES])
    return Rules(folder, tuple(rule for rule in lines if rule is not None))


def is_ignored(path: str, is_folder: bool, stack: Sequence[Rules]) -> bool:
    """Whether the rules of the folders above a path, outermost first, ignore the path. None of
    these folders may itself be ignored.
    """
    for folder, rules in reversed(stack):
        names = path[len(folder) :].split("/")
        for rule in reversed(rules):
            if (is_folder or not rule.of_folders) and _matches(rule.parts, names):
                return not rule.negated
    return False


def _rule(line: str) -> Rule | None:
    line = line.rstrip("\r\n")
    while line.endswith(" ") and not line.endswith("\\ "):
        line = line[:-1]
    if not line or line.startswith("#") or len(line) > MAX_PATTERN:
        return None
    negated = line.startswith("!")
    line = line.removeprefix("!")
    of_folders, line = line.endswith("/"), line.rstrip("/")
    anchored, line = "/" in line, line.removeprefix("/")
    if not line:
        return None
    parts = (None if part == "**" else expression_of(part) for part in line.split("/"))
    return Rule((*(() if anchored else (None,)), *parts), negated, of_folders)


def _matches(parts: Sequence[re.Pattern[str] | None], names: Sequence[str]) -> bool:
    """Whether parts match names, in order and all of them."""
    reached = {0}
    for number, part in enumerate(parts):
        if part is None:
            last = number == len(parts) - 1  # at the end, `**` stands for one name at least
            reached = set(range(min(reached) + last, len(names) + 1))
        elif parts[number - 1] is None and number == len(parts) - 1:
            return len(names) - 1 in reached and part.match(names[-1]) is not None
        else:
            reached = {at + 1 for at in reached if at < len(names) and part.match(names[at])}
        if not reached:
            return False
    return len(names) in reached


@lru_cache(maxsize=4096)
def expression_of(glob: str) -> re.Pattern[str]:
    """The expression for one name of a glob. The text between two stars is matched as early as
    possible, as no later place could match more; a name has at most 255 characters.
    """
    pieces, at = [""], 0
    while at < len(glob):
        if glob[at] == "*":
            pieces.append("")
            at += 1
            continue
        if glob[at] == "?":
            piece, end = "[^/]", at + 1
        elif glob[at] == "[":
            bracket = _CLASS.match(glob, at)
            if bracket is None:  # git takes such a rule for none
                return _NEVER
            inner = bracket[0][1:-1].replace("\\", "\\\\").replace("[", "\\[")
            inner = f"^{inner[1:]}" if inner.startswith("!") else inner
            piece, end = f"(?!/)[{inner}]", bracket.end()
        else:
            at += glob[at] == "\\" and at + 1 < len(glob)
            piece, end = re.escape(glob[at]), at + 1
        pieces[-1] += piece
        at = end
    first, *others = pieces
    if others:
        *middle, rest = others
        first += "".join(f"(?>[^/]*?{part})" for part in middle if part) + f"[^/]*{rest}"
    try:
        return re.compile(f"{first}\\Z", re.DOTALL)
    except re.error:
        return _NEVER
