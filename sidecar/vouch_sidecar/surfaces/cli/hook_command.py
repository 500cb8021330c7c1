"""`vouch-sidecar hook`, as the help shows it; `surfaces.entry` runs hooks without the shell."""

from __future__ import annotations

import click

from vouch_sidecar.surfaces.hook.client import run
from vouch_sidecar.surfaces.hook.payload import NAMES, STOP


@click.command()
@click.option("--log-file", help="Log to this file. No log holds a prompt.")
@click.argument("event", type=click.Choice([*NAMES, STOP]))
def hook(event: str, log_file: str | None) -> None:
    """Answer an event of an agent's hooks, JSON on standard input."""
    run([event, *([] if log_file is None else ["--log-file", log_file])])
