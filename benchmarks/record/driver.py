"""Runs the program of one tree at a fixed time: `driver.py FOLDER PACKAGE SECONDS ARGUMENT...`.

FOLDER is where PACKAGE has to come from. Nothing of the package is imported before the clock
stands still, so that a default argument takes the clock that stands still.
"""

from __future__ import annotations

import sys
import time
from importlib import import_module
from pathlib import Path


def main() -> None:
    """Run the command line of the package; it takes ARGUMENT... for its own."""
    folder, package, seconds, *arguments = sys.argv[1:]
    now = float(seconds)
    time.time = lambda: now
    entry = import_module(f"{package}.surfaces.entry")
    if not Path(entry.__file__ or "").resolve().is_relative_to(Path(folder).resolve()):
        sys.exit(f"{package} comes from {entry.__file__}, not from {folder}")
    sys.argv = ["vouch-sidecar", *arguments]
    entry.main()


if __name__ == "__main__":
    main()
