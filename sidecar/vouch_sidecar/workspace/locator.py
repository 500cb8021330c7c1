"""Finds the file of the workspace that a text means: by a source's locator, a path, or a dotted
module. Compares paths only.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlparse

from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.workspace.file_kinds import (
    is_for_names,
    is_test,
    module_of,
    tested_name,
    words_of,
)
from vouch_sidecar.workspace.file_list import Files, path_below
from vouch_sidecar.workspace.names_in_text import NameInText, parts_of

MAX_LOCATOR = 4096
MAX_PARTS = 64
MAX_FOLDER = 60
"""Files of a folder whose name ties a claim to each of them."""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_BLANK = re.compile(r"\s")
_AT_LINE = re.compile(r"(?:#L?|:)(\d{1,7})(?:\Z|[-:,][\s\S]*+)")
_LINE = re.compile(r"\bL([1-9][0-9]{0,6})\b")


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


@dataclass(frozen=True, slots=True)
class Locator:
    """Finds files of one workspace. `tree` is a real path."""

    tree: Path
    files: Files

    def of_source(self, locator: str) -> str | None:
        """The file that a source's locator means: the path below the tree; else the longest end of
        the path that exists; else the only file with that name.
        """
        if "\0" in locator or len(locator) > MAX_LOCATOR:
            return None
        path = locator.strip()
        if path.startswith("file:"):
            with suppress(ValueError):
                path = unquote(urlparse(path).path)
        elif _SCHEME.match(path):
            return None
        forms = dict.fromkeys((path, path.partition("#")[0], _AT_LINE.sub("", path)))
        files = (self._ending(written.replace("\\", "/")) for written in forms)
        return next(filter(None, files), None)

    def _ending(self, path: str) -> str | None:
        inside = path_below(self.tree, path)
        if inside is not None and (file := self.files.find(inside)) is not None:
            return file
        if _BLANK.search(path) and not path.startswith("/"):
            return None  # a captured question that holds a path
        parts = [part for part in os.path.normpath(path).split("/") if part not in ("", ".", "..")]
        if not parts or KB_DIRNAME in parts:
            return None
        starts = range(max(0, len(parts) - MAX_PARTS), len(parts))
        files = (self.files.find("/".join(parts[start:])) for start in starts)
        called = self.files.ending(parts[-1])
        return next(filter(None, files), called[0] if len(called) == 1 else None)

    def listed(self, name: str) -> str | None:
        """The only listed file that is called so, by its path or the end of it; a bare word names
        one at the top of the tree alone.
        """
        path = _AT_LINE.sub("", name).removeprefix("./")
        if self.files.find(path) is None and (path.isidentifier() or not path.strip(".")):
            return None
        several = [] if "*" in path else self.files.ending(path)
        return several[0] if len(several) == 1 else self.files.find(path)

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
        file = None if is_folder else self.files.find(path) or _only(self.files.ending(path))
        if file is not None:
            return file if is_for_names(file) else None
        return self.of_folder(path) if folders and (is_folder or "/" in path) else None

    def of_folder(self, path: str) -> str | None:
        """The only folder whose path has this end, with a slash behind it; None if that is large,
        or if there are several.
        """
        counts, folder = self.files.folders, f"{path}/"
        if path not in counts:
            folder = _only(self.files.ending(folder)) or ""
        is_small = 0 < counts[folder[:-1]] <= MAX_FOLDER
        return folder if is_small and is_for_names(f"{folder}x.x") else None

    def file_under_test(self, path: str) -> str | None:
        """The only file whose name a test has, as `test_net_wire` has that of `net/wire`; if there
        are several, the one in the test's folder.
        """
        name, folder = tested_name(path), path.rpartition("/")[0]
        ends = [name[at:] for at in range(len(name)) if at == 0 or name[at - 1] == "_"]
        files = (file for end in ends for file in self.files.called(end))
        tested = [
            file for file in files if f"_{words_of(module_of(file) or '')}".endswith(f"_{name}")
        ]
        if len(tested) > 1:
            tested = [file for file in tested if file.rpartition("/")[0] == folder]
        return tested[0] if len(tested) == 1 else None

    def of_module(self, name: str) -> list[str]:
        """The file that the longest beginning of a dotted name is imported from; for a package also
        its folder, with a slash at its end.
        """
        parts = [part for part in parts_of(name) if part]
        for end in range(min(len(parts), MAX_PARTS), 1, -1):
            if paths := self.files.modules_ending("/".join(parts[:end])):
                file = _only(paths) or ""
                folder = self.of_folder(module_of(file) or "") if end == len(parts) else None
                is_package = bool(folder) and file.startswith(folder or "")
                return [path for path in (file, folder if is_package else None) if path]
        return []


def _only(paths: Sequence[str]) -> str | None:
    """The only one of some files or folders; if there are several, the only one that is no test
    and ties claims.
    """
    if len(paths) > 1:
        paths = [path for path in paths if not is_test(path) and is_for_names(path)]
    return paths[0] if len(paths) == 1 else None
