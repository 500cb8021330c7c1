"""Reads ignore files as git does, for folders about which git is not asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

MAX_RULES = 2_000
MAX_PATTERN = 300
MAX_DOUBLE = 3
"""The number of `**` that a glob may have."""
_NEVER = re.compile(r"(?!)")
_CLASS = re.compile(r"\[!?\]?[^\]/]*\]")


class Rule(NamedTuple):
    """One line of an ignore file. `pattern` matches a path below the folder of that file."""

    pattern: re.Pattern[str]
    negated: bool
    of_folders: bool


class Rules(NamedTuple):
    """The rules of one folder. Its path ends with a slash; that of the root is empty."""

    folder: str
    rules: tuple[Rule, ...]


def rules_in(folder: str, text: str) -> Rules:
    """The rules in the text of an ignore file. Lines that git would refuse are passed over."""
    lines = (_rule(line) for line in text.splitlines()[:MAX_RULES])
    return Rules(folder, tuple(rule for rule in lines if rule is not None))


def is_ignored(path: str, is_folder: bool, stack: Sequence[Rules]) -> bool:
    """Whether the rules of the folders above a path, outermost first, ignore the path. None of
    these folders may itself be ignored.
    """
    for folder, rules in reversed(stack):
        below = path[len(folder) :]
        for rule in reversed(rules):
            if (is_folder or not rule.of_folders) and rule.pattern.match(below):
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
    return Rule(_pattern(line, anchored), negated, of_folders)


@lru_cache(maxsize=4096)
def _pattern(glob: str, anchored: bool) -> re.Pattern[str]:
    """A glob as an expression that takes linear time for each of its few `**`."""
    parts = glob.split("/")
    if parts.count("**") > MAX_DOUBLE:
        return _NEVER
    made = "" if anchored else "(?:.*/)?"
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        if part == "**":
            made += ".*" if last else "(?:.*/)?"
        else:
            made += _part(part) + ("" if last else "/")
    try:
        return re.compile(f"{made}\\Z", re.DOTALL)
    except re.error:
        return _NEVER


def _part(glob: str) -> str:
    """The expression for one name of a glob. The text between two stars is matched at its first
    place, as no other place could match more.
    """
    pieces, at = [""], 0
    while at < len(glob):
        if glob[at] == "*":
            pieces.append("")
            at += 1
            continue
        if glob[at] == "?":
            made, end = "[^/]", at + 1
        elif glob[at] == "[":
            found = _CLASS.match(glob, at)
            if found is None:  # git takes such a rule for none
                return "(?!)"
            inner = found[0][1:-1].replace("\\", "\\\\").replace("[", "\\[")
            made, end = f"(?!/)[{'^' + inner[1:] if inner.startswith('!') else inner}]", found.end()
        else:
            at += glob[at] == "\\" and at + 1 < len(glob)
            made, end = re.escape(glob[at]), at + 1
        pieces[-1] += made
        at = end
    if len(pieces) == 1:
        return pieces[0]
    first, *middle, rest = pieces
    return first + "".join(f"(?>[^/]*?{one})" for one in middle if one) + f"[^/]*{rest}"
