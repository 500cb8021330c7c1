"""The command `vouch-sidecar`. A hook goes its own way: it pays for every import."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from importlib import import_module

__all__ = ["main"]

COLLECTING = (700, 10, 1_000)
"""As Python has it, but for the last one, 10: a look at all that is old stalls every thread for as
long as thirty milliseconds, and there was never any garbage among it.
"""
HELP = {"-h", "--help"}


def main() -> None:
    """Run the command line."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"] and not HELP.intersection(arguments):
        from sidecar.surfaces.hook.client import run

        run(next((word for word in arguments[1:] if not word.startswith("-")), ""))
    shell = _imported(arguments)
    try:
        try:
            shell(prog_name="vouch-sidecar")
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except OSError as error:  # what is printed can't be written, mostly
        if not isinstance(error, BrokenPipeError):
            sys.stderr.write(f"vouch-sidecar: {error.strerror or type(error).__name__}\n")
        os._exit(1)  # at its end, Python would try to write it again


def _imported(arguments: list[str]) -> Callable[..., object]:
    """The shell, and the server where that is asked for. No cyclic garbage is looked for
    meanwhile, nor later among what was imported: a tenth of the time.
    """
    gc.disable()
    # One that other software brought would be shown every prompt, and to look for some takes 8 ms.
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
    from sidecar.surfaces.cli import main as shell

    if arguments[:1] == ["lsp"]:
        import_module("sidecar.surfaces.lsp.run")
    # attrs leaves the source of all that it generates there: 1.5 MB.
    import_module("linecache").clearcache()
    gc.freeze()
    gc.set_threshold(*COLLECTING)
    gc.enable()
    return shell


if __name__ == "__main__":
    main()
