"""Reads from the newest commits of a repository who changed which files. Authors are kept as names,
spelled as in `.mailmap`; their addresses serve to distinguish people and are not kept. Commits by
programs, and commits of many files, are left out, as they do not show who knows a file.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from vouch_sidecar.kb.safe_files import UnreadableError, read_bounded
from vouch_sidecar.kb.sanitize import one_line
from vouch_sidecar.workspace.git import Repository, is_installed, prefix_in, run
from vouch_sidecar.workspace.identities import persons

MAX_COMMITS = 10_000
"""Commits that are read, newest first; those older than a few half-lives weigh little."""
MAX_CHANGED = 25
"""Files that a commit may change; larger commits are left out."""
MAX_AUTHOR_NAME = 100
NAME_LENGTHS = (40, 64)
"""Digits of a commit's name, by SHA-1 and by SHA-256."""
MAX_SHALLOW = 1 << 20
MAILMAP = ".mailmap"
MAX_MAILMAP = 1 << 20
"""Bytes. git takes time by the square of its lines."""
_BOT = re.compile(
    r"\[bot\]|^(?:(?:the\s)?(?:dependabot|renovate|pre-commit-ci|github-actions?|github\sactions?"
    r"|gitlab-ci|greenkeeper|pyup|snyk|codecov|allcontributors|weblate|mergify|bors|copybara"
    r"|semantic-release|release-please|jenkins|travis(?:\sci)?|circleci|buildbot|imgbot|deepsource"
    r"|autofix-ci|homu|github|gitlab)(?:[\s-]?(?:bot|preview|service|deployer))?"
    r"|(?:[\w.]{1,100}[\s_-])?(?:auto)?bot|[\w.-]{1,100}[\s_-]bot)$",
    re.IGNORECASE,
)


class Commit(NamedTuple):
    """A commit: its name, its author, and when it was written, in seconds since 1970. `person` is
    equal for all commits of one person; two people may have the same name.
    """

    name: str
    author: str
    at: int
    person: str


@dataclass(frozen=True, eq=False)
class History:
    """The commits that changed each file, by its path below the root of a knowledge base, as
    indices into `commits`. Immutable. `head` is the newest commit; `names` has every name of each
    person, as written and as in `.mailmap`; `unread` says why commits could not be read.
    """

    head: str = ""
    commits: tuple[Commit, ...] = ()
    by_path: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    names: Mapping[str, frozenset[str]] = field(default_factory=dict)
    unread: str = ""
    known: frozenset[str] = frozenset()
    """Every path that some commit has changed."""

    def __bool__(self) -> bool:
        return bool(self.by_path)

    def files_below(self, folder: str) -> list[str]:
        """The files below a folder, which has a slash at its end."""
        return self._by_folder.get(folder, [])

    @cached_property
    def _by_folder(self) -> dict[str, list[str]]:
        by_folder: dict[str, list[str]] = {}
        for path in self.by_path:
            at = path.rfind("/")
            while at > 0:
                by_folder.setdefault(path[: at + 1], []).append(path)
                at = path.rfind("/", 0, at)
        return by_folder


def read_history(
    repository: Repository, head: str, root: Path, caches: Path, env: Mapping[str, str]
) -> History:
    """The newest commits up to `head` that changed files below a folder; an empty history if git
    cannot be run. A commit from the future counts as one from now. Blocks.
    """
    now = int(time.time())
    arguments = [
        "-c",
        f"mailmap.blob={head}:{MAILMAP}",
        "log",
        "-z",
        "--no-merges",
        "--no-renames",
        "--name-only",
        "--encoding=UTF-8",
        "--format=/%H/%at/%aN%x00%an%x00%aE",
        f"--max-count={MAX_COMMITS}",
        head,
        "--",
    ]
    prefix = prefix_in(repository.top, root)
    if unread := repository.why_unread() or _why_unmapped(repository, head, caches, env):
        return History(head, unread=unread)
    data = run(repository, arguments, caches, env) if prefix is not None else None
    if data is None or prefix is None:
        has_failed = prefix is not None and is_installed(env)
        return History(head, unread="git could not read its commits" if has_failed else "")
    cut = _shallow(repository)
    logged = list(_commits(data))
    paths_of = {_text(path) for one in logged for path in one.changed}
    known = {path[len(prefix) :] for path in paths_of if path.startswith(prefix)}
    counted = [
        commit
        for commit in logged
        if commit.name not in cut
        and len(commit.changed) <= MAX_CHANGED
        and _is_somebody(commit.author)
    ]
    person_of = persons((commit.author, commit.address) for commit in counted)
    names: dict[str, set[str]] = {}
    authors: dict[str, Counter[str]] = {}
    for commit in counted:
        person = person_of[commit.author, commit.address]
        names.setdefault(person, set()).update((commit.author, commit.written))
        authors.setdefault(person, Counter())[commit.author] += 1
    shown = {
        person: min(some, key=lambda name: (" " not in name, -some[name], name))
        for person, some in authors.items()
    }
    commits: list[Commit] = []
    by_path: dict[str, list[int]] = {}
    for commit in counted:
        person = person_of[commit.author, commit.address]
        changed = [
            path[len(prefix) :] for path in map(_text, commit.changed) if path.startswith(prefix)
        ]
        for path in changed:
            by_path.setdefault(path, []).append(len(commits))
        if changed:
            commits.append(Commit(commit.name, shown[person], min(commit.at, now), person))
    paths = {path: tuple(numbers) for path, numbers in by_path.items()}
    every = {person: frozenset(some) for person, some in names.items()}
    is_cut = bool(cut) and not commits
    unread = "the clone is shallow: the commits that changed its files are not in it"
    return History(head, tuple(commits), paths, every, unread if is_cut else "", frozenset(known))


def _why_unmapped(repository: Repository, head: str, caches: Path, env: Mapping[str, str]) -> str:
    """Why `.mailmap` cannot be used; "" if it can, or is missing. Without it, somebody who must
    never be named might be named by a former name.
    """
    size = run(repository, ["cat-file", "-s", f"{head}:{MAILMAP}"], caches, env)
    return "its .mailmap is too large" if size and int(size) > MAX_MAILMAP else ""


class _LoggedCommit(NamedTuple):
    """A commit as git printed it, with the author as in `.mailmap` and as written, and the address
    as in `.mailmap`.
    """

    name: str
    at: int
    author: str
    written: str
    address: str
    changed: list[bytes]


def _commits(data: bytes) -> Iterator[_LoggedCommit]:
    """The commits that git printed. Each begins with a slash, as no path printed by git does; a
    path that does anyway is ignored.
    """
    commit: _LoggedCommit | None = None
    entries = iter(data.split(b"\0"))
    for entry in entries:
        if entry.startswith(b"/"):
            _, head, *rest = entry.split(b"/", 3)
            if len(head) not in NAME_LENGTHS or len(rest) != 2:
                continue
            if commit is not None:
                yield commit
            at = int(rest[0]) if rest[0].isdigit() else 0
            who = rest[1], next(entries, b""), next(entries, b"")
            author, written, address = (one_line(_text(part)) for part in who)
            commit = _LoggedCommit(_text(head), at, author, written, address, [])
        elif entry and commit is not None:
            commit.changed.append(entry if commit.changed else entry.removeprefix(b"\n"))
    if commit is not None:
        yield commit


def _is_somebody(author: str) -> bool:
    """Whether a name is a person's, without an address in it."""
    return (
        bool(author)
        and len(author) <= MAX_AUTHOR_NAME
        and "@" not in author
        and not _BOT.search(author)
    )


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _shallow(repository: Repository) -> frozenset[str]:
    """The commits at which a shallow clone ends. They look as if they had added every file."""
    with suppress(OSError, UnreadableError):
        data, _ = read_bounded(repository.common / "shallow", MAX_SHALLOW)
        return frozenset(data.decode("ascii", "replace").split())
    return frozenset()
