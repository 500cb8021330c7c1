"""When an agent was here last, kept in the user's cache: a time and a number of claims, and nothing
of what was said.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.kb.access import Viewer

MAX_BYTES = 64


class Last(NamedTuple):
    """When a session began or ended, in seconds since 1970, and how many claims it could see."""

    at: float
    claims: int


def last_session(collection: Collection, viewer: Viewer | None) -> Last | None:
    """The last session of an agent in a knowledge base; None where none is known."""
    file = _file(collection, viewer)
    with suppress(OSError, ValueError, TypeError):
        if file is not None:
            at, claims = file.read_bytes()[:MAX_BYTES].split()
            return Last(float(at), int(claims))
    return None


def note_session(collection: Collection, viewer: Viewer | None, last: Last) -> None:
    """Remember it for the next one. Where there is no room for that, nothing happens."""
    file = _file(collection, viewer)
    if file is None:
        return
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial = file.with_suffix(f".{os.getpid()}")
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as written:
            written.write(f"{last.at:.0f} {last.claims}\n")
        partial.replace(file)


def _file(collection: Collection, viewer: Viewer | None) -> Path | None:
    if collection.bases is None:
        return None
    who = viewer or Viewer()
    parts = (str(collection.root), who.project or "", who.agent or "")
    name = blake2b("\0".join(parts).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
    return collection.bases.caches / f"last-{name}"
