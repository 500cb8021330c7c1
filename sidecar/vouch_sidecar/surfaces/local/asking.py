"""Has the process that serves answer a command line, and prints the answer.

That process reads the line as a shell of its own would, so that this imports neither what reads
options nor an operation.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

from vouch_sidecar.kb.discovery import find
from vouch_sidecar.surfaces.console.printing import print_answer
from vouch_sidecar.surfaces.local.user_socket import LINE, SOON_SECONDS, ask

ROOT = "--root"
MAX_INPUT = 4_000_001
"""Bytes of standard input that are read: more than a text may have."""


def print_and_end(arguments: Sequence[str], env: Mapping[str, str]) -> str:
    """Print the answer to a command that asks an operation, and end with its exit code. Returns
    where no process serves, or it leaves the line to a shell: what is wrong, not found, or not all
    read; then with what standard input held, where the line says that it holds a text.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread that reads can't be interrupted
    data = sys.stdin.buffer.read(MAX_INPUT) if "-" in arguments else b""
    typed, told, root = data.decode("utf-8", "replace"), None, None
    parted = (w.split("=", 1) if w.startswith(f"{ROOT}=") else [w] for w in arguments)
    line = [part for parts in parted for part in parts]
    with suppress(OSError, IndexError):  # this folder is gone, or the option names none
        if ROOT in line:
            at = line.index(ROOT) + 1
            root = line[at] = line[at] and os.path.join(os.getcwd(), line[at])
        found = find(root, env)
        asked = {"line": line, "root": root, "folder": os.getcwd(), "typed": typed}
        if found.places and not found.refused:
            told = ask(
                (place.tree for place in found.places), LINE, asked, env=env, timeout=SOON_SECONDS
            )
    if told and told["complete"]:
        sys.exit(print_answer(told))
    return typed
