"""Which knowledge base is in charge of a folder. Standard library only, but for one rare case."""

from __future__ import annotations

import os
from collections.abc import Mapping

__all__ = ["nearest", "start_of"]

KB_DIRNAME = ".vouch"


def start_of(cwd: object, env: Mapping[str, str]) -> str:
    """The folder that an event names, else where `kb.layout.start_folder` looks from."""
    if isinstance(cwd, str) and os.path.isabs(cwd):
        return cwd
    named = env.get("VOUCH_PROJECT_DIR")
    return os.path.abspath(named) if named and os.path.isdir(named) else os.getcwd()


def nearest(start: str, env: Mapping[str, str]) -> str | None:
    """The real path of the folder that holds the `.vouch/` in charge, as `kb.layout.discover`."""
    try:
        if forced := env.get("VOUCH_KB_PATH"):
            real = os.path.realpath(forced)
            named = os.path.basename(real) == KB_DIRNAME and os.path.isdir(real)
            return os.path.dirname(real) if named else None
        return _walk(os.path.realpath(start), env)
    except (OSError, ValueError):
        return None


def _walk(origin: str, env: Mapping[str, str]) -> str | None:
    home = os.path.realpath(env.get("HOME") or os.path.expanduser("~"))
    folder = origin
    while not os.path.isdir(os.path.join(folder, KB_DIRNAME)):
        above = os.path.dirname(folder)
        if folder in (home, above):
            return None
        folder = above
    if folder == home != origin:
        return _allowed_home(origin, env)
    return folder


def _allowed_home(origin: str, env: Mapping[str, str]) -> str | None:
    """The home folder, if the config there allows it, which takes YAML to see."""
    from pathlib import Path

    from vouch_sidecar.kb.layout import discover

    found = discover(Path(origin), env=env)
    return None if found is None else str(found)
