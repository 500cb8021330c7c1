"""The command `vouch-sidecar`. A hook and the language server go their own ways: they pay for every
import.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from importlib import import_module

__all__ = ["main"]

Command = Callable[[], object]

COLLECTING = (700, 10, 1_000)
"""As Python has it, but for the last one, 10: a look at all that is old stalls every thread for as
long as thirty milliseconds, and there was never any garbage among it.
"""
HELP = {"-h", "--help"}


def main() -> None:
    """Run the command line."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"] and not HELP.intersection(arguments):
        from vouch_sidecar.surfaces.hook.client import run

        run(next((word for word in arguments[1:] if not word.startswith("-")), ""))
    command = _imported(_server if arguments == ["lsp"] else _shell)
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


def _imported(import_command: Callable[[], Command]) -> Command:
    """What is to run. No cyclic garbage is looked for meanwhile, nor later among what was imported:
    a tenth of the time.
    """
    gc.disable()
    # A plugin that other software brought would be shown every prompt; to look for one takes 8 ms.
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
    command = import_command()
    # attrs leaves the source of all that it generates there: 1.5 MB.
    import_module("linecache").clearcache()
    gc.freeze()
    gc.set_threshold(*COLLECTING)
    gc.enable()
    return command


def _server() -> Command:
    """The language server as editors start it: without the shell, which takes 40 ms to import."""
    from vouch_sidecar.surfaces.lsp.run import run_stdio
    from vouch_sidecar.surfaces.stdio import log_to_stderr

    def serve() -> None:
        log_to_stderr(os.environ)
        run_stdio(os.environ)

    return serve


def _shell() -> Command:
    from vouch_sidecar.surfaces.cli import main as shell

    if sys.argv[1:2] == ["lsp"]:
        import_module("vouch_sidecar.surfaces.lsp.run")
    return lambda: shell(prog_name="vouch-sidecar")


if __name__ == "__main__":
    main()
