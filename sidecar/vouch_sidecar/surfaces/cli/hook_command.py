"""`vouch-sidecar hook`, as the help shows it; `surfaces.entry` runs hooks without the shell."""

from __future__ import annotations

import click

from vouch_sidecar.surfaces.hook.client import run
from vouch_sidecar.surfaces.hook.events import NAMES


@click.command()
@click.argument("event", type=click.Choice([*NAMES]))
def hook(event: str) -> None:
    """Answer an event of an agent's hooks, JSON on standard input."""
    run([event])
