"""The command `vouch-sidecar`.

Hooks, the language server and commands that another process can run skip the import of the shell.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from io import TextIOWrapper

__all__ = ["main"]

Command = Callable[[], object]

HELP = {"-h", "--help"}


def main() -> None:
    """Run the command line."""
    arguments = sys.argv[1:]
    # A plugin of pydantic that other software brought would be shown every prompt.
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
    if arguments[:1] == ["hook"] and not HELP.intersection(arguments):
        from vouch_sidecar.surfaces.hook.client import run

        run(next((word for word in arguments[1:] if not word.startswith("-")), ""))
    command = _server() if arguments == ["lsp"] else _shell()
    try:
        try:
            command()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except OSError as error:  # what is printed can't be written, mostly
        if not isinstance(error, BrokenPipeError):
            sys.stderr.write(f"vouch-sidecar: {error.strerror or type(error).__name__}\n")
        os._exit(1)  # at its end, Python would try to write it again


def _server() -> Command:
    """The language server as editors start it, without importing the shell, which takes 40 ms."""
    from vouch_sidecar.surfaces.lsp.run import run_stdio
    from vouch_sidecar.surfaces.stdio import log_to_stderr

    def serve() -> None:
        log_to_stderr(os.environ)
        run_stdio(os.environ)

    return serve


def _shell() -> Command:
    """A command of the shell: run by another process where one serves already, else by this one."""
    from vouch_sidecar.surfaces.local.shell import printed_elsewhere

    if (said := printed_elsewhere(sys.argv[1:], os.environ)) is not None:
        return lambda: _print(said)
    from vouch_sidecar.surfaces.cli import main as shell

    if sys.argv[1:2] == ["lsp"]:
        import_module("vouch_sidecar.surfaces.lsp.run")
    return lambda: shell(prog_name="vouch-sidecar")


def _print(text: str) -> None:
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
