"""Lists and reads the files of a workspace. Executes nothing, follows no link, enters no
submodule.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.discovery import SKIPPED
from vouch_sidecar.kb.safe_files import Stat, UnreadableError, packed, read_below
from vouch_sidecar.workspace.git import Repository, run

MAX_BYTES = 1 << 20
"""Bytes that a file may have to be read; larger files are known by name alone."""
MAX_FILES = 200_000
MAX_FOLDERS = 50_000
MAX_LISTED_PATH = 1024


@dataclass(frozen=True)
class Files:
    """The paths below the root of a workspace, sorted, with `/` between folders. Immutable."""

    paths: tuple[str, ...] = ()
    tracked: bool = False
    """Whether git listed them."""
    prefix: str = ""
    """The path of the root below the top of the repository, with a slash at its end."""
    is_cut: bool = False
    """Whether a walk ended at a limit, so that files are missing."""
    stamp: Stat | None = None
    """Stat of git's index when they were listed."""
    _known: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_known", frozenset(self.paths))

    def __contains__(self, path: str) -> bool:
        return path in self._known

    def make_ready(self) -> None:
        """Build all look-ups."""
        _ = self._by_name, self._folders_by_name

    def with_name(self, name: str) -> list[str]:
        """The paths whose last part is this name, in any case and Unicode form."""
        return self._by_name.get(folded(name), [])

    def find(self, path: str) -> str | None:
        """The listed spelling of a path: the path itself, else the only listed one that differs
        just in case or Unicode form.
        """
        if path in self._known:
            return path
        wanted = folded(path)
        same = [file for file in self.with_name(path.rpartition("/")[2]) if folded(file) == wanted]
        return same[0] if len(same) == 1 else None

    def ending(self, path: str) -> list[str]:
        """The listed paths that equal this path, or end with a slash and this path."""
        wanted = folded(path)
        tail = f"/{wanted}"
        return [
            file
            for file in self.with_name(path.rpartition("/")[2])
            if folded(file) == wanted or folded(file).endswith(tail)
        ]

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        by_name: dict[str, list[str]] = {}
        for path in self.paths:
            by_name.setdefault(folded(path.rpartition("/")[2]), []).append(path)
        return by_name

    @cached_property
    def folders(self) -> dict[str, int]:
        """The number of files in each folder and in the folders below it."""
        counts: dict[str, int] = {}
        for path in self.paths:
            at = path.rfind("/")
            while at > 0:
                counts[path[:at]] = counts.get(path[:at], 0) + 1
                at = path.rfind("/", 0, at)
        return counts

    @cached_property
    def _folders_by_name(self) -> dict[str, list[str]]:
        by_name: dict[str, list[str]] = {}
        for folder in self.folders:
            by_name.setdefault(folded(folder.rpartition("/")[2]), []).append(folder)
        return by_name

    def folders_ending(self, path: str) -> list[str]:
        """The folders that equal this folder, or end with a slash and this folder."""
        wanted = folded(path)
        tail = f"/{wanted}"
        return [
            folder
            for folder in self._folders_by_name.get(wanted.rpartition("/")[2], [])
            if folded(folder) == wanted or folded(folder).endswith(tail)
        ]


def folded(path: str) -> str:
    """A path to compare by: file systems differ in case and Unicode form."""
    return path.lower() if path.isascii() else unicodedata.normalize("NFC", path).casefold()


def path_below(root: Path, path: str) -> str | None:
    """A path, absolute or relative to the root, as one below the root. None if it leads out of it
    or into a knowledge base. Opens nothing.
    """
    if not path or "\0" in path or len(path) > MAX_LISTED_PATH * 4:
        return None
    whole = os.path.normpath(os.path.join(root, path))  # noqa: PTH118
    top = str(root).rstrip(os.sep) + os.sep
    if not whole.startswith(top):
        # the caller may name the root by another link, as /tmp on macOS
        try:
            folder, name = os.path.split(whole)
            whole = os.path.join(os.path.realpath(folder), name)  # noqa: PTH118
        except (OSError, ValueError):
            return None
        if not whole.startswith(top):
            return None
    relative = whole[len(top) :].replace(os.sep, "/")
    return None if KB_DIRNAME in relative.split("/") else relative


def stat_of(root: Path, relative: str) -> Stat | None:
    """The stat of a regular file; None for anything else."""
    with suppress(OSError, ValueError):
        entry = os.lstat(root / relative)
        if stat.S_ISREG(entry.st_mode):
            return packed(entry)
    return None


def read_file(root: Path, relative: str) -> tuple[bytes, Stat] | None:
    """The bytes of a file of at most `MAX_BYTES`, and its stat; None where it can't be read."""
    with suppress(OSError, UnreadableError):
        return read_below(root, relative, MAX_BYTES)
    return None


def stamp_of(root: Path, trusted: Iterable[str] = ()) -> Stat | None:
    """A value that changes with git's index; None if there is no index."""
    repository = Repository.holding(root, trusted)
    with suppress(OSError, ValueError):
        return None if repository is None else packed(repository.index.stat())
    return None


def list_files(
    root: Path, caches: Path | None, env: Mapping[str, str], trusted: Iterable[str] = ()
) -> Files:
    """The files below a folder: those that git tracks or would take in; without git, those that a
    bounded walk finds. Blocks.
    """
    stamp = stamp_of(root, trusted)
    repository = Repository.holding(root, trusted)
    if repository is not None and caches is not None:
        top = os.path.realpath(repository.top)
        inside = os.path.relpath(os.path.realpath(root), top).replace(os.sep, "/")
        paths = _listed(repository, root, caches, env)
        if paths is not None:
            prefix = "" if inside == "." else f"{inside}/"
            return Files(tuple(sorted(paths)), tracked=True, prefix=prefix, stamp=stamp)
    found, is_cut = _walked(root)
    return Files(tuple(sorted(found)), is_cut=is_cut, stamp=stamp)


def _listed(
    repository: Repository, root: Path, caches: Path, env: Mapping[str, str]
) -> set[str] | None:
    """The regular files below a folder that git tracks or would take in; None where git can't be
    asked.
    """
    if not repository.index.is_file():
        return None
    arguments = ["ls-files", "-z", "-t", "--cached", "--others", "--exclude-standard"]
    data = run(repository, arguments, caches, env, below=root)
    if data is None:
        return None
    listed: set[str] = set()
    for entry in data.split(b"\0"):
        tag, _, name = entry.partition(b" ")
        path = _text(name)
        # a sparse checkout leaves files out (S): those are not removed
        if not path or not _may_be_listed(path) or (tag == b"?" and _is_below_skipped(path)):
            continue
        if tag == b"S" or stat_of(root, path) is not None:
            listed.add(path)
        if len(listed) >= MAX_FILES:
            break
    return listed


def _text(name: bytes) -> str | None:
    """A path as text; None for one that is not UTF-8: no claim could name it."""
    try:
        return name.decode()
    except UnicodeDecodeError:
        return None


def _may_be_listed(path: str) -> bool:
    """Whether a path is of a form that claims can name, and in no knowledge base."""
    return len(path) <= MAX_LISTED_PATH and KB_DIRNAME not in path.split("/") and "\n" not in path


def _walked(root: Path) -> tuple[list[str], bool]:
    """The regular files below a folder, without those of hidden folders, packages and builds; and
    whether a limit ended the walk. Folders of other repositories are entered only where the root
    stands inside of none.
    """
    inside = any(os.path.lexists(above / ".git") for above in (root, *root.parents))
    found: list[str] = []
    for number, (folder, folders, names) in enumerate(os.walk(root)):
        if number == MAX_FOLDERS:
            return found, True
        if number and inside and ".git" in {*folders, *names}:
            folders.clear()
            continue
        entered = (name for name in folders if _is_text(name) and not _is_passed_over(name))
        folders[:] = sorted(entered)
        below = os.path.relpath(folder, root).replace(os.sep, "/")
        for name in sorted(filter(_is_text, names)):
            path = name if number == 0 else f"{below}/{name}"
            if name != ".git" and _may_be_listed(path) and stat_of(root, path) is not None:
                found.append(path)
                if len(found) == MAX_FILES:
                    return found, True
    return found, False


def _is_below_skipped(path: str) -> bool:
    return any(map(_is_passed_over, path.split("/")[:-1]))


def _is_passed_over(name: str) -> bool:
    """Whether a walk leaves out the folders of this name."""
    return name in SKIPPED or (name.startswith(".") and name != ".github")


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
