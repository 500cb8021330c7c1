"""Lists and reads the files of a workspace. Executes nothing, follows no link, enters no
submodule.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.discovery import SKIPPED
from vouch_sidecar.kb.gitignore import Rules, is_ignored, rules_in
from vouch_sidecar.kb.safe_files import Stat, UnreadableError, packed, read_below
from vouch_sidecar.workspace.file_kinds import ending_of
from vouch_sidecar.workspace.git import Repository, run

MAX_BYTES = 1 << 20
"""Bytes that a file may have to be read; larger files are known by name alone."""
MAX_FILES = 200_000
MAX_FOLDERS = 50_000
MAX_CHECKS = 20_000_000
"""How often a walk may ask a rule of an ignore file about a path: thousands of rules, asked about
each of many files, take hours.
"""
MAX_LISTED_PATH = 1024
IGNORE_FILES = (".gitignore", ".ignore")


@dataclass(frozen=True, eq=False)
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
    _known: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_known", frozenset(self.paths))

    def __contains__(self, path: str) -> bool:
        return path in self._known

    def is_same_as(self, other: Files) -> bool:
        """Whether another list was made in the same way and has the same paths."""
        how = (self.tracked, self.prefix, self.is_cut, self.stamp)
        return how == (other.tracked, other.prefix, other.is_cut, other.stamp) and (
            self.paths == other.paths
        )

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
    """The files below a folder: from git's index, else found by a bounded walk. Where files of the
    index were removed from the working tree, the walk finds where they may have gone: new files
    with the same ending count, too. Blocks.
    """
    stamp = stamp_of(root, trusted)
    repository = Repository.holding(root, trusted)
    if repository is not None and caches is not None:
        top = os.path.realpath(repository.top)
        inside = os.path.relpath(os.path.realpath(root), top).replace(os.sep, "/")
        prefix = "" if inside == "." else f"{inside}/"
        listed = _listed(repository, prefix, caches, env)
        if listed is not None:
            paths, removed = listed
            if endings := set(map(ending_of, removed)):
                new = (path for path in _Walk(root, True).files() if ending_of(path) in endings)
                paths = list(dict.fromkeys([*paths, *new]))[:MAX_FILES]
            return Files(tuple(sorted(paths)), tracked=True, prefix=prefix, stamp=stamp)
    is_inside = any(os.path.lexists(above / ".git") for above in (root, *root.parents))
    walk = _Walk(root, is_inside)
    return Files(tuple(sorted(walk.files())), is_cut=walk.is_cut, stamp=stamp)


def _listed(
    repository: Repository, prefix: str, caches: Path, env: Mapping[str, str]
) -> tuple[list[str], list[str]] | None:
    """The regular files of git's index whose path begins so, and those of them that were removed
    from the working tree; None where git can't be asked.
    """
    if not repository.index.is_file():
        return None
    data = run(repository, ["ls-files", "-z", "-t", "--stage"], caches, env)
    if data is None:
        return None
    listed, removed = [], []
    for entry in data.split(b"\0"):
        head, _, name = entry.partition(b"\t")
        tag, _, mode = head.partition(b" ")
        if not mode.startswith(b"100"):
            continue
        path = _text(name)
        if path is None or not (path.startswith(prefix) and _may_be_listed(path[len(prefix) :])):
            continue
        # a sparse checkout leaves files out (S): those are not removed
        if tag == b"S" or os.path.lexists(f"{repository.top}/{path}"):
            listed.append(path[len(prefix) :])
        else:
            removed.append(path[len(prefix) :])
        if len(listed) >= MAX_FILES:
            break
    return list(dict.fromkeys(listed)), removed


def _text(name: bytes) -> str | None:
    """A path as text; None for one that is not UTF-8: no claim could name it."""
    try:
        return name.decode()
    except UnicodeDecodeError:
        return None


def _may_be_listed(path: str) -> bool:
    """Whether a path is of a form that claims can name, and in no knowledge base."""
    return len(path) <= MAX_LISTED_PATH and KB_DIRNAME not in path.split("/") and "\n" not in path


class _Folder(NamedTuple):
    """A folder to be walked, with a slash at its end, and the ignore rules of the folders above."""

    path: str
    stack: tuple[Rules, ...]


class _Walk:
    """Finds the regular files below a folder that no ignore file names. Folders of other
    repositories are entered only where the root stands `inside` of none.
    """

    def __init__(self, root: Path, inside: bool) -> None:
        self._root = root
        self._inside = inside
        self._folders = [_Folder("", ())]
        self.is_cut = False
        """Whether a limit ended the walk."""

    def files(self) -> Iterator[str]:
        """The paths of the files."""
        files, folders, checks = MAX_FILES, MAX_FOLDERS, MAX_CHECKS
        while self._folders:
            folder = self._folders.pop()
            folders -= 1
            entries = self._entries(folder.path)
            names = {entry.name for entry in entries}
            if folder.path and ".git" in names and self._inside:
                continue
            stack = (*folder.stack, *_rules(self._root, folder.path, names))
            for entry in entries:
                checks -= sum(len(rules.rules) for rules in stack)
                if min(files, folders, checks) < 0:
                    self.is_cut = True
                    return
                path = f"{folder.path}{entry.name}"
                is_folder = entry.is_dir(follow_symlinks=False)
                if not _is_walked(path, is_folder, stack):
                    continue
                if is_folder:
                    self._folders.append(_Folder(f"{path}/", stack))
                elif entry.is_file(follow_symlinks=False):
                    files -= 1
                    yield path

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        with suppress(OSError), os.scandir(self._root / folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
        return []


def _is_walked(path: str, is_folder: bool, stack: Sequence[Rules]) -> bool:
    """Whether a walk enters a folder, or lists a file."""
    name = path.rpartition("/")[2]
    if is_folder and (name in SKIPPED or (name.startswith(".") and name != ".github")):
        return False
    if name == ".git":
        return False
    return _is_text(path) and _may_be_listed(path) and not is_ignored(path, is_folder, stack)


def is_to_list(root: Path, path: str) -> bool:
    """Whether there is a file that a walk lists, or a folder that it enters."""
    names, stack, above = path.split("/"), list[Rules](), ""
    if not (stat_of(root, path) or (root / path).is_dir()):
        return False
    for name in names:
        stack += _rules(root, above, IGNORE_FILES)
        is_folder = stat_of(root, f"{above}{name}") is None
        if (root / above / name).is_symlink() or not _is_walked(f"{above}{name}", is_folder, stack):
            return False
        above += f"{name}/"
    return True


def _rules(root: Path, folder: str, names: Container[str]) -> Iterator[Rules]:
    """The rules that the ignore files of a folder give."""
    for name in IGNORE_FILES:
        if name in names and (content := read_file(root, f"{folder}{name}")) is not None:
            yield rules_in(folder, content[0].decode("utf-8", "replace"))


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
