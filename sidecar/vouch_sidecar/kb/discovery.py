"""Where the knowledge bases of a folder are. Standard library only: a hook pays for every import.

The rule: `VOUCH_KB_PATH` decides alone. Else the nearest `.vouch/` in the folder or above it, up to
the home folder and not past a folder of another user; else, in a linked working tree of git, that
of the repository. Else those below the folder, a few levels down, none in builds or packages.
`tests/kb/discovery_cases.json` has it as a table.

A knowledge base speaks of the files of its own folder, or of those of a working tree that is linked
to the same repository: `find` says which.

What another user owns is refused, as git refuses it: whoever may write into a shared folder would
write into this user's prompts. `trust.folders` names folders that count all the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from vouch_sidecar.kb.paths import is_below, path_in

KB_DIRNAME, CONFIG = ".vouch", "config.yaml"
FORCED = "VOUCH_KB_PATH"
"""Name of the variable that names the only `.vouch/` to serve."""
DEPTH = 3
"""Levels downward."""
MOST_FOLDERS = 500
SKIPPED = frozenset(
    "__pycache__ build dist node_modules out site-packages target vendor venv".split()
)
"""Names of folders of builds and package managers."""
TEMPORARY = ("/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp")
SETTINGS_PREFIX = "VOUCH_SIDECAR_"
"""What the names of settings in the environment begin with."""
TRUST = f"{SETTINGS_PREFIX}TRUST_FOLDERS"
ASKS_AS = "VOUCH_PROJECT", "VOUCH_AGENT"
"""Variables that say who asks, in the order of the fields of `Viewer`."""
SERVED_BY = FORCED, TRUST
SOUGHT_BY = *SERVED_BY, "HOME", "TMPDIR"
"""Variables of who asks that decide which knowledge bases are found from a folder; whether one that
was found is served, the former two decide.
"""
LOG, RESIDENT = f"{SETTINGS_PREFIX}LOG", f"{SETTINGS_PREFIX}HOOK_RESIDENT"
"""Names with that prefix which set nothing of what is said."""


PACKAGES = frozenset(
    "node_modules site-packages dist-packages vendor third_party bower_components Pods venv .venv"
    " .tox .nox .cargo .rustup .m2 .gradle .nuget .yarn .pnpm-store deps Carthage".split()
)
"""Names of folders of packages that somebody else wrote: a `.vouch/` in one is not this user's."""
MOST_TREES = 16
"""Working trees of one repository that are served from the folder around them."""
MODULES = f"{os.sep}.git{os.sep}modules{os.sep}"
"""In the path of the repository of a submodule, what stands behind the tree that it belongs to."""
MOST_POINTER = 4096
"""Bytes of a file of git that leads to a folder."""


def find(
    start: str | os.PathLike[str] | None,
    env: Mapping[str, str],
    trusted: Iterable[str] | None = None,
) -> Found:
    """What a search finds for who stands in a folder or reads a document; without `start`, for
    `start_folder`. `trusted` are folders of other users that are allowed, with everything below
    them, or `*`; by default those named in the environment.
    """
    finder = _Finder(env, values_in(env.get(TRUST, "")) if trusted is None else list(trusted))
    return Found(finder.placed(start), finder.refused, finder.roots)


def admitted(places: Iterable[BaseInTree], env: Mapping[str, str], trusted: Iterable[str]) -> Found:
    """Those that are there and may be served, of knowledge bases that somebody names."""
    finder = _Finder(env, list(trusted))
    served = [
        place
        for place in places
        if all(map(os.path.isabs, place)) and os.path.isdir(place.tree)
        if env.get(FORCED) or not is_refused(place.root, finder.trusted)
        if finder.holds_one(place.root)
    ]
    return Found(served, finder.refused)


def values_in(text: str) -> list[str]:
    """The values of a variable of the environment that is a list: between commas."""
    return [value for each in text.split(",") if (value := each.strip())]


class BaseInTree(tuple[str, str]):
    """The folder that holds a `.vouch/`, and the one whose files it speaks of, by real paths."""

    @property
    def root(self) -> str:
        return self[0]

    @property
    def tree(self) -> str:
        return self[1]


class Found:
    """The knowledge bases that serve somewhere, each with a working tree of which it speaks there,
    and the folders of those that are not served. `roots` are the folders of all that may be served,
    also of several in one working tree.
    """

    def __init__(
        self,
        places: Sequence[BaseInTree] = (),
        refused: Iterable[str] = (),
        roots: Sequence[str] = (),
    ) -> None:
        self.places, self.refused, self.roots = places, refused, roots


class _Finder:
    """`roots` lists the folders that were found, `refused` those that were not allowed."""

    def __init__(self, env: Mapping[str, str], trusted: list[str]) -> None:
        self.env, self.trusted = env, trusted
        self.roots: list[str] = []
        self.refused: list[str] = []

    def placed(self, start: str | os.PathLike[str] | None) -> list[BaseInTree]:
        """The knowledge bases, each with the working trees of which it speaks. Of several in one
        working tree the first one counts.
        """
        try:
            at = start_folder(self.env) if start is None else start
            home = os.path.realpath(self.env.get("HOME") or os.path.expanduser("~"))
            origin = os.path.realpath(at) if place_of(at) == home else place_of(at)
            if forced := self.env.get(FORCED):
                folder, name = os.path.split(os.path.realpath(forced))
                self.roots = [folder] if name == KB_DIRNAME and self.holds_one(folder) else []
            else:
                above = self._above(origin, home) or self._linked(origin, home)
                self.roots = self._below(origin, home) if above is None else [above]
        except (OSError, ValueError):  # no file is called so
            return []
        every = [
            BaseInTree((r, tree)) for r in self.roots for tree in _trees(r, origin, bool(forced))
        ]
        return [*{place.tree: place for place in reversed(every)}.values()][::-1]

    def _linked(self, origin: str, home: str) -> str | None:
        """The knowledge base that the main working tree, or the folder with the bare repository,
        has for a folder of a linked working tree.
        """
        top = working_tree(origin)
        common = None if top is None else _common_folder(top)
        if top is None or common is None or common == os.path.join(top, ".git"):
            return None
        main = os.path.dirname(common)
        return self._above(os.path.normpath(os.path.join(main, os.path.relpath(origin, top))), home)

    def _above(self, origin: str, home: str) -> str | None:
        """The nearest knowledge base in or above a folder. The one in the home folder serves
        folders below it only if its config says so.
        """
        folder, passed = origin, False
        while True:
            passed = passed or is_refused(folder, self.trusted)
            if passed and os.path.isdir(os.path.join(folder, KB_DIRNAME)):
                self.refused.append(folder)
                return None
            if not passed and self.holds_one(folder):
                return None if folder == home != origin and not _allows_home(folder) else folder
            parent = os.path.dirname(folder)
            if folder in (home, parent):
                return None
            folder = parent

    def _below(self, origin: str, home: str) -> list[str]:
        """The knowledge bases up to `DEPTH` levels down; none inside another, and none below the
        home folder or a temporary folder.
        """
        temporary = (*TEMPORARY, self.env.get("TMPDIR") or TEMPORARY[0])
        closed = {home, *map(os.path.realpath, temporary)}
        if origin in closed:
            return []
        roots: list[str] = []
        level, left = [origin], MOST_FOLDERS
        for _ in range(DEPTH):
            candidates = [folder for above in level for folder in _subfolders(above)]
            allowed = [folder for folder in candidates if folder not in closed][:left]
            left -= len(allowed)
            level = []
            for folder in allowed:
                if not is_refused(folder, self.trusted):
                    (roots if self.holds_one(folder) else level).append(folder)
                elif os.path.isdir(os.path.join(folder, KB_DIRNAME)):
                    self.refused.append(folder)
        return roots

    def holds_one(self, folder: str) -> bool:
        """Whether a folder has a `.vouch/` that may be served."""
        kb_dir = os.path.join(folder, KB_DIRNAME)
        if not os.path.isdir(kb_dir):
            return False
        if is_refused(kb_dir, self.trusted):
            self.refused.append(folder)
            return False
        return True


def is_refused(path: str, trusted: Iterable[str]) -> bool:
    """Whether a folder, or the link to it, belongs to neither this user nor root, and is not
    trusted.
    """
    return _is_foreign(path) and not any(_is_trusted(path, folder) for folder in trusted)


def _is_foreign(path: str) -> bool:
    is_owned = hasattr(os, "getuid") and os.path.isdir(path)
    return is_owned and not {os.lstat(path).st_uid, os.stat(path).st_uid} <= {0, os.getuid()}


def _is_trusted(path: str, folder: str) -> bool:
    folder = os.path.expanduser(folder.strip())
    return folder == "*" or (os.path.isabs(folder) and is_below(path, os.path.realpath(folder)))


def why_refused(folder: str) -> str:
    """A sentence that says why a folder's knowledge base is not served, and how to allow it."""
    from vouch_sidecar.kb.sanitize import printable  # a hook says nothing of this

    return (
        f"{printable(os.path.join(folder, KB_DIRNAME))} belongs to another user and is not served; "
        f"to allow it, name its folder in the setting trust.folders, or in {TRUST}"
    )


def why_none(found: Found, start: str | os.PathLike[str], env: Mapping[str, str]) -> str:
    """Says that no knowledge base is found from a folder, and why, where that is not that none is
    there.
    """
    reasons = list(map(why_refused, dict.fromkeys(found.refused)))
    if not reasons and (forced := env.get(FORCED)):
        reasons = [f"{FORCED} names {forced}, which is no .vouch folder; unset it, or name one"]
    return "; ".join([f"no knowledge base found from {os.fspath(start)}", *reasons])


def path_of(folder: str) -> str:
    """The path that a path or a file URI names; `~` is the home folder."""
    return os.path.expanduser(path_in(folder) or folder)


def place_of(path: str | os.PathLike[str]) -> str:
    """The real path of a file or folder; for what lies in a `.vouch/` that is a link, that of the
    folder with the link. Raises ValueError for what can be no path.
    """
    at, named = os.path.join(os.curdir, path), f"{os.sep}{KB_DIRNAME}{os.sep}"
    holder, below, _ = f"{at}{os.sep}".rpartition(named)
    real, link = os.path.realpath(at), f"{holder}{os.sep}{KB_DIRNAME}"
    if below and os.path.islink(link) and is_below(real, os.path.realpath(link)):
        return os.path.realpath(f"{holder}{os.sep}")
    return real


def start_folder(env: Mapping[str, str]) -> str:
    """The folder to start from by default: `VOUCH_PROJECT_DIR`, or else the working directory."""
    folder = env.get("VOUCH_PROJECT_DIR")
    return os.path.abspath(folder) if folder and os.path.isdir(folder) else os.getcwd()


def _subfolders(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(
                entry.path
                for entry in entries
                if not is_skipped(entry.name)
                and entry.name not in PACKAGES
                and entry.is_dir(follow_symlinks=False)
            )
    except OSError:
        return []


def is_skipped(name: str) -> bool:
    """Whether a walk leaves out the folders of this name: hidden ones, and those of builds and
    package managers.
    """
    return name.startswith(".") or name in SKIPPED


def working_tree(folder: str) -> str | None:
    """The nearest folder, from this one upward, with a `.git`."""
    while not os.path.lexists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return folder


def _trees(root: str, origin: str, is_forced: bool) -> list[str]:
    """The folders whose files the knowledge base in a folder speaks of, seen from another one."""
    try:
        top, around = working_tree(origin), working_tree(root)
        if top is None:
            return [root]
        common = _common_folder(top)
        if top == around:
            return _linked_trees(common) or [root]
        if around is not None and common is not None and common == _common_folder(around):
            tree = os.path.normpath(os.path.join(top, os.path.relpath(root, around)))
            return [tree if os.path.isdir(tree) else top]
        has_linked = common is not None and os.path.isdir(os.path.join(common, "worktrees"))
        is_beside = around is None and has_linked
        return [top] if (is_forced and not is_below(origin, root)) or is_beside else [root]
    except (OSError, ValueError):
        return [root]


def _linked_trees(common: str | None) -> list[str]:
    """The working trees linked to a bare repository; none for one that has files of its own.
    Raises OSError if there are none.
    """
    if common is None or os.path.isfile(os.path.join(common, "index")):
        return []
    folder, trees = os.path.join(common, "worktrees"), []
    for name in sorted(os.listdir(folder))[:MOST_TREES]:
        back = _pointer(os.path.join(folder, name, "gitdir"))
        tree = "" if back is None else os.path.dirname(os.path.realpath(back))
        if tree and _common_folder(tree) == common:
            trees.append(tree)
    return trees


def _common_folder(top: str) -> str | None:
    """The folder with the objects of the repository whose working tree has its top here."""
    folders = git_folders(top)
    return None if folders is None else folders[1]


def git_folders(top: str) -> tuple[str, str] | None:
    """The folder with the index, and the one with the objects, of the repository whose working tree
    has its top here; None if its `.git` is a link, or leads to a folder that does not lead back, as
    anybody could have written it.
    """
    git, top = os.path.join(top, ".git"), os.path.realpath(top)
    if os.path.islink(git):
        return None
    if os.path.isdir(git):
        return os.path.realpath(git), os.path.realpath(git)
    path = _pointer(git, "gitdir:")
    if path is None:
        return None
    folder = os.path.realpath(os.path.join(top, path))
    back = _pointer(os.path.join(folder, "gitdir"))
    if back is None:  # a bare repository below the folder itself, or a submodule of one above
        around, modules, _ = folder.partition(MODULES)
        is_ours = is_below(folder, top) or (modules and is_below(top, around))
        return (folder, folder) if is_ours else None
    if os.path.realpath(os.path.join(folder, back)) != os.path.realpath(git):
        return None
    common = _pointer(os.path.join(folder, "commondir"))
    return None if common is None else (folder, os.path.realpath(os.path.join(folder, common)))


def _pointer(path: str, key: str = "") -> str | None:
    """The path in a file of git, behind a key; None if there is no such file."""
    if not os.path.isfile(path):  # opening a FIFO would wait for a writer
        return None
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            said = file.read(MOST_POINTER).strip()
    except OSError:
        return None
    return said.removeprefix(key).strip() if said.startswith(key) and "\0" not in said else None


def is_in_kb(path: str | os.PathLike[str]) -> bool:
    """Whether a path is that of a `.vouch/`, or leads into one."""
    return KB_DIRNAME in os.fspath(path).replace(os.sep, "/").split("/")


def is_in_package(path: str | os.PathLike[str]) -> bool:
    """Whether a path lies below a folder of installed packages."""
    parts = os.fspath(path).split(os.sep)
    return not PACKAGES.isdisjoint(parts) or f"{os.sep}pkg{os.sep}mod{os.sep}" in os.fspath(path)


def _allows_home(home: str) -> bool:
    from pathlib import Path  # rare, and YAML is slow

    from vouch_sidecar.kb.safe_files import UnreadableError, read_bounded
    from vouch_sidecar.kb.yaml_document import MAX_YAML, DocumentError, YamlDocument, decode

    kb_dir = Path(home, KB_DIRNAME)
    try:
        data = read_bounded(kb_dir / CONFIG, MAX_YAML, kb_dir=kb_dir)
        config = YamlDocument(decode(data)).value
    except (OSError, UnreadableError, DocumentError):
        return False
    section = config.get("global") if isinstance(config, dict) else None
    return isinstance(section, dict) and section.get("allow_home_kb") is True


def is_setting(name: str) -> bool:
    """Whether a variable of an environment sets something of this program."""
    return name.startswith(SETTINGS_PREFIX) and name not in (LOG, RESIDENT)
