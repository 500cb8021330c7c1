"""Reads CODEOWNERS as GitHub does: the last rule that matches a file's path says who owns it. A
rule that GitHub would refuse does not count. E-mail addresses are not kept.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from vouch_sidecar.kb.safe_files import UnreadableError, read_below
from vouch_sidecar.text.sentences import MAX_MATCHED

OWNERS_FILES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
"""Paths below the top of a repository, in the order in which GitHub looks; the first file found
counts.
"""
MAX_OWNERS_BYTES = 3 << 20
MAX_RULES = 5_000
"""A file with more bytes or rules names no owners."""
MAX_PATTERN = 300
MAX_COST = 30_000_000
"""What it may cost to compare rules with one path, in characters compared: some tenths of a second,
of which real files take a few milliseconds."""
_TOKEN = re.compile(r"(?:\\.|\S)++")
_SIGN = re.compile(r"\\.|.", re.DOTALL)
_HANDLE = re.compile(r"@([A-Za-z0-9._-]{1,100}(?:/[A-Za-z0-9._-]{1,100})?)")
_ADDRESS = re.compile(r"[^\s@]++@[^\s@]++")
_REFUSED = re.compile(r"!|\\#|.*(?:[\[\]]|\*\*\*)|/?\Z|.*//")


class OwnersRule(NamedTuple):
    """A line of the file: a pattern of paths below the top of the repository, its expression, and
    its owners, users (`octocat`) and teams (`octo-org/octocats`).
    """

    pattern: str
    expression: re.Pattern[str]
    owners: tuple[str, ...]


class OwnersRules(tuple[OwnersRule, ...]):
    """The rules of a file. They are looked up by what they are, as to hash thousands takes long."""

    __hash__ = object.__hash__


@lru_cache(maxsize=4096)
def rule_for(rules: OwnersRules, path: str) -> OwnersRule | None:
    """The rule that gives a path below the top of the repository owners that can be named. A path
    with a slash at its end stands for everything in that folder.
    """
    left = MAX_COST
    for rule in reversed(rules):
        left -= len(rule.pattern) * (len(path) if "*" in rule.pattern else 1)
        if left < 0:
            break
        if rule.expression.match(path):
            return rule if rule.owners else None
    return None


def read_owners(top: Path) -> OwnersRules:
    """The rules of the repository with this top. Blocks."""
    for path in OWNERS_FILES:
        try:
            data = read_below(top, path, MAX_OWNERS_BYTES)
        except FileNotFoundError:
            continue
        except UnreadableError:
            break
        return rules_in(data.decode("utf-8-sig", "replace"))
    return OwnersRules()


def rules_in(text: str) -> OwnersRules:
    """The rules in the text of a file; none where there are too many."""
    written = [line for line in map(str.strip, text.split("\n")) if line and line[0] != "#"]
    if len(written) > MAX_RULES:
        return OwnersRules()
    rules = (_rule(line) for line in written if len(line) <= MAX_MATCHED)
    return OwnersRules(rule for rule in rules if rule is not None)


def _rule(line: str) -> OwnersRule | None:
    """The rule in a line; None where GitHub reads none."""
    pattern, *tokens = _TOKEN.findall(line)
    owners: list[str] = []
    for token in tokens:
        if token.startswith("#"):
            break
        if handle := _HANDLE.fullmatch(token):
            owners.append(handle[1])
        elif not _ADDRESS.fullmatch(token):
            return None
    if len(pattern) > MAX_PATTERN or _REFUSED.match(pattern):
        return None
    return OwnersRule(pattern, _expression_of(pattern), tuple(dict.fromkeys(owners)))


@lru_cache(maxsize=MAX_RULES)
def _expression_of(pattern: str) -> re.Pattern[str]:
    """The expression of a pattern. What stands between two `**` is matched as early as possible, as
    no later place could match more.
    """
    names = pattern.removeprefix("/").split("/")
    if not pattern.startswith("/") and names[1:] in ([], [""]):
        names.insert(0, "**")
    last = names.pop()
    is_below = last in ("", "**")
    expression = run = ""
    anywhere = False
    for name in names:
        if name != "**":
            run += f"{_name(name)}/"
            continue
        expression += f"(?>(?:[^/]++/)*?{run})" if anywhere and run else run
        anywhere, run = True, ""
    if not is_below:
        run += _name(last) + ("\\Z" if last == "*" else "(?:/|\\Z)")
    return re.compile(expression + ("(?:[^/]++/)*?" if anywhere else "") + run)


def _name(glob: str) -> str:
    """The expression for one name of a path. The text between two stars is matched as early as
    possible.
    """
    plain = {"*": "\0", "?": "[^/]"}
    signs = (plain.get(sign) or re.escape(sign[-1]) for sign in _SIGN.findall(glob))
    first, *others = "".join(signs).split("\0")
    if not others:
        return first
    *middle, rest = others
    return first + "".join(f"(?>[^/]*?{part})" for part in middle if part) + f"[^/]*{rest}"
