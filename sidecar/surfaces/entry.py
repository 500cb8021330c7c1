"""The command `vouch-sidecar`. A hook goes its own way: it pays for every import."""

from __future__ import annotations

import sys

__all__ = ["main"]

HELP = {"-h", "--help"}


def main() -> None:
    """Run the command line."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"] and not HELP.intersection(arguments):
        from sidecar.surfaces.hook.client import run

        run(next((word for word in arguments[1:] if not word.startswith("-")), ""))
    from sidecar.surfaces.cli import main as shell

    shell(prog_name="vouch-sidecar")


if __name__ == "__main__":
    main()
