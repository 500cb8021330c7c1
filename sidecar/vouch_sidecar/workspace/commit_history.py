"""Reads from the newest commits of a repository who changed which files. Authors are kept as names,
spelled as in `.mailmap`; their addresses serve to distinguish people and are not kept. Commits by
programs, and commits of many files, are left out, as they do not show who knows a file.
"""

from __future__ import annotations

import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from vouch_sidecar.kb.safe_files import UnreadableError, read_bounded
from vouch_sidecar.kb.sanitize import one_line
from vouch_sidecar.workspace.files import Files
from vouch_sidecar.workspace.git import Repository, run
from vouch_sidecar.workspace.names_in_text import digest

MAX_COMMITS = 10_000
"""Commits that are read, newest first; those older than a few half-lives weigh little."""
MAX_CHANGED = 25
"""Files that a commit may change; larger commits are left out."""
MAX_AUTHOR_NAME = 100
MAX_SHALLOW = 1 << 20
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
_NOBODYS = re.compile(r"(?:no-?reply|root|nobody|none|unknown)@")
"""Addresses that several people share."""


class Commit(NamedTuple):
    """A commit: its name, its author, and when it was written, in seconds since 1970. `person` is
    equal for all commits of one person; two people may have the same name.
    """

    name: str
    author: str
    at: int
    person: str


@dataclass(frozen=True)
class History:
    """The commits that changed each file, newest first, by its path below the root of a knowledge
    base. Immutable. `head` is the newest commit; `names` has every name of each
    person, as written and as in `.mailmap`; `unread` says why commits could not be read; `known`
    has every path that some commit has changed.
    """

    head: str = ""
    by_path: Mapping[str, Sequence[Commit]] = field(default_factory=dict)
    names: Mapping[str, Set[str]] = field(default_factory=dict)
    unread: str = ""
    known: Files = field(default_factory=Files)


def read_history(
    repository: Repository, head: str, prefix: str, caches: Path, env: Mapping[str, str]
) -> History:
    """The newest commits up to `head` that changed files below a folder, whose path in the
    repository is the prefix (`Repository.prefix`); an empty history if git cannot be run. A commit
    from the future counts as one from now. Blocks.
    """
    unread = repository.why_unread() or _why_unmapped(repository, head, caches, env)
    if unread:
        return History(head, unread=unread)
    arguments = [
        "-c",
        f"mailmap.blob={head}:.mailmap",
        "log",
        "-z",
        "--no-merges",
        "--no-renames",
        "--name-only",
        "--encoding=UTF-8",
        "--format=%x00/%H/%at/%aN%x00/%an%x00/%aE",
        f"--max-count={MAX_COMMITS}",
        head,
        "--",
    ]
    data = run(repository, arguments, caches, env)
    if data is None:
        return History(head, unread="git is missing, or could not read them")
    logged, cut = list(_commits(data)), _shallow(repository)
    counted = [commit for commit in logged if commit.name not in cut and commit.shows_who_knows]
    by_path, names = _of_persons(counted, prefix)
    unread = "the clone is shallow: the commits that changed its files are not in it"
    known = Files(tuple(sorted({path for commit in logged for path in commit.below(prefix)})))
    return History(head, by_path, names, unread if cut and not by_path else "", known)


def _why_unmapped(repository: Repository, head: str, caches: Path, env: Mapping[str, str]) -> str:
    """Why `.mailmap` cannot be used; "" if it can, or is missing. Without it, somebody who must
    never be named might be named by a former name.
    """
    size = run(repository, ["cat-file", "-s", f"{head}:.mailmap"], caches, env)
    return "its .mailmap is too large" if size and int(size) > MAX_MAILMAP else ""


def _shallow(repository: Repository) -> frozenset[str]:
    """The commits at which a shallow clone ends. They look as if they had added every file."""
    with suppress(OSError, UnreadableError):
        data = read_bounded(repository.common / "shallow", MAX_SHALLOW)
        return frozenset(data.decode("ascii", "replace").split())
    return frozenset()


def _of_persons(
    logged: Sequence[_LoggedCommit], prefix: str
) -> tuple[dict[str, list[Commit]], dict[str, set[str]]]:
    """The commits that changed files below a folder, by path, and the names of each person. A
    person is shown by the full name that stands in most commits.
    """
    person_of = persons((commit.author, commit.address) for commit in logged)
    names: defaultdict[str, set[str]] = defaultdict(set)
    authors: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for commit in logged:
        person = person_of[commit.author, commit.address]
        names[person].update((commit.author, commit.written))
        authors[person][commit.author] += 1
    shown = {
        person: min(some, key=lambda name: (" " not in name, -some[name], name))
        for person, some in authors.items()
    }
    now, by_path = int(time.time()), dict[str, list[Commit]]()
    for commit in logged:
        person = person_of[commit.author, commit.address]
        made = Commit(commit.name, shown[person], min(commit.at, now), person)
        for path in commit.below(prefix):
            by_path.setdefault(path, []).append(made)
    return by_path, names


class _LoggedCommit(NamedTuple):
    """A commit as git printed it, with the author as in `.mailmap` and as written, and the address
    as in `.mailmap`.
    """

    name: str
    at: int
    author: str
    written: str
    address: str
    changed: list[str]

    @property
    def shows_who_knows(self) -> bool:
        """Whether it is of few files, by a person with a name."""
        is_name = 0 < len(self.author) <= MAX_AUTHOR_NAME and "@" not in self.author
        return is_name and len(self.changed) <= MAX_CHANGED and not _BOT.search(self.author)

    def below(self, prefix: str) -> list[str]:
        """The files below a folder that it changed."""
        return [path[len(prefix) :] for path in self.changed if path.startswith(prefix)]


def _commits(data: bytes) -> Iterator[_LoggedCommit]:
    """The commits that git printed. Two NULs stand between them, as no part of one is empty."""
    text = data.decode("utf-8", "replace").strip("\0")
    for printed in text.split("\0\0") if text else ():
        who, _, files = printed.partition("\0\n")
        head, written, address = who.split("\0")
        _, name, at, author = head.split("/", 3)
        author, written, address = map(one_line, (author, written[1:], address[1:]))
        changed = files.split("\0") if files else []
        yield _LoggedCommit(name, int(at or 0), author, written, address, changed)


# Who is the same person


def persons(signatures: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
    """For each signature, a name and an address, a digest that is equal for signatures of the same
    person.
    """
    keys = {signature: list(_keys(*signature)) for signature in sorted(set(signatures))}
    above = {key: key for some in keys.values() for key in some}

    def first(key: str) -> str:
        while above[key] != key:
            above[key] = key = above[above[key]]
        return key

    for one, *others in keys.values():
        for other in others:
            above[first(other)] = first(one)
    return {signature: hex(digest(first(some[0]))) for signature, some in keys.items()}


def _keys(name: str, address: str) -> Iterator[str]:
    """What only one person's signatures have in common: an address, if it is a person's, and a full
    name.
    """
    local, _, domain = address.casefold().rpartition("@")
    is_persons = local and "." in domain and not _NOBODYS.match(f"{local}@")
    if is_persons:
        yield f"@{local}@{domain}"
    if " " in name or not is_persons:
        yield name.casefold()
