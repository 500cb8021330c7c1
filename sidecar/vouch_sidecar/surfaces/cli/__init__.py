"""The shell: `vouch-sidecar`."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from vouch_sidecar import __version__
from vouch_sidecar.kb.sanitize import escaped
from vouch_sidecar.surfaces.cli.check import CHECK
from vouch_sidecar.surfaces.cli.demo import DEMO
from vouch_sidecar.surfaces.cli.doctor import DOCTOR
from vouch_sidecar.surfaces.cli.pause_commands import pause, resume
from vouch_sidecar.surfaces.cli.processes import PROCESSES
from vouch_sidecar.surfaces.cli.watch import WATCH
from vouch_sidecar.surfaces.shell.questions import QUESTIONS
from vouch_sidecar.surfaces.stdio import log_to_stderr

__all__ = ["main"]


COMMAND_GROUPS = {
    "Ask": ("experts", "context", "search", "entity", "claim", "files"),
    "Look closer": ("explain", "check", "status", "watch"),
    "Set up": ("demo", "install", "doctor", "pause", "resume", "stop"),
}
"""By heading of the help, the commands below it, in this order. All others are plumbing."""
PLUMBING = "Plumbing, for editors, agents and scripts"


class _Shell(click.Group):
    """Lists its commands in groups. Escapes control characters in error messages, which may quote
    names of files.
    """

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        listed = {name for names in COMMAND_GROUPS.values() for name in names}
        shown = [name for name, command in self.commands.items() if not command.hidden]
        plumbing = sorted(name for name in shown if name not in listed)
        column = max(map(len, shown))
        for heading, names in (*COMMAND_GROUPS.items(), (PLUMBING, plumbing)):
            limit = formatter.width - 6 - column
            rows = [
                (f"{name:{column}}", self.commands[name].get_short_help_str(limit))
                for name in names
            ]
            with formatter.section(heading):
                formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            vars(error).update(message=escaped(error.message))
            raise


@click.group(cls=_Shell, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="vouch-sidecar")
def main() -> None:
    """Say which entities of a vouch knowledge base are in play, and who carries the evidence."""
    log_to_stderr(os.environ)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


for command in (*QUESTIONS, CHECK, DOCTOR, WATCH, DEMO, pause, resume, *PROCESSES):
    main.add_command(command)
