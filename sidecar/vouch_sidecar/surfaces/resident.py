"""`python -m vouch_sidecar.surfaces.resident` serves hooks, MCP servers and the shell over the
user's socket, without a client of its own. A hook starts it.

Holds the socket before it imports the engine, which takes half a second: a hook that comes
meanwhile connects and waits, and starts none.
"""

from __future__ import annotations

import os
import signal

from vouch_sidecar.surfaces.local.ownership import Ownership


def main() -> None:
    """Serve, unless another process holds the socket, until this was idle for long, is asked to
    end, or nobody finds the socket any more.
    """
    owned = Ownership.take(os.environ)
    if owned is None:
        return
    import anyio

    from vouch_sidecar.surfaces.stdio import leave

    signal.signal(signal.SIGTERM, lambda *_: leave(0))
    anyio.run(_serve, owned)
    leave(0)


async def _serve(owned: Ownership) -> None:
    import anyio

    from vouch_sidecar.surfaces.socket_server import LocalServer

    async with anyio.create_task_group() as tasks:
        await LocalServer(os.environ, tasks).own(owned)
        tasks.cancel_scope.cancel()


if __name__ == "__main__":
    main()
