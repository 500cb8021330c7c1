"""What the client is told unasked: the ranking of its sessions and the health of the server."""

from __future__ import annotations

import asyncio

from vouch_sidecar.engine import Pushes
from vouch_sidecar.operations import salience_notification, status_notification
from vouch_sidecar.surfaces.lsp.server import Sidecar

__all__ = ["DELAY", "register"]

DELAY = 0.05
"""Seconds that changes are gathered before they are told."""
SLICE = 0.005
"""Seconds after which the sessions that are left wait: a change of the knowledge concerns all."""
BREATH = 0.001
"""Seconds that they wait."""


def register(server: Sidecar) -> None:
    """Tell the client of changes from its start to its end."""
    pusher = Pusher(server)
    server.on_start.append(pusher.start)
    server.on_close.append(pusher.stop)


class Pusher:
    """Gathers changes for `DELAY`, then sends what differs from what was sent before."""

    def __init__(self, server: Sidecar) -> None:
        self._server = server
        self._pushes = Pushes(server.engine, server.caller)
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        self._pushes = Pushes(self._server.engine, self._server.caller)
        self._server.engine.listeners.add(self.poke)
        self._server.on_touch.append(self.poke)
        self.poke()

    def stop(self) -> None:
        self._server.engine.dismiss(self.poke)
        self._server.engine.dismiss(self._push)
        if self._timer is not None:
            self._timer.cancel()

    def poke(self) -> None:
        """Something may have changed."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(DELAY, self._push)

    def _push(self) -> None:
        self._timer = None
        with self._server.engine.untold.contained(self._push, "What is in play could not be told"):
            self._tell_salience()
        if (status := self._pushes.status()) is not None:
            self._server.tell("vouch/didChangeStatus", status_notification(status))

    def _tell_salience(self) -> None:
        for change in self._pushes.salience(SLICE):
            self._server.tell("vouch/didChangeSalience", salience_notification(change))
        if self._pushes.behind:
            self._timer = asyncio.get_running_loop().call_later(BREATH, self._push)
