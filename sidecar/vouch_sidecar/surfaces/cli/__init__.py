"""The shell: `vouch-sidecar`. A module a command, and one for all that ask an operation."""

from __future__ import annotations

import os
from importlib import import_module

import click

from vouch_sidecar import __version__
from vouch_sidecar.operations import NAMES
from vouch_sidecar.surfaces.stdio import log_to_stderr

FIRST = (
    *("experts", "context", "search", "entity", "claim", "files"),  # asking
    *("explain", "check", "status", "watch"),  # looking closer
    *("demo", "install", "doctor", "pause", "resume", "stop"),  # setting up
)
"""The order of commands in the help. All others are plumbing, for editors, agents and scripts."""
MODULES = {
    "check": "check",
    "demo": "demo",
    "doctor": "doctor",
    "hook": "processes",
    "install": ".install.command",
    "jsonl": "processes",
    "lsp": "processes",
    "mcp": "processes",
    "pause": "processes",
    "resume": "processes",
    "stop": "processes",
    "watch": "watch",
}
"""By command, the module that has it, from this package. All others ask: one an operation."""


class _Shell(click.Group):
    """Imports the command that is run, no other."""

    def list_commands(self, context: click.Context) -> list[str]:
        every = [*FIRST, *sorted({*MODULES, *NAMES}.difference(FIRST))]
        return [name for name in every if self.get_command(context, name)]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name in MODULES:
            found: click.Command = getattr(import_module(f".{MODULES[name]}", __name__), name)
            return found
        if name not in NAMES:  # among these click looks for the one that it resembles
            self.commands.update(dict.fromkeys(self.list_commands(context), self))
            return None
        from vouch_sidecar.surfaces.console.operation_commands import command_called

        return command_called(name)


@click.group(cls=_Shell, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="vouch-sidecar")
def main() -> None:
    """Say which entities of a vouch knowledge base are in play, and who carries the evidence."""
    log_to_stderr(os.environ)
