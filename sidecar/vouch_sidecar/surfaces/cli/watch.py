"""`vouch-sidecar watch`: shows what is in play, live, beside an editor or agent without a panel."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

import anyio
import click

from vouch_sidecar.api import engine_on
from vouch_sidecar.engine import Caller, running
from vouch_sidecar.kb.discovery import Found
from vouch_sidecar.kb.runtime_folder import is_supported
from vouch_sidecar.operations.notifications import DidChangeSalience
from vouch_sidecar.operations.salience import salience_table
from vouch_sidecar.operations.table import Words
from vouch_sidecar.surfaces.console.options import found_from, root_option
from vouch_sidecar.surfaces.console.printing import show
from vouch_sidecar.surfaces.local.user_socket import CHECK_SECONDS
from vouch_sidecar.surfaces.pushing import subscribe
from vouch_sidecar.surfaces.stdio import end_with_client


@click.command("watch")
@root_option
def watch(root: str | None) -> None:
    """Show what is in play, live, until Ctrl+C.

    In sessions of editors and agents, of the knowledge base found from a folder.
    """
    if not is_supported():
        raise click.UsageError("sessions can't be followed on this system")
    found = found_from(root)
    end_with_client(sys.stdout.fileno())
    with suppress(KeyboardInterrupt):
        anyio.run(_watch, found)


async def _watch(found: Found) -> None:
    """Follow the process that serves, whenever there is one. In a pipe, rows begin with a session,
    which stands alone where nothing is in play any more.
    """
    show([Words("Nothing known is in play yet. Ctrl+C ends this.", to="terminal")])

    def tell(push: DidChangeSalience) -> None:
        nothing = [] if push.salience else [push.session_id]
        rows = salience_table(push.salience, push.session_id)
        show([Words(push.session_id, "bold", nothing), rows])
        sys.stdout.flush()

    watching = Caller(names=dict.fromkeys(found.places))
    if len(found.places) > 1:  # rows say which one they are of, as its config calls it
        engine = engine_on(found)
        async with running(engine):
            await engine.until_looked()
        watching = engine.registry.with_names(Caller())
    while True:
        with suppress(OSError):  # there is none, or it ended
            await subscribe(watching, os.environ, tell, {"salience"}, everything=True)
        await anyio.sleep(CHECK_SECONDS)
