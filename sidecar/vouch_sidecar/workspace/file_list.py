"""Lists and reads the files of a workspace. Executes nothing, follows no link, enters no
submodule.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.discovery import SKIPPED
from vouch_sidecar.kb.safe_files import Stat, UnreadableError, packed, read_below
from vouch_sidecar.workspace.file_kinds import (
    is_for_names,
    is_searched,
    is_test,
    module_of,
    name_of,
    words_of,
)
from vouch_sidecar.workspace.git import Repository, run

MAX_BYTES = 1 << 20
"""Bytes that a file may have to be read; larger files are known by name alone."""
MAX_FILES = 200_000
MAX_FOLDERS = 50_000
MAX_LISTED_PATH = 1024
MAX_OF_ONE_NAME = 3
"""The most files that may have a name; a name that more have means none of them."""
_ODD = re.compile(r"[\n\ud800-\udfff]")
"""What a path must not hold: a line end, and what is no UTF-8."""


@dataclass(frozen=True)
class Files:
    """The paths below the root of a workspace, sorted, with `/` between folders. Immutable."""

    paths: tuple[str, ...] = ()

    def __contains__(self, path: str) -> bool:
        return path in self._known

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.paths)

    @cached_property
    def searched(self) -> frozenset[str]:
        """Those that are searched for what they define."""
        return frozenset(filter(is_searched, self.paths))

    @cached_property
    def folders(self) -> Counter[str]:
        """The number of files in each folder and in the folders below it."""
        return Counter(folder for path in self.paths for folder in folders_of(path))

    def find(self, path: str) -> str | None:
        """The listed spelling of a path: the path itself, else the only listed one that differs
        just in case or Unicode form.
        """
        if path in self._known:
            return path
        wanted = folded(path)
        same = [file for file in self.ending(path) if folded(file) == wanted]
        return same[0] if len(same) == 1 else None

    def ending(self, path: str) -> list[str]:
        """The listed paths that equal this path, or end with a slash and this path, in any case and
        Unicode form. That of a folder has a slash at its end.
        """
        tail = f"/{folded(path)}"
        return [
            each for each in self._by_name.get(_last(path), ()) if f"/{folded(each)}".endswith(tail)
        ]

    def called(self, name: str) -> list[str]:
        """The files with a name, however its words are joined, without tests; none if too many have
        it.
        """
        several = self._by_words.get(words_of(name[:MAX_LISTED_PATH]), ())
        paths = [path for path in several if not is_test(path)]
        return paths if len(paths) <= MAX_OF_ONE_NAME else []

    def modules_ending(self, name: str) -> list[str]:
        """The files of the modules whose name is this path or ends with it."""
        paths = self._by_words.get(words_of(name.rpartition("/")[2]), ())
        return [path for path in paths if f"/{module_of(path)}".endswith(f"/{name}")]

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        folders = (f"{folder}/" for folder in self.folders)
        return _grouped((_last(path), path) for path in (*self.paths, *folders))

    @cached_property
    def _by_words(self) -> dict[str, list[str]]:
        return _grouped(
            (words_of(name_of(path)), path) for path in filter(is_for_names, self.paths)
        )


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for key, path in pairs:
        groups.setdefault(key, []).append(path)
    return groups


def _last(path: str) -> str:
    """The last part of a path, to compare by."""
    return folded(path.rstrip("/").rpartition("/")[2])


def folders_of(path: str) -> list[str]:
    """The folders around a file, from the innermost one on."""
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(len(parts) - 1, 0, -1)]


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
    if not whole.startswith(top):  # the caller may name the root by another link, as /tmp on macOS
        folder, name = os.path.split(whole)
        with suppress(ValueError):  # of what is no text
            whole = os.path.join(os.path.realpath(folder), name)  # noqa: PTH118
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


def list_files(
    root: Path, repository: Repository | None, caches: Path | None, env: Mapping[str, str]
) -> Files:
    """The files below a folder: those that git tracks or would take in; without git, or a folder of
    caches to run it from, those that a bounded walk finds. Blocks.
    """
    paths: Iterable[str] | None = None
    if repository is not None and caches is not None:
        paths = _listed(repository, root, caches, env)
    found = _walked(root) if paths is None else paths
    return Files(tuple(sorted({*islice(found, MAX_FILES)})))


def _listed(
    repository: Repository, root: Path, caches: Path, env: Mapping[str, str]
) -> Iterator[str] | None:
    """The regular files below a folder that git tracks or would take in; None where git can't be
    asked.
    """
    arguments = ["ls-files", "-z", "-t", "--cached", "--others", "--exclude-standard"]
    has_index = repository.index.is_file()
    data = run(repository, arguments, caches, env, below=root) if has_index else None
    if data is None:
        return None

    def is_there(tag: str, path: str) -> bool:
        """A sparse checkout leaves files out (S): those are not removed."""
        is_new = tag == "?" and any(map(_is_passed_over, path.split("/")[:-1]))
        return not is_new and (tag == "S" or stat_of(root, path) is not None)

    entries = (entry.partition(" ") for entry in os.fsdecode(data).split("\0"))
    return (path for tag, _, path in entries if _may_be_listed(path) and is_there(tag, path))


def _may_be_listed(path: str) -> bool:
    """Whether a path is of a form that claims can name, and in no knowledge base."""
    is_named = 0 < len(path) <= MAX_LISTED_PATH and _ODD.search(path) is None
    return is_named and KB_DIRNAME not in path.split("/")


def _walked(root: Path) -> Iterator[str]:
    """The regular files below a folder, without those of hidden folders, packages and builds."""
    for folder, folders, names in islice(os.walk(root), MAX_FOLDERS):
        folders[:] = sorted(name for name in folders if not _is_passed_over(name))
        below = Path(folder).relative_to(root)
        paths = ((below / name).as_posix() for name in names if name != ".git")
        yield from (path for path in paths if _may_be_listed(path) and stat_of(root, path))


def _is_passed_over(name: str) -> bool:
    """Whether a walk leaves out the folders of this name."""
    return name in SKIPPED or (name.startswith(".") and name != ".github")
