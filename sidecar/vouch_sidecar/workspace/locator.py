"""Finds the file of the workspace that a text means: by a source's locator, a path, or a dotted
module. Compares paths only: opens no file, and looks at nothing outside the root.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
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
from vouch_sidecar.workspace.names_in_text import parts_of

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


def _stem(path: str) -> str:
    """The path of a file without endings; for a package, that of its folder."""
    return module_of(path) or path.rpartition(".")[0] or path


def is_mere_name(locator: str) -> bool:
    """Whether a source's locator is the name of a file without its folder, as vouch's `ingest`
    writes it: any file with that name may be meant, or one of another folder altogether.
    """
    return bool(_name_in(locator))


def _name_in(locator: str) -> str:
    name = _AT_LINE.sub("", locator.strip().partition("#")[0])
    return "" if "/" in name or "\\" in name or _SCHEME.match(name) else name


class Locator:
    """Finds files of one workspace. `root` is a real path; a folder that has one of the
    repository's `own` names is all of it, and called by none.
    """

    def __init__(self, root: Path, files: Files, own: Iterable[str] = ()) -> None:
        self.root = root
        self.files = files
        self._own = frozenset(map(words_of, own))

    def make_ready(self) -> None:
        """Build all look-ups."""
        self.files.make_ready()
        _ = self._modules, self._called, self._folders_called, self._package_files

    def of_source(self, locator: str) -> str | None:
        """The file that a source's locator means: the path below the root; else the longest end of
        the path that exists; else the only file with that name.
        """
        paths = self.all_of_source(locator)
        return paths[0] if len(paths) == 1 else None

    def all_of_source(self, locator: str) -> tuple[str, ...]:
        """The files that a source's locator may mean. A mere name, as vouch's `ingest` writes it,
        may mean every file with that name.
        """
        path = self._of_source(locator)
        name = _name_in(locator)
        if not name:
            return () if path is None else (path,)
        paths = self.files.with_name(name)[:MAX_COMPARED_FILES]
        return tuple(dict.fromkeys([*([path] if path is not None else []), *paths]))

    def _of_source(self, locator: str) -> str | None:
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
        if inside is not None and (file := self._existing(inside)) is not None:
            return file
        if _BLANK.search(path) and not path.startswith("/") and not _SCHEME.match(path):
            return None  # a captured question that holds a path
        parts = [part for part in os.path.normpath(path).split("/") if part not in ("", ".", "..")]
        if not parts or KB_DIRNAME in parts:
            return None
        for start in range(max(0, len(parts) - MAX_PARTS), len(parts)):
            file = self._existing("/".join(parts[start:]))
            if file is not None:
                return file
        paths = self.files.with_name(parts[-1])
        return paths[0] if len(paths) == 1 else None

    def _existing(self, path: str) -> str | None:
        file = self.files.find(path)
        if file is None and self._exists(path):
            return path
        return file

    def _exists(self, path: str) -> bool:
        """Whether an unlisted file exists below the root, without a link on the way and outside
        other repositories.
        """
        at = os.fspath(self.root)
        *folders, name = path.split("/")
        try:
            for folder in folders:
                at = f"{at}/{folder}"
                if not stat.S_ISDIR(os.lstat(at).st_mode) or os.path.lexists(f"{at}/.git"):
                    return False
            return stat.S_ISREG(os.lstat(f"{at}/{name}").st_mode)
        except (OSError, ValueError):
            return False

    def listed(self, name: str) -> str | None:
        """The only listed file that is called so, by its path or the end of it; a bare word names
        one at the root alone.
        """
        path = _AT_LINE.sub("", name).removeprefix("./")
        if self.files.find(path) is None and (path.isidentifier() or not path.strip(".")):
            return None
        several = [] if "*" in path else self.files.ending(path)
        return several[0] if len(several) == 1 else self.files.find(path)

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

    def package_file(self, folder: str) -> list[str]:
        """The file that a folder, with a slash at its end, is imported from; empty if it is no
        package.
        """
        path = self._package_files.get(folder.rstrip("/"))
        return [] if path is None else [path]

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

    def file_under_test(self, path: str) -> str | None:
        """The only file whose name a test has, as `test_net_wire` has that of `net/wire`; if there
        are several, the one in the test's folder.
        """
        name = tested_name(path)
        paths = self._called.get(name, ()) if name else ()
        tested = [path for path in paths if language_of(path) and not is_test(path)]
        if len(tested) > 1:
            folder = path.rpartition("/")[0]
            tested = [path for path in tested if path.rpartition("/")[0] == folder]
        return tested[0] if len(tested) == 1 else None

    def called(self, name: str) -> list[str]:
        """The files with this name, however its words are joined; empty if too many have it."""
        wanted = words_of(name[:MAX_LOCATOR])
        paths = [path for path in self._called.get(wanted, ()) if not is_test(path)]
        paths = [path for path in paths if words_of(_stem(path).rpartition("/")[2]) == wanted]
        return paths if len(paths) <= MAX_OF_ONE_NAME else []

    def folder_called(self, name: str) -> str | None:
        """The only folder with this name, however its words are joined, with a slash behind it;
        None if that is large, or if there are several.
        """
        folders = self._folders_called.get(words_of(name[:MAX_LOCATOR]), ())
        if len(folders) != 1 or self.files.folders[folders[0]] > MAX_FOLDER:
            return None
        return f"{folders[0]}/"

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
            modules = [module for module in modules if is_for_names(module[1])]
            if len(modules) > 1:
                modules = [module for module in modules if not is_test(module[1])]
            if len(modules) == 1:
                module, path = modules[0]
                folder = self.of_folder(module) if end == len(parts) else None
                package = folder is not None and path.startswith(folder)
                return [path, *([folder] if package and folder else [])]
            if modules:
                return []
        return []

    @cached_property
    def _called(self) -> dict[str, list[str]]:
        """Files by the words of their name, and of it with the folders above it."""
        by_name: dict[str, list[str]] = {}
        for path in self.files.paths:
            if not is_for_names(path):
                continue
            words = ""
            for part in reversed(_stem(path).split("/")[-MAX_ABOVE:]):
                words = "_".join(filter(None, (words_of(part), words)))
                by_name.setdefault(words, []).append(path)
        return by_name

    @cached_property
    def _folders_called(self) -> dict[str, list[str]]:
        """Folders by the words of their name, without those of tests and the repository's own."""
        by_name: dict[str, list[str]] = {}
        for folder in self.files.folders:
            words, inside = words_of(folder.rpartition("/")[2]), f"{folder}/x.x"
            if words not in self._own and is_for_names(inside) and not is_test(inside):
                by_name.setdefault(words, []).append(folder)
        return by_name

    @cached_property
    def _package_files(self) -> dict[str, str]:
        """By the folder of each package, the file that it is imported from."""
        modules = ((module_of(path), path) for path in self.files.paths)
        return {m: path for m, path in modules if m is not None and path.startswith(f"{m}/")}

    @cached_property
    def _modules(self) -> dict[str, list[tuple[str, str]]]:
        """Modules and their files, by the last part of the module's name."""
        by_name: dict[str, list[tuple[str, str]]] = {}
        for path in self.files.paths:
            if (module := module_of(path)) is not None:
                by_name.setdefault(module.rpartition("/")[2], []).append((module, path))
        return by_name
