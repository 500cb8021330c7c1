"""Where the knowledge bases of a folder are. Standard library only: a hook pays for every import.

The rule: `VOUCH_KB_PATH` decides alone. Else the nearest `.vouch/` in the folder or above it, up to
the home folder and not past a folder of another user. Else those below the folder, a few levels
down. `tests/kb/discovery_cases.json` has it as a table.

What another user owns is refused, as git refuses it: whoever may write into a shared folder would
write into this user's prompts. `trust.folders` names folders that count all the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vouch_sidecar.kb.gitignore import Rules


KB_DIRNAME = ".vouch"
DEPTH = 3
"""Levels downward."""
MOST_FOLDERS = 500
SKIPPED = frozenset(
    "__pycache__ build dist node_modules out site-packages target vendor venv".split()
)
"""Names of folders of builds and package managers, which are skipped like hidden folders."""
TEMPORARY = ("/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp")
SETTINGS_PREFIX = "VOUCH_SIDECAR_"
"""What the names of settings in the environment begin with."""
TRUST = f"{SETTINGS_PREFIX}TRUST_FOLDERS"
LOG, RESIDENT = f"{SETTINGS_PREFIX}LOG", f"{SETTINGS_PREFIX}HOOK_RESIDENT"
NO_SETTINGS = frozenset({LOG, RESIDENT})
"""Environment variables with that prefix which are no settings."""
MOST_RULES = 1 << 20
"""Bytes of an ignore file that is read."""


def discover(start: str | os.PathLike[str] | None, *, env: Mapping[str, str]) -> list[str]:
    """The real paths of the folders whose `.vouch/` serves a folder or a document; more than one
    only if none is in or above it. Without `start`, those for `start_folder`.
    """
    return Finder(env).from_start(start)


class Finder:
    """Finds knowledge bases. `trusted` are folders of other users that are allowed, with everything
    below them, or `*`; by default those named in the environment. `refused` lists the folders that
    were not allowed.
    """

    def __init__(self, env: Mapping[str, str], trusted: Iterable[str] | None = None) -> None:
        self.env = env
        self.trusted = env.get(TRUST, "").split(",") if trusted is None else list(trusted)
        self.refused: list[str] = []

    def from_start(self, start: str | os.PathLike[str] | None) -> list[str]:
        """As `discover`."""
        env = self.env
        try:
            if forced := env.get("VOUCH_KB_PATH"):
                folder, name = os.path.split(os.path.realpath(forced))
                return [folder] if name == KB_DIRNAME and self._holds_one(folder) else []
            origin = os.path.realpath(start_folder(env) if start is None else start)
            home = os.path.realpath(env.get("HOME") or os.path.expanduser("~"))
            above = self._above(origin, home)
            return self._below(origin, home) if above is None else [above]
        except (OSError, ValueError):  # no file is called so
            return []

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
            if not passed and self._holds_one(folder):
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
            for folder in _not_ignored(origin, allowed):
                if not is_refused(folder, self.trusted):
                    (roots if self._holds_one(folder) else level).append(folder)
                elif os.path.isdir(os.path.join(folder, KB_DIRNAME)):
                    self.refused.append(folder)
        return roots

    def _holds_one(self, folder: str) -> bool:
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
    if not hasattr(os, "getuid") or not os.path.isdir(path):
        return False
    return not {os.lstat(path).st_uid, os.stat(path).st_uid} <= {0, os.getuid()}


def _is_trusted(path: str, folder: str) -> bool:
    folder = os.path.expanduser(folder.strip())
    if folder == "*":
        return True
    if not os.path.isabs(folder):
        return False
    folder = os.path.realpath(folder)
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def why_refused(folder: str) -> str:
    """A sentence that says why a folder's knowledge base is not served, and how to allow it."""
    return (
        f"{os.path.join(folder, KB_DIRNAME)} belongs to another user and is not served; to allow "
        f"it, name its folder in the setting trust.folders, or in {TRUST}"
    )


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
                if not entry.name.startswith(".")
                and entry.name not in SKIPPED
                and entry.is_dir(follow_symlinks=False)
            )
    except OSError:
        return []


def _not_ignored(origin: str, folders: list[str]) -> list[str]:
    """The folders that no ignore file of their working tree names.

    What is ignored was built or fetched: a `.vouch/` in there belongs to somebody else's project.
    git is not asked: it would read the repository's own config, which may name programs.
    """
    top = _working_tree(origin) if folders else None
    if top is None:
        return folders
    from vouch_sidecar.kb.gitignore import is_ignored  # rare: most have one above

    read: dict[str, Rules] = {}

    def has_been_ignored(folder: str) -> bool:
        stack, below = [], ""
        for name in os.path.relpath(folder, top).split(os.sep):
            if below not in read:
                read[below] = _ignore_rules(top, below)
            stack.append(read[below])
            if is_ignored(f"{below}{name}", True, stack):
                return True
            below += f"{name}/"
        return False

    return [folder for folder in folders if not has_been_ignored(folder)]


def _ignore_rules(top: str, below: str) -> Rules:
    """The rules of the ignore file in a folder, at the top with those that git keeps for itself."""
    from vouch_sidecar.kb.gitignore import rules_in
    from vouch_sidecar.kb.safe_files import UnreadableError, read_bounded

    texts = []
    for name in (*(() if below else (".git/info/exclude",)), f"{below}.gitignore"):
        try:
            data, _ = read_bounded(os.path.join(top, name), MOST_RULES)
            texts.append(data.decode("utf-8", "replace"))
        except (FileNotFoundError, UnreadableError):
            continue
    return rules_in(below, "\n".join(texts))


def _working_tree(folder: str) -> str | None:
    """The nearest folder, from this one upward, with a `.git`."""
    while not os.path.lexists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return folder


def _allows_home(home: str) -> bool:
    from pathlib import Path  # rare, and YAML is slow

    from vouch_sidecar.kb.safe_files import UnreadableError, read_bounded
    from vouch_sidecar.kb.yaml_document import MAX_YAML, DocumentError, decode, load

    kb_dir = Path(home, KB_DIRNAME)
    try:
        data, _ = read_bounded(kb_dir / "config.yaml", MAX_YAML, kb_dir=kb_dir)
        config = load(decode(data)).value
    except (OSError, UnreadableError, DocumentError):
        return False
    section = config.get("global") if isinstance(config, dict) else None
    return isinstance(section, dict) and section.get("allow_home_kb") is True


def is_setting(name: str) -> bool:
    """Whether a variable of an environment sets something of this program."""
    return name.startswith(SETTINGS_PREFIX) and name not in NO_SETTINGS


def has_settings(env: Mapping[str, str]) -> bool:
    """Whether an environment sets anything of this program."""
    return any(map(is_setting, env))
