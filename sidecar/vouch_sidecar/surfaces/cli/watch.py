"""`vouch-sidecar watch`: shows what is in play, live, beside an editor or agent without a panel."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vouch_sidecar.surfaces.shell.console import AskedFrom, page, root_option, roots_of, start_at

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

    from vouch_sidecar.engine import SaliencePush, StatusPush
    from vouch_sidecar.operations.notifications import DidChangeSalience


SESSIONS = 4
"""Sessions shown, as many as fit in a terminal pane."""


@click.command("watch")
@root_option
def WATCH(root: Path | None) -> None:  # noqa: N802
    """Show what is in play, live, until Ctrl+C.

    In sessions of editors and agents, of the knowledge base found from a folder.
    """
    roots_of(AskedFrom(root))
    with suppress(KeyboardInterrupt):
        _run(root)


def _run(root: Path | None) -> None:
    import anyio
    from rich.live import Live

    from vouch_sidecar.surfaces.stdio import end_with_client

    end_with_client(sys.stdout.fileno())
    pane = Pane()
    if not sys.stdout.isatty():
        anyio.run(_watch, root, pane)
        return
    with Live(pane.shown(), auto_refresh=False, screen=True) as live:
        pane.live = live
        anyio.run(_watch, root, pane)


async def _watch(root: Path | None, pane: Pane) -> None:
    """Serve the knowledge base as an editor's process does: own its socket, or follow the owner."""
    import anyio

    from vouch_sidecar.engine import Caller, Engine, Indexer, Pushes
    from vouch_sidecar.surfaces.background import beside, push_changes
    from vouch_sidecar.surfaces.sockets import local_server

    engine = Engine(env=os.environ)
    engine.start_from(start_at(root))
    indexer = Indexer(engine)
    pushes = Pushes(engine, Caller(connection="watch"))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(beside, indexer.run)
        tasks.start_soon(beside, partial(push_changes, engine, pushes, pane.pushed))
        tasks.start_soon(beside, local_server(engine, indexer, pane.tell, watches=True).run)


class Pane:
    """The display: a table for each session, the one that changed last first."""

    def __init__(self) -> None:
        self.live: Live | None = None
        self._sessions: dict[str, DidChangeSalience] = {}

    def pushed(self, push: SaliencePush | StatusPush) -> None:
        """Show a push of this process; pushes of its status are ignored."""
        from vouch_sidecar.engine import SaliencePush
        from vouch_sidecar.operations import salience_notification

        if isinstance(push, SaliencePush):
            self.tell(salience_notification(push))

    def tell(self, told: DidChangeSalience) -> None:
        """Show the ranking of a session, of this process or another."""
        self._sessions.pop(told.session_id, None)
        if told.salience:
            self._sessions[told.session_id] = told
        if self.live is not None:
            self.live.update(self.shown(), refresh=True)
        else:
            self._print(told)

    def _print(self, told: DidChangeSalience) -> None:
        """Print a ranking as rows that begin with the session; if empty, the session alone."""
        to = page()
        for row in told.salience:
            what = (row.entity_id, row.name, f"{row.score:.2f}", row.claim_count)
            to.record(told.session_id, *what, ", ".join(row.matched))
        if not told.salience:
            to.record(told.session_id)
        sys.stdout.flush()

    def shown(self) -> RenderableType:
        """A table for each of the latest sessions, and the number of others."""
        from rich.console import Group
        from rich.text import Text

        if not self._sessions:
            return Text("Nothing known is in play. Ctrl+C ends this.", style="dim")
        latest = list(reversed(self._sessions.values()))[:SESSIONS]
        others = len(self._sessions) - len(latest)
        more = [Text(f"and {others} more sessions", style="dim")] if others > 0 else []
        return Group(*map(_table, latest), *more)


def _table(told: DidChangeSalience) -> RenderableType:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from vouch_sidecar.kb.sanitize import one_line

    title = Text(one_line(told.session_id), style="bold")
    table = Table(box=SIMPLE_HEAD, title=title, title_justify="left", border_style="dim")
    for heading in ("in play", "type", "named by", "top claim"):
        table.add_column(heading, overflow="fold")
    table.add_column("claims", justify="right", no_wrap=True)
    fresh = {row.entity_id for row in told.fresh}
    for row in told.salience:
        style = "green" if row.entity_id in fresh else ""
        named_by, claim = ", ".join(row.matched), row.top_claim_id or ""
        texts = (Text(one_line(text)) for text in (row.type, named_by, claim))
        table.add_row(Text(one_line(row.name), style=style), *texts, str(row.claim_count))
    return table
