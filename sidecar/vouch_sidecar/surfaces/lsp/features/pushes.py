"""Sends pushes to the client: the rankings of its sessions and the health of the server."""

from __future__ import annotations

from functools import partial

from vouch_sidecar.engine import Pushes, SaliencePush, StatusPush
from vouch_sidecar.operations import salience_notification, status_notification
from vouch_sidecar.surfaces.lsp.server import Sidecar


def register(server: Sidecar) -> None:
    """Send pushes from the start of the client on."""
    server.on_start.append(partial(_push, server))


async def _push(server: Sidecar) -> None:
    def tell(push: SaliencePush | StatusPush) -> None:
        if isinstance(push, StatusPush):
            server.protocol.notify("vouch/didChangeStatus", status_notification(push))
        else:
            server.show(salience_notification(push))

    await Pushes(server.engine, server.caller, parts=server.parts).run(tell)
