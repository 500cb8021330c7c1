"""`vouch-sidecar watch`: shows what is in play, live, beside an editor or agent without a panel."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import anyio
import click

from vouch_sidecar.operations.notifications import DidChangeSalience
from vouch_sidecar.operations.table import ColumnKind, Shown, Table, Words
from vouch_sidecar.surfaces.console.options import root_option, roots_from
from vouch_sidecar.surfaces.console.printing import show
from vouch_sidecar.surfaces.local.address import has_sockets
from vouch_sidecar.surfaces.local.follower import follow
from vouch_sidecar.surfaces.stdio import end_with_client

SESSIONS = 4
"""Sessions shown on a terminal, as many as fit in a pane."""
RETRY_SECONDS = 0.1


@click.command("watch")
@root_option
def watch(root: Path | None) -> None:
    """Show what is in play, live, until Ctrl+C.

    In sessions of editors and agents, of the knowledge base found from a folder.
    """
    if not has_sockets():
        raise click.UsageError("sessions can't be followed on this system")
    roots = roots_from(root)
    end_with_client(sys.stdout.fileno())
    with suppress(KeyboardInterrupt):
        anyio.run(_watch, roots)


async def _watch(roots: Sequence[Path]) -> None:
    """Follow the process that serves, whenever there is one."""
    sessions: dict[str, DidChangeSalience] = {}
    _draw(sessions)

    def tell(push: DidChangeSalience) -> None:
        """Print what is new, on a terminal the latest sessions, the one that changed last first."""
        sessions.pop(push.session_id, None)
        if push.salience:
            sessions[push.session_id] = push
        if sys.stdout.isatty():
            _draw(sessions)
        else:
            show(_rows(push))
            sys.stdout.flush()

    while True:
        with suppress(OSError):  # there is none, or it ended
            await follow(roots, os.environ, tell, everything=True)
        await anyio.sleep(RETRY_SECONDS)


def _draw(sessions: dict[str, DidChangeSalience]) -> None:
    """Show the latest sessions in place of what stands on the terminal."""
    click.clear()
    others = len(sessions) - SESSIONS
    for push in [*sessions.values()][: -SESSIONS - 1 : -1]:
        show([Words(push.session_id, "bold", to="terminal"), _table(push)])
    if not sessions:
        show([Words("Nothing known is in play. Ctrl+C ends this.", "dim")])
    elif others > 0:
        show([Words(f"and {others} more sessions", "dim")])


def _rows(push: DidChangeSalience) -> list[Shown]:
    """A ranking as rows that begin with the session; if empty, the session alone."""
    cells = [
        (row.entity_id, row.name, f"{row.score:.2f}", row.claim_count, ", ".join(row.matched))
        for row in push.salience
    ]
    columns: dict[str, ColumnKind] = {"entity": "key", "name": "short", "score": "number"}
    columns |= {"claims": "number", "named by": "short"}
    alone = [] if cells else [Words(record=[push.session_id])]
    return [Table(columns, cells, push.session_id), *alone]


def _table(push: DidChangeSalience) -> Table:
    cells = [
        (row.name, row.type, ", ".join(row.matched), row.claim, row.claim_count)
        for row in push.salience
    ]
    columns: dict[str, ColumnKind] = {"in play": "key", "type": "short", "named by": "short"}
    return Table(columns | {"top claim": "text", "claims": "number"}, cells)
