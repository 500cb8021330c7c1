"""`python -m vouch_sidecar.surfaces.resident` serves hooks, and ends if another process does.

Holds the socket before it imports the engine, which takes half a second: a hook that comes
meanwhile connects and waits, and starts none.
"""

from __future__ import annotations

import gc
import os

from vouch_sidecar.surfaces.local.ownership import Ownership


def main() -> None:
    """Serve on the user's socket, unless another process holds it."""
    owned = Ownership.take(os.environ)
    if owned is None:
        return
    gc.disable()  # until the first answer, for which a prompt waits: a fifth of the imports' time
    from vouch_sidecar.surfaces.resident.process import serve

    serve(owned, os.environ)


if __name__ == "__main__":
    main()
