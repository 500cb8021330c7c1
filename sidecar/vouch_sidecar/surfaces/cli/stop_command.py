"""`vouch-sidecar stop`: ends what hooks left behind."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from vouch_sidecar.kb import pauses
from vouch_sidecar.kb.runtime_folder import is_supported
from vouch_sidecar.kb.sanitize import printable
from vouch_sidecar.surfaces.console.options import root_option, roots_from
from vouch_sidecar.surfaces.local import stopping
from vouch_sidecar.surfaces.local.address import socket_path
from vouch_sidecar.surfaces.local.stopping import Outcome
from vouch_sidecar.surfaces.stdio import say


@click.command()
@root_option
@click.option("--all", "every", is_flag=True, help="Every one of this user; ends pauses, too.")
def stop(root: Path | None, every: bool) -> None:
    """End the process that hooks left behind for a knowledge base.

    The next hook starts another one, unless it is taken out first (install HOST --uninstall).
    """
    if not is_supported():
        raise click.UsageError("nothing is left behind on this system")
    roots_by_socket = (
        {} if every else {socket_path(path, os.environ): path for path in roots_from(root)}
    )
    silent, ended = False, 0
    if every:
        pauses.resume_all(os.environ)
    for path in stopping.sockets(os.environ) if every else roots_by_socket:
        outcome, roots = stopping.stop(path, os.environ)
        for served in roots:
            say(f"{printable(served)}: stopped")
        silent = silent or outcome is Outcome.SILENT
        ended += outcome is Outcome.STOPPED
        if outcome in (Outcome.OTHER, Outcome.SILENT):
            say(f"{printable(str(roots_by_socket.get(path, path)))}: {outcome.value}", err=True)
    if every and not silent:
        stopping.clear(os.environ)
    if not (ended or silent):
        say("no process that a hook left behind runs", err=True)
    if silent:
        sys.exit(1)
