"""Lists and reads the files of a workspace. Executes nothing, follows no link, enters no
submodule.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path

from vouch_sidecar.kb.discovery import is_in_kb, is_skipped
from vouch_sidecar.kb.safe_files import Stat, UnreadableError, read_below, stat_of_regular
from vouch_sidecar.kb.sanitize import LONE_SURROGATE
from vouch_sidecar.workspace.files import MAX_LISTED_PATH
from vouch_sidecar.workspace.git import Repository, run

MAX_BYTES = 1 << 20
"""Bytes that a file may have to be read; larger files are known by name alone."""
MAX_FILES = 200_000
MAX_FOLDERS = 50_000


def stat_of(tree: Path, relative: str) -> Stat | None:
    """The stat of a regular file; None for anything else."""
    with suppress(OSError, ValueError, UnreadableError):
        return stat_of_regular(os.lstat(tree / relative))
    return None


def read_file(tree: Path, relative: str) -> bytes | None:
    """The bytes of a file of at most `MAX_BYTES`; None where it can't be read."""
    with suppress(OSError, UnreadableError):
        return read_below(tree, relative, MAX_BYTES)
    return None


def list_files(
    tree: Path, repository: Repository | None, caches: Path | None, env: Mapping[str, str]
) -> tuple[str, ...]:
    """The paths of the files below a folder, sorted: those that git tracks or would take in;
    without git, or a folder of caches to run it from, those that a bounded walk finds. Blocks.
    """
    paths: Iterable[str] | None = None
    if repository is not None and caches is not None:
        paths = _listed(repository, tree, caches, env)
    found = _walked(tree) if paths is None else paths
    return tuple(sorted({*islice(found, MAX_FILES)}))


def _listed(
    repository: Repository, tree: Path, caches: Path, env: Mapping[str, str]
) -> Iterator[str] | None:
    """The regular files below a folder that git tracks or would take in; None where git can't be
    asked.
    """
    arguments = ["ls-files", "-z", "-t", "--cached", "--others", "--exclude-standard"]
    has_index = (repository.folder / "index").is_file()
    data = run(repository, arguments, caches, env, below=tree) if has_index else None
    if data is None:
        return None

    def is_there(tag: str, path: str) -> bool:
        """A sparse checkout leaves files out (S): those are not removed."""
        is_new = tag == "?" and any(map(_is_passed_over, path.split("/")[:-1]))
        return not is_new and (tag == "S" or stat_of(tree, path) is not None)

    entries = (entry.partition(" ") for entry in os.fsdecode(data).split("\0"))
    return (path for tag, _, path in entries if _may_be_listed(path) and is_there(tag, path))


def _may_be_listed(path: str) -> bool:
    """Whether a path is of a form that claims can name, and in no knowledge base."""
    is_line = "\n" not in path and LONE_SURROGATE.search(path) is None
    return is_line and 0 < len(path) <= MAX_LISTED_PATH and not is_in_kb(path)


def _walked(tree: Path) -> Iterator[str]:
    """The regular files below a folder, without those of hidden folders, packages and builds."""
    for folder, folders, names in islice(os.walk(tree), MAX_FOLDERS):
        folders[:] = sorted(name for name in folders if not _is_passed_over(name))
        below = Path(folder).relative_to(tree)
        paths = ((below / name).as_posix() for name in names if name != ".git")
        yield from (path for path in paths if _may_be_listed(path) and stat_of(tree, path))


def _is_passed_over(name: str) -> bool:
    """Whether the files in folders of this name are left out, unless git tracks them."""
    return is_skipped(name) and name != ".github"
