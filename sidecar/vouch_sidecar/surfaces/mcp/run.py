"""The process of `vouch-sidecar mcp`: one client over the standard streams."""

from __future__ import annotations

import logging
import signal
from collections.abc import Mapping
from pathlib import Path

import anyio
from mcp.server.stdio import stdio_server

from vouch_sidecar.engine import Engine, Keeper
from vouch_sidecar.surfaces.keeping import beside
from vouch_sidecar.surfaces.local.server import LocalServer
from vouch_sidecar.surfaces.mcp.desk import Desk
from vouch_sidecar.surfaces.mcp.pending import Incoming, Outgoing, Pending
from vouch_sidecar.surfaces.mcp.server import build
from vouch_sidecar.surfaces.stdio import leave

__all__ = ["run_mcp"]

INTERRUPTED = 130


def run_mcp(env: Mapping[str, str], start: Path) -> None:
    """Serve the knowledge base found from a folder until standard input ends; end the process."""
    # The SDK's tracebacks and its notes on messages may hold prompts.
    silenced = logging.getLogger("mcp")
    silenced.addHandler(logging.NullHandler())
    silenced.propagate = False
    # Nothing else ends the SDK's thread that waits for a message: no interrupt, no cancelling.
    signal.signal(signal.SIGINT, lambda *_: leave(INTERRUPTED))
    anyio.run(_serve, env, start)


async def _serve(env: Mapping[str, str], start: Path) -> None:
    engine = Engine(env=env)
    engine.start_from(start)
    keeper = Keeper(engine)
    server = build(Desk(engine, keeper, start))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(beside, keeper.run)
        tasks.start_soon(beside, LocalServer(engine, keeper).run)
        async with stdio_server() as (source, sink):
            pending = Pending()
            incoming, outgoing = Incoming(source, pending), Outgoing(sink, pending)
            await server.run(incoming, outgoing, server.create_initialization_options())
        leave(0)
