"""Where a knowledge base is, and which of its files is what: vouch 1.5.0's rules."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from vouch_sidecar.kb.files import Stat, UnreadableError, read_bounded, root_of, stat_inside
from vouch_sidecar.kb.large import make_room
from vouch_sidecar.kb.records import Key, Kind, Problem, Severity

__all__ = [
    "CONFIG",
    "FOLDERS",
    "KB_DIRNAME",
    "MAX_FILES",
    "Survey",
    "below",
    "classify",
    "discover",
    "is_folder",
    "scan",
    "start_folder",
    "survey",
    "usual_key",
    "usual_path",
]

KB_DIRNAME = ".vouch"
UNINTERESTING = frozenset({"node_modules", "__pycache__", "venv", "site-packages", "target"})
CONFIG = "config.yaml"
MAX_FILES = 400_000
_ROOM_FOR = 8_000
"""Files after which memory is at hand for all of them anew."""

FOLDERS = {
    "entities": (Kind.ENTITY, ".yaml"),
    "pages": (Kind.PAGE, ".md"),
    "relations": (Kind.RELATION, ".yaml"),
    "evidence": (Kind.EVIDENCE, ".yaml"),
    "sessions": (Kind.SESSION, ".yaml"),
    "claims": (Kind.CLAIM, ".yaml"),
}
"""The folders in the order in which they are read: claims after what they are linked to."""
_FOLDER_OF = {kind: (folder, suffix) for folder, (kind, suffix) in FOLDERS.items()}


def discover(
    start: Path | None, *, env: Mapping[str, str], home: Path | None = None
) -> Path | None:
    """The folder that holds the `.vouch/` in charge of `start`; None where there is none.

    As vouch: `VOUCH_KB_PATH` decides alone; without `start`, `VOUCH_PROJECT_DIR` or else the
    working directory is where the walk begins; it ends at the home folder, whose own `.vouch/`
    serves nothing below unless its config allows it.
    """
    try:
        if forced := env.get("VOUCH_KB_PATH"):
            return _forced(Path(forced))
        return _walk((start or start_folder(env)).resolve(), _home(env, home))
    except (OSError, RuntimeError, ValueError):
        return None


def _forced(path: Path) -> Path | None:
    kb_dir = path.resolve()
    return kb_dir.parent if kb_dir.is_dir() and kb_dir.name == KB_DIRNAME else None


def start_folder(env: Mapping[str, str]) -> Path:
    """Where to look from when nobody says: `VOUCH_PROJECT_DIR`, or else the working directory."""
    named = env.get("VOUCH_PROJECT_DIR")
    return Path(named) if named and Path(named).is_dir() else Path.cwd()


def _home(env: Mapping[str, str], home: Path | None) -> Path | None:
    try:
        return (home or (Path(env["HOME"]) if env.get("HOME") else Path.home())).resolve()
    except (RuntimeError, OSError):
        return None


def _walk(origin: Path, home: Path | None) -> Path | None:
    for folder in (origin, *origin.parents):
        if _is_dir(folder / KB_DIRNAME):
            refused = folder == home and origin != home and not _allows_home(folder)
            return None if refused else folder
        if folder == home:
            return None
    return None


def below(folder: Path, *, depth: int = 3, most: int = 2_000) -> list[Path]:
    """The folders that hold a `.vouch/`, from a folder downward: a cheap look, bounded in depth
    and in folders, past hidden ones and those of package managers.
    """
    found: list[Path] = []
    level, looked_at = [folder], 0
    for _ in range(depth + 1):
        following: list[Path] = []
        for here in level:
            looked_at += 1
            if looked_at > most:
                return found
            if _is_dir(here / KB_DIRNAME):
                found.append(here.resolve())
            following += _subfolders(here)
        level = following
    return found


def _subfolders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            names = [
                e.name
                for e in entries
                if not e.name.startswith(".")
                and e.name not in UNINTERESTING
                and e.is_dir(follow_symlinks=False)
            ]
    except OSError:
        return []
    return [folder / name for name in sorted(names)]


def _is_dir(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _allows_home(home: Path) -> bool:
    from vouch_sidecar.kb.document import (  # rare, and YAML is slow
        MAX_YAML,
        DocumentError,
        decode,
        load,
    )

    try:
        kb_dir = home / KB_DIRNAME
        data, _ = read_bounded(kb_dir / CONFIG, MAX_YAML, kb_dir=kb_dir)
        config = load(decode(data)).value
    except (OSError, UnreadableError, DocumentError):
        return False
    section = config.get("global") if isinstance(config, dict) else None
    return isinstance(section, dict) and section.get("allow_home_kb") is True


def classify(relative: PurePosixPath | str) -> Kind | None:
    """Which kind of artifact a path below `.vouch/` holds; None for any other file."""
    parts = str(relative).split("/")
    if len(parts) == 3 and parts[0] == "sources" and parts[1] and parts[2] == "meta.yaml":
        return Kind.SOURCE
    if len(parts) != 2 or parts[0] not in FOLDERS:
        return None
    kind, suffix = FOLDERS[parts[0]]
    return kind if parts[1].endswith(suffix) and parts[1] != suffix else None


def usual_key(relative: str) -> Key:
    """The key of what an artifact file holds whose name is its artifact's id."""
    folder, name, *_ = relative.split("/")
    if folder == "sources":
        return Kind.SOURCE, name
    kind, suffix = FOLDERS[folder]
    return kind, name.removesuffix(suffix)


def usual_path(kind: Kind, artifact_id: str) -> str:
    """The path below `.vouch/` of the file that is named like its artifact's id."""
    if kind == Kind.SOURCE:
        return f"sources/{artifact_id}/meta.yaml"
    folder, suffix = _FOLDER_OF[kind]
    return f"{folder}/{artifact_id}{suffix}"


def is_folder(relative: str) -> bool:
    """Whether a path below `.vouch/` is, or was, a folder that artifacts stand in."""
    parts = relative.strip("/").split("/")
    return parts in ([""], ["."]) or (
        len(parts) <= 2 and (parts[0] == "sources" or (len(parts) == 1 and parts[0] in FOLDERS))
    )


@dataclass(slots=True)
class Survey:
    """What is there: files by path below `.vouch/`, and what could not be looked at.

    `unreadable` are folders (with a trailing slash) and files that exist and can't be read; `same`
    counts the files that are not named, as they are known to stand like this.
    """

    files: dict[str, Stat] = field(default_factory=dict)
    same: int = 0
    problems: list[Problem] = field(default_factory=list)
    unreadable: set[str] = field(default_factory=set)

    def refuse(self, path: str, reason: str, *, unreadable: bool = True) -> None:
        if unreadable:
            self.unreadable.add(path)
        self.problems.append(Problem(path.rstrip("/"), reason, Severity.ERROR))


def scan(kb_dir: Path) -> dict[str, Stat]:
    """Size, time and inode of every artifact file and of `config.yaml`."""
    return survey(kb_dir).files


def survey(
    kb_dir: Path,
    *,
    only: Iterable[str] | None = None,
    known: Callable[[str, Stat], bool] | None = None,
    max_files: int = MAX_FILES,
) -> Survey:
    """As `scan`, with what stood in the way; `only` limits it to these paths below `.vouch/`.

    Files that vanish meanwhile are simply not there. Those that are `known` are only counted.
    """
    found = Survey()
    base, root = str(kb_dir), root_of(kb_dir)
    paths = _candidates(base, root, found) if only is None else _named(base, root, only)
    for path in paths:
        if found.same + len(found.files) >= max_files:
            reason = f"more than {max_files} files; the rest is not read"
            found.refuse("", reason, unreadable=False)
            break
        if (stat := _look_at(path, f"{base}/{path}", root, found)) is None:
            continue
        if known is not None and known(path, stat):
            found.same += 1
            continue
        if len(found.files) % _ROOM_FOR == 0:
            make_room(len(found.files), tables=1)
        found.files[path] = stat
    return found


_LEADS_OUT = "a symbolic link that leads out of the folder of the knowledge base"


def _named(base: str, root: str, paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        wanted = path == CONFIG or classify(path) is not None
        if wanted and _leads_inside(os.path.dirname(f"{base}/{path}"), root):  # noqa: PTH120
            yield path


def _candidates(base: str, root: str, found: Survey) -> Iterator[str]:
    """Path of everything whose name makes it an artifact file, and of the config."""
    yield CONFIG
    for folder, (_, suffix) in FOLDERS.items():
        for name in _names(base, folder, root, found):
            if name.endswith(suffix) and name != suffix:
                yield f"{folder}/{name}"
    for name in _names(base, "sources", root, found):
        yield f"sources/{name}/meta.yaml"


def _names(base: str, folder: str, root: str, found: Survey) -> Iterator[str]:
    path = f"{base}/{folder}"
    if not _leads_inside(path, root):
        found.refuse(f"{folder}/", _LEADS_OUT, unreadable=False)
        return
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                inside = folder != "sources" or not entry.is_symlink()
                if inside or _leads_inside(entry.path, root):
                    yield entry.name
                else:
                    found.refuse(f"{folder}/{entry.name}/", _LEADS_OUT, unreadable=False)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        found.refuse(f"{folder}/", f"can't be listed: {os.strerror(error.errno or 0).lower()}")


def _leads_inside(path: str, root: str) -> bool:
    real = os.path.realpath(path)
    return real == root or real.startswith(root.rstrip("/") + "/")


def _look_at(path: str, full: str, root: str, found: Survey) -> Stat | None:
    try:
        if not path.isascii():
            path.encode()
        return stat_inside(full, root)
    except UnicodeEncodeError:
        found.refuse("", "a file whose name is not UTF-8", unreadable=False)
    except UnreadableError as error:
        found.refuse(path, str(error))
    return None
