"""`python -m vouch_sidecar.surfaces.resident` serves hooks, MCP servers and the shell over the
user's socket, without a client of its own. A hook starts it.

Holds the socket before it imports the engine, which takes half a second: a hook that comes
meanwhile connects and waits, and starts none.
"""

from __future__ import annotations

import os

from vouch_sidecar.surfaces.local.user_socket import Ownership


def main() -> None:
    """Serve, unless another process holds the socket, until this was idle for long, is asked to
    end, or nobody finds the socket any more.
    """
    if (owned := Ownership.take(os.environ)) is not None:
        from vouch_sidecar.surfaces.socket_server import run_resident

        run_resident(os.environ, owned)


if __name__ == "__main__":
    main()
