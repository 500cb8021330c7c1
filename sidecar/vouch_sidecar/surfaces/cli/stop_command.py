"""`vouch-sidecar stop`: ends what hooks left behind."""

from __future__ import annotations

import os
import sys

import click

from vouch_sidecar.kb import pauses
from vouch_sidecar.kb.sanitize import printable
from vouch_sidecar.surfaces.local import stopping
from vouch_sidecar.surfaces.local.address import has_sockets, socket_path
from vouch_sidecar.surfaces.local.client import UnansweredError
from vouch_sidecar.surfaces.stdio import say


@click.command()
@click.option("--all", "every", is_flag=True, help="Those of other versions and pauses, too.")
def stop(every: bool) -> None:
    """End the process that hooks left behind.

    The next hook starts another one, unless it is taken out first (install HOST --uninstall).
    """
    if not has_sockets():
        raise click.UsageError("nothing is left behind on this system")
    env, code = os.environ, 0
    if every:
        pauses.resume_all(env)
    for path in stopping.sockets(env) if every else [socket_path(env)]:
        try:
            roots = stopping.stop(path, env)
        except stopping.EditorError:
            say("an editor has the process that answers, which ends with it", err=True)
        except UnansweredError:
            say(f"the process at {printable(path)} does not answer; try again", err=True)
            code = 1
        else:
            for root in roots or ():
                say(f"{printable(root)}: stopped")
            if roots is None:
                say("no process that a hook left behind runs", err=True)
    sys.exit(code)
