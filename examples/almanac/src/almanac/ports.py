"""Ports and their harmonic constants, from the cache or the hydrographic office."""

from __future__ import annotations

import json
from pathlib import Path

from almanac.tides import TideTable


class UnknownPortError(LookupError):
    """A port without harmonic constants."""


def load_port(code: str, cache: Path) -> TideTable:
    """The tide table of a port. Raises UnknownPortError."""
    try:
        constants = json.loads((cache / f"{code}.json").read_text("utf-8"))
    except FileNotFoundError:
        raise UnknownPortError(code) from None
    return TideTable(code, tuple(map(tuple, constants)))
