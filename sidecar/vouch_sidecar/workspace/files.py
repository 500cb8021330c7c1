"""The files of a workspace, and which of them a text means: by a source's locator, a path, or a
dotted module. Compares paths only.
"""

from __future__ import annotations

import os
import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from vouch_sidecar.kb.discovery import is_in_kb
from vouch_sidecar.kb.paths import is_below, path_in
from vouch_sidecar.workspace.file_kinds import (
    is_for_names,
    is_searched,
    is_test,
    module_of,
    name_of,
    tested_name,
    words_of,
)
from vouch_sidecar.workspace.names_in_text import NameInText, parts_of

MAX_LISTED_PATH = 1024
MAX_OF_ONE_NAME, MAX_TESTED = 3, 100
"""The most files that may have a name; a name that more have means none of them. A test in its
file's folder, or with further words, as `test_install_wheel` for `install/wheel`, finds one among
more.
"""
MAX_LOCATOR = 4096
MAX_PARTS = 64
MAX_FOLDER = 60
"""Files of a folder whose name ties a claim to each of them."""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_BLANK = re.compile(r"\s")
_ABSOLUTE = re.compile(r"/|[A-Za-z]:/")
_AT_LINE = re.compile(r"(?:#L?|:)(\d{1,7})(?:\Z|[-:,][\s\S]*+)")
_LINE = re.compile(r"\bL([1-9][0-9]{0,6})\b")


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
    def searched(self) -> tuple[str, ...]:
        """Those that are searched for what they define."""
        return tuple(filter(is_searched, self.paths))

    @cached_property
    def folders(self) -> Counter[str]:
        """The number of files in each folder and in the folders below it."""
        return Counter(folder for path in self.paths for folder in folders_of(path))

    def below(self, path: str) -> Sequence[str]:
        """The files of a folder, whose path has a slash at its end; of a file, this alone."""
        if not path.endswith("/"):
            return [path]
        first = bisect_left(self.paths, path)
        return self.paths[first : first + self.folders[path[:-1]]]

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

    def called(self, name: str, most: int = MAX_OF_ONE_NAME) -> list[str]:
        """The files with a name, however its words are joined, without tests; none if more than
        `most` have it.
        """
        several = self._by_words.get(words_of(name[:MAX_LISTED_PATH]), ())
        paths = [path for path in several if not is_test(path)]
        return paths if len(paths) <= most else []

    def of_source(self, tree: Path, locator: str) -> str | None:
        """The file that a source's locator means: the path below the tree (a real path); else the
        longest end of the path that exists; else the only file with that name.
        """
        if "\0" in locator or len(locator) > MAX_LOCATOR:
            return None
        path = path_in(locator.strip())
        if not path and _SCHEME.match(path := locator.strip()):
            return None
        forms = dict.fromkeys((path, path.partition("#")[0], _AT_LINE.sub("", path)))
        files = (self._of_locator(tree, written.replace("\\", "/")) for written in forms)
        return next(filter(None, files), None)

    def _of_locator(self, tree: Path, path: str) -> str | None:
        inside = path_below(tree, path)
        if inside is not None and (file := self.find(inside)) is not None:
            return file
        if _BLANK.search(path) and not _ABSOLUTE.match(path):
            return None  # a captured question that holds a path
        parts = [part for part in os.path.normpath(path).split("/") if part not in ("", ".", "..")]
        if not parts or is_in_kb("/".join(parts)):
            return None
        starts = range(max(0, len(parts) - MAX_PARTS), len(parts))
        files = (self.find("/".join(parts[start:])) for start in starts)
        called = self.ending(parts[-1])
        return next(filter(None, files), called[0] if len(called) == 1 else None)

    def listed(self, name: str) -> str | None:
        """The file that a path means, or the end of one, whatever signs it holds; a bare word means
        one at the top of the tree alone.
        """
        path = _AT_LINE.sub("", name)
        is_word = path.isidentifier() and self.find(path) is None
        return None if is_word else self.of_path(path, folders=False)

    def named_by(self, name: NameInText) -> list[str]:
        """The files or folders that a name leads to by itself: a path or a module."""
        if name.kind == "identifier":
            return self.of_module(name.text)
        path = self.of_path(name.text, folders=name.whole) if name.kind == "path" else None
        return [] if path is None else [path]

    def of_path(self, name: str, *, folders: bool = True) -> str | None:
        """The file, or if `folders` count the folder with a slash at its end, that a path in a text
        means. None if it may mean several, or one that ties no claim, such as a changelog.
        """
        path = name.rstrip(".").removeprefix("./").lstrip("/")
        is_folder, path = path.endswith("/"), path.rstrip("/")
        if not path or ".." in path.split("/"):
            return None
        file = None if is_folder else self.find(path) or _only(self.ending(path))
        if file is not None:
            return file if is_for_names(file) else None
        return self.of_folder(path) if folders and (is_folder or "/" in path) else None

    def of_folder(self, path: str) -> str | None:
        """The only folder whose path has this end, with a slash behind it; None if that is large,
        or if there are several.
        """
        counts, folder = self.folders, f"{path}/"
        if path not in counts:
            folder = _only(self.ending(folder)) or ""
        is_small = 0 < counts[folder[:-1]] <= MAX_FOLDER
        return folder if is_small and is_for_names(f"{folder}x.x") else None

    def file_under_test(self, path: str) -> str | None:
        """The only file whose name a test has, as `test_net_wire` has that of `net/wire`; if there
        are several, the one in the test's folder.
        """
        name, folder = tested_name(path), path.rpartition("/")[0]
        ends = [name[at:] for at in range(len(name)) if at == 0 or name[at - 1] == "_"]
        few, many = (
            [
                file
                for end in ends
                for file in self.called(end, most)
                if f"_{words_of(module_of(file) or '')}".endswith(f"_{name}")
            ]
            for most in (MAX_OF_ONE_NAME, MAX_TESTED)
        )
        few_here, many_here = (
            [file for file in each if file.rpartition("/")[0] == folder] for each in (few, many)
        )
        choices = (few, few_here, many if "_" in name else [], many_here)
        return next((files[0] for files in choices if len(files) == 1), None)

    def of_module(self, name: str) -> list[str]:
        """The file that the longest beginning of a dotted name is imported from; for a package also
        its folder, with a slash at its end.
        """
        parts = [part for part in parts_of(name) if part]
        for end in range(min(len(parts), MAX_PARTS), 1, -1):
            named = self._by_words.get(words_of(parts[end - 1]), ())
            tail = f"/{'/'.join(parts[:end])}"
            if paths := [path for path in named if f"/{module_of(path)}".endswith(tail)]:
                file = _only(paths) or ""
                folder = self.of_folder(module_of(file) or "") if end == len(parts) else None
                is_package = bool(folder) and file.startswith(folder or "")
                return [path for path in (file, folder if is_package else None) if path]
        return []

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        folders = (f"{folder}/" for folder in self.folders)
        return _grouped((_last(path), path) for path in (*self.paths, *folders))

    @cached_property
    def _by_words(self) -> dict[str, list[str]]:
        return _grouped(
            (words_of(name_of(path)), path) for path in filter(is_for_names, self.paths)
        )


def line_in(place: str) -> int | None:
    """The line in a locator such as `L12` or `L12-L20`."""
    line = _LINE.search(place[:MAX_LOCATOR])
    return int(line[1]) if line else None


def mere_name(locator: str) -> str:
    """The name of a file in a source's locator without a folder, as vouch's `ingest` writes it: any
    file with that name may be meant, or one of another folder altogether. "" for other locators.
    """
    name = _AT_LINE.sub("", locator.strip().partition("#")[0])
    return "" if "/" in name or "\\" in name or _SCHEME.match(name) else name


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


def path_below(tree: Path, path: str) -> str | None:
    """A path, absolute or relative to the tree, as one below it. None if it leads out of it
    or into a knowledge base. Opens nothing.
    """
    if not path or "\0" in path or len(path) > MAX_LISTED_PATH * 4:
        return None
    whole = os.path.normpath(os.path.join(tree, path))  # noqa: PTH118
    top = str(tree)
    if not is_below(whole, top):  # the caller may name the tree by another link, as /tmp on macOS
        folder, name = os.path.split(whole)
        with suppress(ValueError):  # of what is no text
            whole = os.path.join(os.path.realpath(folder), name)  # noqa: PTH118
    if not is_below(whole, top):
        return None
    relative = whole.removeprefix(top).replace(os.sep, "/").removeprefix("/")
    return relative if relative and not is_in_kb(relative) else None


def _only(paths: Sequence[str]) -> str | None:
    """The only one of some files or folders; if there are several, the only one that is no test
    and ties claims.
    """
    if len(paths) > 1:
        paths = [path for path in paths if not is_test(path) and is_for_names(path)]
    return paths[0] if len(paths) == 1 else None
