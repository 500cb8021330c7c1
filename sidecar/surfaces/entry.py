"""The command `vouch-sidecar`. A hook goes its own way: it pays for every import."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    arguments = sys.argv[1:]
    if len(arguments) == 2 and arguments[0] == "hook" and not arguments[1].startswith("-"):
        from sidecar.surfaces.hook.client import run

        run(arguments[1])
    from sidecar.surfaces.cli import main as shell

    shell(prog_name="vouch-sidecar")


if __name__ == "__main__":
    main()
