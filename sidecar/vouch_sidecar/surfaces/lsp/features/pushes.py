"""What the client is told unasked: the ranking of its sessions and the health of the server."""

from __future__ import annotations

from functools import partial

from vouch_sidecar.engine import Pushes, SaliencePush, StatusPush
from vouch_sidecar.operations import salience_notification, status_notification
from vouch_sidecar.surfaces.keeping import keep_told
from vouch_sidecar.surfaces.lsp.server import Sidecar


def register(server: Sidecar) -> None:
    """Tell the client of changes from its start on."""

    def start() -> None:
        pushes = Pushes(server.engine, server.caller, parts=server.parts)
        server.spawn(keep_told(server.engine, pushes, partial(_tell, server)))

    server.on_start.append(start)


def _tell(server: Sidecar, push: SaliencePush | StatusPush) -> None:
    if isinstance(push, StatusPush):
        server.protocol.notify("vouch/didChangeStatus", status_notification(push))
    else:
        server.protocol.notify("vouch/didChangeSalience", salience_notification(push))
