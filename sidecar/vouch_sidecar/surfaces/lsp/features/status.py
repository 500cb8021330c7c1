"""Tells the client unasked how the server is, and how far a long first index has come."""

from __future__ import annotations

import uuid

from lsprotocol import types as lsp
from pygls.capabilities import get_capability

from vouch_sidecar.engine.changed import PAUSE_LOOK_SECONDS
from vouch_sidecar.engine.faults import Step
from vouch_sidecar.operations.notifications import (
    STATUS,
    DidChangeStatus,
    status_notification,
)
from vouch_sidecar.surfaces.lsp.server import Sidecar


async def tell_status(server: Sidecar) -> None:
    """Tell how the server is, whenever that or the generation changed. Never returns."""
    engine = server.engine
    told: DidChangeStatus | None = None
    async for _ in engine.changed.rounds(PAUSE_LOOK_SECONDS):
        with engine.faults.contained(Step("How it is could not be told")):
            status = status_notification(engine, server.caller)
            if status != told:
                server.protocol.notify(STATUS, status)
                told = status


async def show_progress(server: Sidecar) -> None:
    """Raises JsonRpcException if the client refuses."""
    await server.engine.until_looked(0.5)  # what is over by then is not shown
    able = get_capability(server.client_capabilities, "window.work_done_progress")
    if server.engine.registry.has_looked or not able:
        return
    token, progress = uuid.uuid4().hex, server.work_done_progress
    await progress.create_async(token)
    progress.begin(token, lsp.WorkDoneProgressBegin(title="Indexing the knowledge base"))
    await server.engine.until_looked()
    progress.end(token, lsp.WorkDoneProgressEnd())
