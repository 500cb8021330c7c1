"""Shows the progress of a first index that takes long."""

from __future__ import annotations

import uuid
from functools import partial

from lsprotocol import types as lsp

from vouch_sidecar.operations.readiness import indexed
from vouch_sidecar.surfaces.lsp.server import Sidecar

NOTICED = 0.5
"""Seconds after which progress is shown."""


def register(server: Sidecar) -> None:
    """Show progress in clients that can show it."""
    server.on_start.append(partial(_show_index, server))


async def _show_index(server: Sidecar) -> None:
    """Raises JsonRpcException if the client refuses."""
    await indexed(server.engine, NOTICED)
    if server.engine.registry.has_looked or not server.capability("window.work_done_progress"):
        return
    token, progress = uuid.uuid4().hex, server.work_done_progress
    await progress.create_async(token)
    progress.begin(token, lsp.WorkDoneProgressBegin(title="Indexing the knowledge base"))
    await indexed(server.engine)
    progress.end(token, lsp.WorkDoneProgressEnd())
