"""Finds the file of the workspace that a text means: by a source's locator, a path, or a dotted
module. Compares paths only.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlparse

from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.workspace.file_kinds import (
    is_for_names,
    is_test,
    language_of,
    module_of,
    tested_name,
    words_of,
)
from vouch_sidecar.workspace.file_list import Files, path_below
from vouch_sidecar.workspace.names_in_text import NameInText, parts_of

MAX_LOCATOR = 4096
MAX_PARTS = 64
MAX_COMPARED_FILES = 200
"""Files of one name whose content is compared with that of a source."""
MAX_OF_ONE_NAME = 3
"""The most files that may have a name; a name that more have means none of them."""
MAX_ABOVE = 3
"""Parts of a path whose words, joined, a test may have as its name."""
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


class Locator:
    """Finds files of one workspace. `root` is a real path."""

    def __init__(self, root: Path, files: Files) -> None:
        self.root = root
        self.files = files

    def make_ready(self) -> None:
        """Build all look-ups."""
        self.files.make_ready()
        _ = self._modules, self._called

    def of_source(self, locator: str) -> str | None:
        """The file that a source's locator means: the path below the root; else the longest end of
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
        for written in dict.fromkeys((path, path.partition("#")[0], _AT_LINE.sub("", path))):
            ending = self._ending(written.replace("\\", "/"))
            if ending is not None:
                return ending
        return None

    def _ending(self, path: str) -> str | None:
        inside = path_below(self.root, path)
        if inside is not None and (file := self.files.find(inside)) is not None:
            return file
        if _BLANK.search(path) and not path.startswith("/"):
            return None  # a captured question that holds a path
        parts = [part for part in os.path.normpath(path).split("/") if part not in ("", ".", "..")]
        if not parts or KB_DIRNAME in parts:
            return None
        for start in range(max(0, len(parts) - MAX_PARTS), len(parts)):
            file = self.files.find("/".join(parts[start:]))
            if file is not None:
                return file
        paths = self.files.with_name(parts[-1])
        return paths[0] if len(paths) == 1 else None

    def listed(self, name: str) -> str | None:
        """The only listed file that is called so, by its path or the end of it; a bare word names
        one at the root alone.
        """
        path = _AT_LINE.sub("", name).removeprefix("./")
        if self.files.find(path) is None and (path.isidentifier() or not path.strip(".")):
            return None
        several = [] if "*" in path else self.files.ending(path)
        return several[0] if len(several) == 1 else self.files.find(path)

    def named_by(self, name: NameInText) -> list[str]:
        """The files or folders that a name leads to by itself: a path or a module."""
        if name.kind == "identifier" and len(parts_of(name.text)) > 1:
            return self.of_module(name.text)
        path = self.of_path(name.text, folders=name.whole) if name.kind == "path" else None
        return [] if path is None else [path]

    def of_path(self, name: str, *, folders: bool = True) -> str | None:
        """The file, or if `folders` count the folder with a slash at its end, that a path in a text
        means. None if it may mean several, or one that ties no claim, such as a changelog.
        """
        path = name.rstrip(".").removeprefix("./").lstrip("/")
        folder, path = path.endswith("/"), path.rstrip("/")
        if not path or ".." in path.split("/"):
            return None
        if not folder and (file := self._one(path)) is not None:
            return file if is_for_names(file) else None
        return self.of_folder(path) if folders and (folder or "/" in path) else None

    def _one(self, path: str) -> str | None:
        file = self.files.find(path)
        if file is not None:
            return file
        several = self.files.ending(path)
        if len(several) > 1:
            several = [path for path in several if not is_test(path) and is_for_names(path)]
        return several[0] if len(several) == 1 else None

    def of_folder(self, path: str) -> str | None:
        """The only folder whose path has this end, with a slash behind it; None if that is large,
        or if there are several.
        """
        counts = self.files.folders
        several = [path] if path in counts else self.files.folders_ending(path)
        if len(several) > 1:
            several = [folder for folder in several if not is_test(f"{folder}/x")]
        if len(several) != 1 or counts[several[0]] > MAX_FOLDER:
            return None
        return f"{several[0]}/" if is_for_names(f"{several[0]}/x.x") else None

    def called(self, name: str) -> list[str]:
        """The files with this name, however its words are joined; empty if too many have it."""
        paths = self._called[0].get(words_of(name[:MAX_LOCATOR]), [])
        return paths if len(paths) <= MAX_OF_ONE_NAME else []

    def file_under_test(self, path: str) -> str | None:
        """The only file whose name a test has, as `test_net_wire` has that of `net/wire`; if there
        are several, the one in the test's folder.
        """
        name, folder = tested_name(path), path.rpartition("/")[0]
        tested = [file for by_name in self._called for file in by_name.get(name, ())]
        tested = [file for file in tested if language_of(file)]
        if len(tested) > 1:
            tested = [file for file in tested if file.rpartition("/")[0] == folder]
        return tested[0] if name and len(tested) == 1 else None

    def of_module(self, name: str) -> list[str]:
        """The file that the longest beginning of a dotted name is imported from; for a package also
        its folder, with a slash at its end.
        """
        parts = [part for part in parts_of(name) if part]
        for end in range(min(len(parts), MAX_PARTS), 1, -1):
            wanted = "/".join(parts[:end])
            modules = [
                (module, path)
                for module, path in self._modules.get(parts[end - 1], ())
                if module == wanted or module.endswith(f"/{wanted}")
            ]
            if len(modules) > 1:
                modules = [module for module in modules if not is_test(module[1])]
            if len(modules) == 1:
                module, path = modules[0]
                folder = self.of_folder(module) if end == len(parts) else None
                return [path, folder] if folder and path.startswith(folder) else [path]
            if modules:
                return []
        return []

    @cached_property
    def _called(self) -> tuple[dict[str, list[str]], ...]:
        """Files by the words of their names, without tests; then also with those of the folder
        above, and so on.
        """
        called: tuple[dict[str, list[str]], ...] = tuple({} for _ in range(MAX_ABOVE))
        for path in self.files.paths:
            if is_for_names(path) and not is_test(path):
                parts = (module_of(path) or path.rpartition(".")[0] or path).split("/")
                for above, by_name in enumerate(called[: len(parts)], 1):
                    words = "_".join(filter(None, map(words_of, parts[-above:])))
                    by_name.setdefault(words, []).append(path)
        return called

    @cached_property
    def _modules(self) -> dict[str, list[tuple[str, str]]]:
        """Modules and their files, by the last part of the module's name."""
        by_name: dict[str, list[tuple[str, str]]] = {}
        for path in self.files.paths:
            if (module := module_of(path)) is not None and is_for_names(path):
                by_name.setdefault(module.rpartition("/")[2], []).append((module, path))
        return by_name
