"""The command `vouch-sidecar`.

Hooks, the language server and commands that another process can run skip the import of the shell.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING

import vouch_sidecar.surfaces.parent  # noqa: F401 - notes the parent before it may end

if TYPE_CHECKING:
    from vouch_sidecar.surfaces.shell.remote import Printed


HELP = {"-h", "--help"}
M_ARENA_MAX = -8
"""The number of this option of glibc's `mallopt`."""


def main() -> None:
    """Run the command line."""
    arguments = sys.argv[1:]
    _import_nothing_from_here()
    # A plugin of pydantic that other software brought would be shown every prompt.
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
    if arguments[:1] == ["hook"] and not HELP.intersection(arguments):
        from vouch_sidecar.surfaces.hook.client import run

        run(arguments[1:])
    try:
        try:
            if arguments == ["lsp"]:
                _serve()
            else:
                _run_command(arguments)
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except OSError as error:  # mostly because what is printed can't be written
        if not isinstance(error, BrokenPipeError):
            sys.stderr.write(f"vouch-sidecar: {error.strerror or type(error).__name__}\n")
        os._exit(1)  # at its end, Python would try to write it again


def _import_nothing_from_here() -> None:
    """Keep this process, and those that it starts, from importing modules of the working folder,
    where a hostile workspace may have put some, also by way of a relative part of `PYTHONPATH`.
    """
    parts = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(os.path.isabs, parts))
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        planted = {os.path.abspath(part) for part in parts if not os.path.isabs(part)}
        planted.add(os.path.realpath("."))
    except OSError:  # the working folder is gone
        planted = set()
    sys.path[:] = [one for one in sys.path if os.path.isabs(one) and one not in planted]


def _serve() -> None:
    """The language server as editors start it, without importing the shell, which takes 40 ms."""
    from vouch_sidecar.surfaces.lsp.run import run_stdio
    from vouch_sidecar.surfaces.stdio import log_to_stderr

    _share_memory()
    log_to_stderr(os.environ)
    run_stdio(os.environ)


def _run_command(arguments: list[str]) -> None:
    """Have a command run by another process where one serves already, else run it in this one."""
    if not HELP.intersection(arguments):
        from vouch_sidecar.surfaces.shell.remote import printed_elsewhere

        if (said := printed_elsewhere(arguments, os.environ)) is not None:
            _print(said)
            return
    from vouch_sidecar.surfaces.cli import main as shell

    _share_memory()
    shell(prog_name="vouch-sidecar")


def _share_memory() -> None:
    """Have all threads of this process take memory from one place, where the C library is glibc. It
    gives each thread an arena that it keeps: 7 MB after some hundred questions, 100 after twenty
    changes.
    """
    import ctypes

    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)


def _print(said: Printed) -> None:
    for stream, text in ((sys.stdout, said.out), (sys.stderr, said.err)):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
        if text:
            stream.write(text)
    if said.code:
        sys.exit(said.code)


if __name__ == "__main__":
    main()
