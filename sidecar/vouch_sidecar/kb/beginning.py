"""What to do where there is no knowledge base. Standard library only."""

from __future__ import annotations

import os
from itertools import islice

PLACES = (
    *("docs/adr", "docs/adrs", "docs/decisions", "docs/architecture/decisions", "docs/rfcs"),
    *("doc/adr", "adr", "adrs", "rfcs", "docs"),
)
"""Where decisions and other documents lie, the likeliest place first."""
MOST = 1_000
"""Entries of a folder that are looked at."""


def how_to_begin(folder: str | os.PathLike[str]) -> str:
    """The commands that make a knowledge base in a folder: of the documents in it, where some lie
    in a usual place.
    """
    for place in PLACES:
        try:
            with os.scandir(f"{os.fspath(folder)}/{place}") as entries:
                files = sum(
                    entry.name.endswith(".md") and entry.is_file(follow_symlinks=False)
                    for entry in islice(entries, MOST)
                )
        except OSError:
            continue
        if files:
            each = f'for file in {place}/*.md; do vouch ingest "$file"; done'
            number = "1 file" if files == 1 else f"{files} files"
            return (
                f"to make one of {place}, {number}: `pipx install vouch-kb`, `vouch init`, "
                f"`{each}`; `vouch-sidecar demo` shows an example"
            )
    return (
        "to make one: `pipx install vouch-kb`, then `vouch init` in the folder of your project; "
        "`--root FOLDER` looks elsewhere; `vouch-sidecar demo` shows an example"
    )
