"""`vouch-sidecar watch`: shows what is in play, live, beside an editor or agent without a panel."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import anyio
import click
from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from vouch_sidecar.kb.sanitize import one_line
from vouch_sidecar.operations.notifications import DidChangeSalience
from vouch_sidecar.operations.table import Line
from vouch_sidecar.surfaces.console.options import root_option, roots_from
from vouch_sidecar.surfaces.console.printing import show
from vouch_sidecar.surfaces.local.address import has_sockets
from vouch_sidecar.surfaces.local.follower import follow
from vouch_sidecar.surfaces.stdio import end_with_client

SESSIONS = 4
"""Sessions shown, as many as fit in a terminal pane."""
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
    pane = Pane()
    with suppress(KeyboardInterrupt):
        if not sys.stdout.isatty():
            anyio.run(_watch, roots, pane)
            return
        with Live(pane.shown(), auto_refresh=False, screen=True) as live:
            pane.live = live
            anyio.run(_watch, roots, pane)


async def _watch(roots: Sequence[Path], pane: Pane) -> None:
    """Follow the process that serves, whenever there is one."""
    while True:
        with suppress(OSError):  # there is none, or it ended
            await follow(roots, os.environ, pane.tell, everything=True)
        await anyio.sleep(RETRY_SECONDS)


class Pane:
    """The display: a table for each session, the one that changed last first."""

    def __init__(self) -> None:
        self.live: Live | None = None
        self._sessions: dict[str, DidChangeSalience] = {}

    def tell(self, push: DidChangeSalience) -> None:
        """Show the ranking of a session."""
        self._sessions.pop(push.session_id, None)
        if push.salience:
            self._sessions[push.session_id] = push
        if self.live is not None:
            self.live.update(self.shown(), refresh=True)
        else:
            self._print(push)

    def _print(self, push: DidChangeSalience) -> None:
        """Print a ranking as rows that begin with the session; if empty, the session alone."""
        session = push.session_id
        for row in push.salience:
            what = (row.entity_id, row.name, f"{row.score:.2f}", row.claim_count)
            show([Line(record=(session, *what, ", ".join(row.matched)))])
        if not push.salience:
            show([Line(record=[session])])
        sys.stdout.flush()

    def shown(self) -> RenderableType:
        """A table for each of the latest sessions, and the number of others."""
        if not self._sessions:
            return Text("Nothing known is in play. Ctrl+C ends this.", style="dim")
        latest = list(reversed(self._sessions.values()))[:SESSIONS]
        others = len(self._sessions) - len(latest)
        more = [Text(f"and {others} more sessions", style="dim")] if others > 0 else []
        return Group(*map(_table, latest), *more)


def _table(push: DidChangeSalience) -> RenderableType:
    title = Text(one_line(push.session_id), style="bold")
    table = Table(box=SIMPLE_HEAD, title=title, title_justify="left", border_style="dim")
    for heading in ("in play", "type", "named by", "top claim"):
        table.add_column(heading, overflow="fold")
    table.add_column("claims", justify="right", no_wrap=True)
    fresh = {row.entity_id for row in push.fresh}
    for row in push.salience:
        style = "green" if row.entity_id in fresh else ""
        named_by, claim = ", ".join(row.matched), row.claim or ""
        texts = (Text(one_line(text)) for text in (row.type, named_by, claim))
        table.add_row(Text(one_line(row.name), style=style), *texts, str(row.claim_count))
    return table
