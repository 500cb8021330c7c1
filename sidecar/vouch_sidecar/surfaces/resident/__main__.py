"""`python -m vouch_sidecar.surfaces.resident ROOT...` serves the knowledge bases in these folders
that no process serves yet, and ends if there are none.

Takes the sockets before it imports the engine, which takes half a second: a hook that comes
meanwhile connects and waits, and starts none.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from vouch_sidecar.surfaces.local.ownership import Ownership


def main() -> None:
    """Serve the knowledge bases that the command line names."""
    roots = [Path(root) for root in sys.argv[1:]]
    taken = {root: Ownership.take(root, os.environ) for root in roots}
    owned = {root: ownership for root, ownership in taken.items() if ownership is not None}
    if not owned:
        return
    from vouch_sidecar.surfaces.resident.process import serve

    serve(roots, owned, os.environ)


if __name__ == "__main__":
    main()
