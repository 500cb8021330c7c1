"""The repository around a knowledge base, and the only place that runs git.

git reads nothing of the workspace except its index, objects and `.gitignore` files: `GIT_DIR` is an
empty repository of ours in the user's cache. So no config, hook, filter, attribute or monitor of
the workspace is used, as each could name a program to run. What git can't read this way (a split
index, SHA-256) counts as no repository.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Timer
from typing import NamedTuple

from vouch_sidecar.index.base_cache import is_others
from vouch_sidecar.kb.discovery import git_folders, is_refused, working_tree
from vouch_sidecar.kb.safe_files import Stat, UnreadableError, packed, read_bounded

log = logging.getLogger(__name__)

LOCK_SECONDS = 5.0
"""How long git is waited for while it writes files. A lock that is twice as old is taken for left
over, also if its time is that far in the future; until then what is read may be torn.
"""
GIT_SECONDS = 60.0
"""Seconds that a git command may take. Its output is dropped if it takes longer, so no answer is
partial.
"""
MAX_OUTPUT = 64 << 20
MAX_MEMORY = 1 << 30
"""Bytes of memory that a git command may take, where the system can limit it (Linux). It prints no
path before it has gathered all: ten trees of ten entries each can name billions.
"""
MAX_HEAD = 4096
MAX_PACKED_REFS = 16 << 20
_EMPTY_FILES = {
    "HEAD": "ref: refs/heads/none\n",
    "config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
}
_COMMIT = re.compile(rb"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
_REF = re.compile(r"refs/[^\x00-\x20\x7f~^:?*\[\\]+\Z")
"""What git lets a branch be called, `..` apart."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A git repository. `top` is its working tree, `folder` the folder with `HEAD` and `index`,
    `common` the one with objects and refs, which is another one in a linked worktree.
    """

    top: Path
    folder: Path
    common: Path

    @classmethod
    def holding(
        cls, folder: Path, trusted: Collection[str] = ()
    ) -> tuple[Repository, str] | tuple[None, str]:
        """The innermost repository around a folder; None if there is none that may be read, with
        the reason if there is one. `trusted` are folders of other users that are allowed.
        """
        top = working_tree(str(folder))
        if top is None:
            return None, ""
        try:
            folders = git_folders(top)
            if folders is None:
                return None, "its .git leads to a folder that does not lead back"
            git, common = map(Path, folders)
            if any(is_refused(str(path), trusted) for path in (git, common / "objects")):
                return None, "it is another user's"
        except (OSError, ValueError):
            return None, "its files can't be read"
        return cls(Path(top), git, common), ""

    def prefix(self, folder: Path) -> str:
        """The path of a folder below the top, with a slash at its end; "" for the top."""
        inside = folder.relative_to(self.top).as_posix()
        return "" if inside == "." else f"{inside}/"

    def why_unread(self) -> str:
        """Why its objects are not read; "" if they are. Those of another repository, reached by a
        file or a link, may not be shown here.
        """
        objects = self.common / "objects"
        is_linked = self.folder != self.common and self.folder.parent != self.common / "worktrees"
        if is_linked or objects.is_symlink() or os.path.lexists(objects / "info" / "alternates"):
            return "its objects are those of another repository"
        return ""

    def head(self) -> str | None:
        """The name of the commit that is checked out, read from files; None where there is none."""
        with suppress(OSError, ValueError, UnreadableError):
            said = _read(self.folder / "HEAD", MAX_HEAD)
            ref = said.removeprefix(b"ref: ").decode()
            if _REF.match(ref) and ".." not in ref:
                said = self._commit_of(ref)
            return said.decode() if _COMMIT.match(said) else None
        return None

    def _commit_of(self, ref: str) -> bytes:
        """The commit of a branch. Raises OSError and UnreadableError."""
        with suppress(FileNotFoundError):
            return _read(self.common / ref, MAX_HEAD)
        packed = _read(self.common / "packed-refs", MAX_PACKED_REFS).splitlines()
        commits = (line.partition(b" ") for line in packed)
        return next((commit for commit, _, name in commits if name == ref.encode()), b"")

    def is_locked(self) -> bool:
        """Whether git holds its lock, as it does while it writes files."""
        with suppress(OSError, ValueError):
            locked_at = (self.folder / "index.lock").stat().st_mtime
            return abs(time.time() - locked_at) < 2 * LOCK_SECONDS
        return False

    def stamp(self) -> Stat:
        """A value that changes when git has written files: the stat of its index, empty without
        one.
        """
        with suppress(OSError, ValueError):
            return packed((self.folder / "index").stat())
        return b""


class Checkout(NamedTuple):
    """What git has checked out around some folders. Another one follows when it begins to write
    files there, and when it has written them.
    """

    stamps: tuple[Stat, ...] = ()
    is_locked: bool = False
    """Whether git writes files there now."""

    @classmethod
    def now(cls, folders: Iterable[Path], trusted: Collection[str]) -> Checkout:
        """The one now. `trusted` are folders of other users that are allowed."""
        held = [
            repository
            for folder in dict.fromkeys(folders)
            if (repository := Repository.holding(folder, trusted)[0]) is not None
        ]
        return cls(
            tuple(repository.stamp() for repository in held),
            any(repository.is_locked() for repository in held),
        )


def _read(path: Path, limit: int) -> bytes:
    """A file without the line end at its end. Raises FileNotFoundError and UnreadableError."""
    return read_bounded(path, limit).rstrip(b"\r\n")


def run(
    repository: Repository,
    arguments: Iterable[str],
    caches: Path,
    env: Mapping[str, str],
    below: Path | None = None,
) -> bytes | None:
    """The output of a git command on a repository. None if it fails, prints more than `MAX_OUTPUT`
    bytes, or git is missing. Blocks. `caches` is the folder of the user's caches. The command sees
    the files `below` a folder of the working tree, or none.
    """
    git = _program(env.get("PATH", ""))
    if git is None:
        return None
    try:
        empty = _empty(caches)
        with subprocess.Popen(
            [git, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=below or empty / "tree",
            env=_environment(repository, empty, repository.top if below else empty / "tree", env),
        ) as process:
            _limit_memory(process.pid)
            killer = Timer(GIT_SECONDS, process.kill)
            killer.start()
            try:
                assert process.stdout is not None
                data = process.stdout.read(MAX_OUTPUT + 1)
                if len(data) <= MAX_OUTPUT and process.wait() == 0:
                    return data
            finally:
                killer.cancel()
                process.kill()
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        log.info("git could not be asked: %s", type(error).__name__)
    return None


def _limit_memory(pid: int) -> None:
    if sys.platform == "linux":
        from resource import RLIMIT_DATA, prlimit

        with suppress(OSError, ValueError):
            prlimit(pid, RLIMIT_DATA, (MAX_MEMORY, MAX_MEMORY))


def _environment(
    repository: Repository, empty: Path, tree: Path, env: Mapping[str, str]
) -> dict[str, str]:
    of = empty if repository.why_unread() else repository.common
    kept = {name: value for name, value in env.items() if not name.startswith("GIT_")}
    return kept | {
        "GIT_DIR": str(empty),
        "GIT_WORK_TREE": str(tree),
        "GIT_OBJECT_DIRECTORY": str(of / "objects"),
        "GIT_INDEX_FILE": str(repository.folder / "index"),
        "GIT_SHALLOW_FILE": str(repository.common / "shallow"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_ALLOW_PROTOCOL": "",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_PAGER": "",
        "LC_ALL": "C",
    }


def _empty(caches: Path) -> Path:
    """The path of the empty repository, made if it is missing. Raises OSError."""
    empty = caches / "empty.git"
    for folder in (caches, empty, empty / "objects", empty / "refs", empty / "tree"):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if is_others(empty.lstat()):
        raise PermissionError("the empty repository may be another user's")
    for name, text in _EMPTY_FILES.items():
        file = empty / name
        if not file.is_file() or file.read_text("utf-8") != text:
            file.write_text(text, "utf-8")
            file.chmod(0o600)
    return empty


@cache
def _program(path: str) -> str | None:
    """The absolute path of git. A relative entry of PATH would be a folder of the workspace."""
    folders = [folder for folder in path.split(os.pathsep) if os.path.isabs(folder)]  # noqa: PTH117
    return shutil.which("git", path=os.pathsep.join(folders)) if folders else None
