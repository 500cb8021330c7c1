"""Where the project is that a client works in: hosts start servers in `~` or `/`, too."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from vouch_sidecar.kb.discovery import Found, find, path_of, why_none
from vouch_sidecar.kb.sanitize import printable

HOST_VARIABLES = ("CLAUDE_PROJECT_DIR", "WORKSPACE_FOLDER_PATHS")
"""Variables in which Claude Code and Cursor name the project's folder to the servers that they
start, as of November 2026; of several folders Cursor makes one text.
"""
UNFILLED = "${"
"""How a variable begins that a host was to fill in."""


@dataclass
class Projects:
    """The knowledge bases of a client. `start` is the folder that the process began in;
    `is_chosen`: somebody named it, so that no other counts.
    """

    env: Mapping[str, str]
    start: Path
    is_chosen: bool

    def asked(self, params: object, folders: Iterable[str] = ()) -> Found:
        """Those that a request with these params is about: found from its `root`; else from the
        folder that was chosen; else from the first of these that has one: `folders` (paths or file
        URIs, which the client names), those in variables of the host, the start.
        """
        root = params.get("root") if isinstance(params, Mapping) else None
        in_env = [f for name in HOST_VARIABLES for f in _several(self.env.get(name, ""))]
        places: list[Iterable[str]] = [folders, in_env, [str(self.start)]]
        if isinstance(root, str):
            places = [[root]]
        elif self.is_chosen:
            places = [[str(self.start)]]
        refused: list[str] = []
        for several in places:
            paths = [path for path in map(path_of, several) if Path(path).is_absolute()]
            found = [find(path, self.env) for path in paths]
            refused += chain.from_iterable(each.refused for each in found)
            if any(each.places for each in found):
                return Found([place for each in found for place in each.places], refused)
        return Found(refused=refused)

    def why_none(self, found: Found, *, is_named: bool = False) -> str:
        """That there is none to look into from the start, or in the folder that the question named,
        which is not repeated, and what to do, for who asked.
        """
        where = "the `root` of this call" if is_named else self.start
        return (
            f"Nothing was looked up: {printable(why_none(found, where, self.env))}. This says "
            "nothing about what is known. Name the absolute path of a project that has a knowledge "
            "base as `root`, or start this server in it, or with `--root FOLDER`; `vouch init` "
            "makes one."
        )


def _several(text: str) -> list[str]:
    """The folders in a variable of a host."""
    return re.split(rf"[,{os.pathsep}]\s*(?=/(?!/)|file:|[A-Za-z]:[\\/])", text) if text else []
