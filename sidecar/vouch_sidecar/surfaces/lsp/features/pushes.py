"""Tells the client unasked: the rankings of its sessions, the health of the server, and how far a
first index that takes long has come.
"""

from __future__ import annotations

import uuid

from lsprotocol import types as lsp
from pygls.capabilities import get_capability

from vouch_sidecar.engine import Pushes, SaliencePush, StatusPush
from vouch_sidecar.operations.notifications import salience_notification, status_notification
from vouch_sidecar.operations.readiness import indexed
from vouch_sidecar.surfaces.lsp.server import Sidecar

NOTICED = 0.5
"""Seconds after which progress is shown."""


async def push(server: Sidecar) -> None:
    """Never returns."""

    def tell(push: SaliencePush | StatusPush) -> None:
        if isinstance(push, StatusPush):
            server.protocol.notify("vouch/didChangeStatus", status_notification(push))
        else:
            server.protocol.notify("vouch/didChangeSalience", salience_notification(push))

    await Pushes(server.engine, server.caller, parts=server.parts).run(tell)


async def show_progress(server: Sidecar) -> None:
    """Raises JsonRpcException if the client refuses."""
    await indexed(server.engine, NOTICED)
    able = get_capability(server.client_capabilities, "window.work_done_progress")
    if server.engine.registry.has_looked or not able:
        return
    token, progress = uuid.uuid4().hex, server.work_done_progress
    await progress.create_async(token)
    progress.begin(token, lsp.WorkDoneProgressBegin(title="Indexing the knowledge base"))
    await indexed(server.engine)
    progress.end(token, lsp.WorkDoneProgressEnd())
