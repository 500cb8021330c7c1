"""Tells which file of a knowledge base holds what, by the rules of vouch 1.5.0."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from vouch_sidecar.kb.discovery import CONFIG as CONFIG
from vouch_sidecar.kb.discovery import KB_DIRNAME as KB_DIRNAME
from vouch_sidecar.kb.discovery import is_in_kb
from vouch_sidecar.kb.paths import is_below
from vouch_sidecar.kb.records import Key, Kind, Problem
from vouch_sidecar.kb.safe_files import (
    LEADS_OUT,
    Stat,
    UnreadableError,
    root_of,
    stat_inside,
)
from vouch_sidecar.kb.sanitize import printable

CONTENT_NAME = "content"
"""The name of the file beside a source's record with the source's content."""
MAX_KB_FILES = 400_000
_SLUG_CHARS = 60

FOLDERS = {
    "entities": (Kind.ENTITY, ".yaml"),
    "pages": (Kind.PAGE, ".md"),
    "relations": (Kind.RELATION, ".yaml"),
    "evidence": (Kind.EVIDENCE, ".yaml"),
    "sessions": (Kind.SESSION, ".yaml"),
    "claims": (Kind.CLAIM, ".yaml"),
    "sources": (Kind.SOURCE, "/meta.yaml"),
}
"""The folders of artifacts, with what stands behind an artifact's name there, in the order in which
they are read.
"""
_COMPANION = re.compile(
    r"^[.~#]|^flycheck_"  # of editors and of file systems
    r"|_(?:backup|base|local|remote)_\d++\."  # of git mergetool
    r"|\.sync-conflict-\d|_conflict-\d|(?:conflicted copy|(?:case|sync) conflict)"  # of Syncthing…
    r"| - copy(?: \(\d++\))?\.| copy(?: \d++)?\.| \(\d++\)\.| \d\.",  # of file managers
    re.IGNORECASE,
)
"""What is in the name of a file that a program put beside an artifact."""
_FOLDER_OF = {kind: (folder, suffix) for folder, (kind, suffix) in FOLDERS.items()}


def classify(relative: PurePosixPath | str) -> Kind | None:
    """The kind of artifact that a file below `.vouch/` holds; None for other files, also those that
    lie beside an artifact: a lock or a swap file of an editor, metadata of a file system, a copy
    that a synchronisation, a merge or a file manager left.
    """
    folder, _, file = str(relative).partition("/")
    kind, suffix = FOLDERS.get(folder, (None, ""))
    name = file.removesuffix(suffix)
    if name in ("", file) or "/" in name:
        return None
    return None if kind is not Kind.SOURCE and _COMPANION.search(file) else kind


def is_read(relative: str) -> bool:
    """Whether a file below `.vouch/` is the config or holds an artifact."""
    return relative == CONFIG or classify(relative) is not None


def usual_key(relative: str) -> Key:
    """The key of the artifact in a file that is named like its artifact's id."""
    folder, _, name = relative.partition("/")
    kind, suffix = FOLDERS[folder]
    return kind, name.removesuffix(suffix)


def usual_path(kind: Kind, artifact_id: str) -> str:
    """The path below `.vouch/` of the file that is named like an artifact's id."""
    folder, suffix = _FOLDER_OF[kind]
    return f"{folder}/{artifact_id}{suffix}"


def read_with(relative: str) -> str | None:
    """The file to be read when a path below `.vouch/` changes: itself; for a source's content, the
    source's record. Empty, as in `store.EVERYTHING`, for a folder of artifacts; None for what holds
    nothing.
    """
    relative = relative.strip("/")
    first, *others = relative.split("/")
    is_folder = first in FOLDERS and len(others) <= (first == "sources")
    if is_folder or first in ("", "."):
        return ""
    if first == "sources" and others[1:] == [CONTENT_NAME]:
        return usual_path(Kind.SOURCE, others[0])
    return relative if is_read(relative) else None


@dataclass(slots=True)
class Survey:
    """The files by path below `.vouch/`, with an empty stat where one can't be looked at; the
    problems of folders and names; and the folders that exist but can't be listed, each with a slash
    at its end.
    """

    files: dict[str, Stat] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    unlisted: list[str] = field(default_factory=list)

    def refuse(self, path: str, reason: str) -> None:
        self.problems.append(Problem(printable(path), reason))


def survey(
    kb_dir: Path,
    *,
    only: Iterable[str] | None = None,
    max_files: int = MAX_KB_FILES,
) -> Survey:
    """Look for every artifact file and `config.yaml`, or only for the paths `only` below `.vouch/`.
    Files that vanish meanwhile count as absent.
    """
    result = Survey()
    base, root = str(kb_dir), root_of(kb_dir)
    named = (path for path in only or () if _is_wanted(path, base, root))
    for path in _candidates(base, root, result) if only is None else named:
        if len(result.files) >= max_files:
            result.refuse("", f"more than {max_files} files; the rest is not read")
            break
        full = f"{base}/{path}"
        try:
            path.encode()
            if (stat := stat_inside(full, base)) is not None:
                result.files[path] = stat + content_stat(path, full, base)
        except UnicodeEncodeError:
            result.refuse(path, "the name is not UTF-8")
        except UnreadableError:
            result.files[path] = b""
    return result


def content_stat(path: str, full: str, kb_dir: str | Path) -> Stat:
    """The stat of the content beside the source's record at `path` below `.vouch/`; empty where
    there is none, or for other files.
    """
    if path.startswith("sources/"):
        with suppress(UnreadableError):
            return stat_inside(content_beside(full), kb_dir) or b""
    return b""


def content_beside(path: str) -> str:
    """The path of the content of the source whose record has a path."""
    return f"{path.rpartition('/')[0]}/{CONTENT_NAME}"


def _is_wanted(path: str, base: str, root: str) -> bool:
    is_ours = "\0" not in path and is_read(path)
    return is_ours and _leads_inside(os.path.dirname(f"{base}/{path}"), root)  # noqa: PTH120


def _candidates(base: str, root: str, result: Survey) -> Iterator[str]:
    """The paths of the config, and of everything whose name makes it an artifact file."""
    yield CONFIG
    for folder, (_, suffix) in FOLDERS.items():
        inner = suffix if folder == "sources" else ""
        paths = (f"{folder}/{name}{inner}" for name in _names(base, folder, root, result))
        yield from filter(is_read, paths)


def _names(base: str, folder: str, root: str, result: Survey) -> Iterator[str]:
    path = f"{base}/{folder}"
    if not _leads_inside(path, root):
        result.refuse(folder, LEADS_OUT)
        return
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                inside = folder != "sources" or not entry.is_symlink()
                if inside or _leads_inside(entry.path, root):
                    yield entry.name
                else:
                    result.refuse(f"{folder}/{entry.name}", LEADS_OUT)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        result.unlisted.append(f"{folder}/")
        result.refuse(folder, f"can't be listed: {os.strerror(error.errno or 0).lower()}")


def _leads_inside(path: str, root: str) -> bool:
    return is_below(str(resolved(Path(path))), root)


def slug_of(text: str) -> str:
    """The id that vouch gives a claim with this text."""
    letters = "".join(sign if sign.isalnum() else "-" for sign in text.lower().strip())
    return "-".join(filter(None, letters.split("-")))[:_SLUG_CHARS] or "untitled"


def anchored(path: Path) -> Path:
    """A path with links resolved, except those below a `.vouch/`."""
    if not is_in_kb(path):
        return resolved(path)
    at = path.parts.index(KB_DIRNAME)
    return resolved(Path(*path.parts[:at])).joinpath(*path.parts[at:])


def resolved(path: Path) -> Path:
    """A path with links resolved. Unlike `Path.resolve`, does not raise for a link to itself. What
    can be no path stays as it is.
    """
    try:
        return Path(os.path.realpath(path))
    except ValueError:
        return path
