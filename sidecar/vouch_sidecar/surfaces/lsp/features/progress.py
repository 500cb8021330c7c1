"""Shows the progress of a first index that takes long."""

from __future__ import annotations

import uuid

from lsprotocol import types as lsp

from vouch_sidecar.operations.readiness import indexed
from vouch_sidecar.surfaces.lsp.server import Sidecar

NOTICED = 0.5
"""Seconds after which progress is shown."""


def register(server: Sidecar) -> None:
    """Show progress in clients that can show it."""

    def start() -> None:
        if server.capability("window.work_done_progress"):
            server.spawn(_show_index(server))

    server.on_start.append(start)


async def _show_index(server: Sidecar) -> None:
    """Raises JsonRpcException if the client refuses."""
    await indexed(server.engine, NOTICED)
    if not server.engine.registry.has_looked:
        token, progress = uuid.uuid4().hex, server.work_done_progress
        await progress.create_async(token)
        progress.begin(token, lsp.WorkDoneProgressBegin(title="Indexing the knowledge base"))
        await indexed(server.engine)
        progress.end(token, lsp.WorkDoneProgressEnd())
