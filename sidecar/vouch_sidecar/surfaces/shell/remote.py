"""Asks the process that serves the knowledge base to run a command of the shell.

Standard library only: importing click, pydantic, tantivy or rich would take long.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vouch_sidecar.kb.discovery import NO_SETTINGS, SETTINGS, discover, start_folder
from vouch_sidecar.slices import slices
from vouch_sidecar.surfaces.local.client import ask, viewer_of

SHELL = "shell"
"""The method that asks for the output of a command."""
SECONDS = 2.0
"""Time limit of the other process."""
OWN = {"-h", "--help", "-"}
"""Arguments that this process handles itself: help, and standard input."""
LOOKS = {"NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"}
"""Variables that change how rich prints."""
PLAIN_TERMINALS = {"dumb", "unknown"}


class Printed(NamedTuple):
    """The standard output, standard error and exit code of a command."""

    out: str
    err: str
    code: int


def printed_elsewhere(arguments: Sequence[str], env: Mapping[str, str]) -> Printed | None:
    """The output of a command, run by the process that serves the knowledge bases.

    None if this process has to run the command: no process serves the knowledge bases or it
    refuses, the command is no operation, or the environment has settings or changes the output.
    """
    if not _may_ask(arguments, env):
        return None
    root, rest = _without_root(arguments)
    roots = discover(start_folder(env) if root is None else root, env=env)
    params = {
        "arguments": rest,
        "viewer": viewer_of(env),
        "terminal": sys.stdout.isatty(),
        "width": shutil.get_terminal_size().columns,
        "folder": os.getcwd(),
    }
    answered = ask(roots, SHELL, params, timeout=SECONDS, env=env)
    output = answered.get("result") if answered is not None and answered.get("ok") is True else None
    try:
        return Printed(**output) if output else None
    except TypeError:  # a process of another version
        return None


def _may_ask(arguments: Sequence[str], env: Mapping[str, str]) -> bool:
    if not arguments or OWN.intersection(arguments) or sys.stdout is None:
        return False
    settings = any(name.startswith(SETTINGS) and name not in NO_SETTINGS for name in env)
    looks = LOOKS.intersection(env) or env.get("TERM") in PLAIN_TERMINALS
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    commands = (one.name.replace("_", "-") for one in slices() if one.shown)
    return unicode and not settings and not looks and arguments[0] in commands


def _without_root(arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    """The value of `--root`, as only this process can resolve it, and the other arguments."""
    root, rest = None, []
    words = iter(arguments)
    for word in words:
        if word == "--":
            rest += [word, *words]
        elif word == "--root":
            root = next(words, None)
        elif word.startswith("--root="):
            root = word.partition("=")[2]
        else:
            rest.append(word)
    return root, rest
