"""What to do where there is no knowledge base."""

from __future__ import annotations

import os
from glob import glob
from pathlib import Path

from vouch_sidecar.kb.sanitize import count

PLACES = (
    *("docs/adr", "docs/adrs", "docs/decisions", "docs/architecture/decisions", "docs/rfcs"),
    *("doc/adr", "adr", "adrs", "rfcs", "docs"),
)
"""Where decisions and other documents lie, the likeliest place first."""


def how_to_begin(folder: str | os.PathLike[str]) -> str:
    """The commands that make a knowledge base in a folder: of the documents in it, where some lie
    in a usual place.
    """
    for place in PLACES:
        if files := len(glob("*.md", root_dir=Path(folder, place))):  # noqa: PTH207  # raises nothing
            each = f'for file in {place}/*.md; do vouch ingest "$file"; done'
            return (
                f"to make one of {place}, {count(files, 'file')}: `pipx install vouch-kb`, "
                f"`vouch init`, `{each}`; `vouch-sidecar demo` shows an example"
            )
    return (
        "to make one: `pipx install vouch-kb`, then `vouch init` in the folder of your project; "
        "`--root FOLDER` looks elsewhere; `vouch-sidecar demo` shows an example"
    )
