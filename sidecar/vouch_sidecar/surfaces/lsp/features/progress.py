"""Progress of a first index that takes long enough to be noticed."""

from __future__ import annotations

import uuid

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from vouch_sidecar.surfaces.keeping import indexed
from vouch_sidecar.surfaces.lsp.server import Sidecar

__all__ = ["register"]

NOTICED = 0.5
"""Seconds that an index may take unnoticed."""


def register(server: Sidecar) -> None:
    """Show progress in clients that can show it."""

    def start() -> None:
        window = server.client_capabilities.window
        if window is not None and window.work_done_progress:
            server.spawn(_show(server))

    server.on_start.append(start)


async def _show(server: Sidecar) -> None:
    await indexed(server.engine, NOTICED)
    if server.engine.looked:
        return
    token, progress = uuid.uuid4().hex, server.work_done_progress
    try:
        await progress.create_async(token)
    except JsonRpcException:  # some clients refuse what they announced
        return
    progress.begin(token, lsp.WorkDoneProgressBegin(title="Indexing the knowledge base"))
    await indexed(server.engine)
    progress.end(token, lsp.WorkDoneProgressEnd())
