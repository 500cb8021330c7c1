"""Reads CODEOWNERS as GitHub does: the last rule that matches a file's path says who owns it. A
rule that GitHub would refuse is reported as a problem, and the others count. E-mail addresses are
not kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from vouch_sidecar.kb.safe_files import Stat, UnreadableError, read_below
from vouch_sidecar.text.windows import MAX_WINDOW
from vouch_sidecar.workspace.file_list import stat_of
from vouch_sidecar.workspace.globs import MAX_PATTERN, expression_of

OWNERS_FILES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
"""Paths below the top of a repository, in the order in which GitHub looks; the first file found
counts.
"""
MAX_OWNERS_BYTES = 3 << 20
MAX_RULES = 5_000
"""A file with more bytes or rules names no owners."""
MAX_RULE_PROBLEMS = 20
"""Unreadable rules that are reported."""
MAX_COST = 10_000_000
"""What it may cost to compare rules with one path: a tenth of a second, in characters."""
COST_OF_NAME = 10
"""What a name of a pattern costs beside its characters."""
_TOO_LONG = f"the line has more than {MAX_WINDOW:,} characters: the rule does not count"
_TOKEN = re.compile(r"(?:\\.|\S)++")
_HANDLE = re.compile(r"@([A-Za-z0-9._-]{1,100}(?:/[A-Za-z0-9._-]{1,100})?)")
_ADDRESS = re.compile(r"[^\s@]++@[^\s@]++")


class CodeOwner(NamedTuple):
    """A user, `octocat`, or a team, `octo-org/octocats`."""

    handle: str
    is_team: bool


class OwnersRule(NamedTuple):
    """A line of the file. `runs` match consecutive names of a path from the top of the repository
    on, the first one at its beginning; between two runs may be any number of names (`**`).
    `is_whole`: files below the matched names do not count; `is_below`: only they do.
    """

    pattern: str
    runs: tuple[tuple[re.Pattern[str], ...], ...]
    is_whole: bool
    is_below: bool
    owners: tuple[CodeOwner, ...]

    @property
    def cost(self) -> int:
        """The greatest cost of comparing it with one path."""
        return len(self.pattern) + COST_OF_NAME * sum(map(len, self.runs))


class RuleProblem(NamedTuple):
    """What is wrong with a line, or with the whole file (line 1), without quoting it."""

    line: int
    message: str


@dataclass(frozen=True, eq=False)
class CodeOwners:
    """The rules of a repository, from the file at `path` below its `top`, if there is one.
    Immutable.
    """

    top: Path = Path()
    path: str = ""
    rules: tuple[OwnersRule, ...] = ()
    problems: tuple[RuleProblem, ...] = ()
    _found: dict[str, OwnersRule | None] = field(default_factory=dict, repr=False)

    def rule_for(self, path: str) -> OwnersRule | None:
        """The rule that gives a path below the top of the repository owners that can be named. A
        path with a slash at its end stands for everything in that folder.
        """
        if path not in self._found:
            self._found[path] = self._rule_for(path)
        return self._found[path]

    def _rule_for(self, path: str) -> OwnersRule | None:
        names, left = path.split("/"), MAX_COST
        for rule in reversed(self.rules):
            left -= rule.cost * (len(names) if len(rule.runs) > 1 else 1)
            if left < 0:
                break
            if _matches(rule, names):
                return rule if rule.owners else None
        return None


def stamp_of_owners(top: Path) -> tuple[Stat | None, ...]:
    """A value that changes when the CODEOWNERS file does."""
    return tuple(stat_of(top, path) for path in OWNERS_FILES)


def read_owners(top: Path) -> CodeOwners:
    """The code owners of the repository with this top. Blocks."""
    for path in OWNERS_FILES:
        try:
            data, _ = read_below(top, path, MAX_OWNERS_BYTES)
        except FileNotFoundError:
            continue
        except UnreadableError as error:
            return CodeOwners(top, path, problems=(RuleProblem(1, f"it names no owners: {error}"),))
        return replace(rules_in(data.decode("utf-8-sig", "replace")), top=top, path=path)
    return CodeOwners()


def rules_in(text: str) -> CodeOwners:
    """The rules in the text of a file."""
    rules: list[OwnersRule] = []
    problems: list[RuleProblem] = []
    count = 0
    for number, line in enumerate(text.split("\n"), 1):
        tokens = _TOKEN.findall(line[:MAX_WINDOW])
        if not tokens or tokens[0].startswith("#"):
            continue
        count += 1
        if count > MAX_RULES:
            message = f"it names no owners: it has more than {MAX_RULES:,} rules"
            return CodeOwners(problems=(RuleProblem(number, message),))
        rule = _rule(tokens) if len(line) <= MAX_WINDOW else _TOO_LONG
        if isinstance(rule, OwnersRule):
            rules.append(rule)
        elif len(problems) < MAX_RULE_PROBLEMS:
            problems.append(RuleProblem(number, rule))
    return CodeOwners(rules=tuple(rules), problems=tuple(problems))


def _rule(tokens: Sequence[str]) -> OwnersRule | str:
    """The rule in a line, or what is wrong with the line."""
    pattern = tokens[0]
    end = next((at for at, token in enumerate(tokens) if token.startswith("#")), len(tokens))
    owners = _owners(tokens[1:end])
    if owners is None:
        return "an owner is no @user, @org/team or address: the rule does not count"
    if pattern.startswith(("!", "\\#")) or any(sign in pattern for sign in ("[", "]", "***")):
        return "GitHub reads no `!`, `\\#`, `***`, `[` or `]` in a pattern: the rule does not count"
    if len(pattern) > MAX_PATTERN:
        return f"the pattern has more than {MAX_PATTERN} characters: the rule does not count"
    names = pattern.removeprefix("/").split("/")
    if "" in names[:-1] or names == [""]:
        return "the pattern has an empty name in it: the rule does not count"
    if not pattern.startswith("/") and names[1:] in ([], [""]):
        names.insert(0, "**")
    if names[-1] == "":
        names[-1] = "**"
    runs: list[list[re.Pattern[str]]] = [[]]
    for name in names:
        if name == "**":
            runs.append([])
        else:
            runs[-1].append(expression_of(name))
    ends = names[-1] == "*", names[-1] == "**"
    return OwnersRule(pattern, tuple(map(tuple, runs)), *ends, owners)


def _owners(tokens: Iterable[str]) -> tuple[CodeOwner, ...] | None:
    """The owners that can be named; None where one is malformed."""
    owners: dict[CodeOwner, None] = {}
    for token in tokens:
        if handle := _HANDLE.fullmatch(token):
            owners[CodeOwner(handle[1], "/" in handle[1])] = None
        elif not _ADDRESS.fullmatch(token):
            return None
    return tuple(owners)


def _matches(rule: OwnersRule, names: Sequence[str]) -> bool:
    """Whether a rule matches a path. Each run is placed as early as possible, as no later place
    could match more.
    """
    first, *others = rule.runs
    if not _matches_at(first, names, 0):
        return False
    end = len(first)
    for number, run in enumerate(others, 1):
        last = len(names) - len(run)
        start = max(end, last) if rule.is_whole and number == len(others) else end
        place = next((at for at in range(start, last + 1) if _matches_at(run, names, at)), None)
        if place is None:
            return False
        end = place + len(run)
    if rule.is_below:
        return end < len(names)
    return end == len(names) or not rule.is_whole


def _matches_at(run: Sequence[re.Pattern[str]], names: Sequence[str], at: int) -> bool:
    if at + len(run) > len(names):
        return False
    return all(part.match(names[number]) for number, part in enumerate(run, at))
