"""The knowledge bases and sessions of one process.

What is named here is imported when it is used: a hook that works alone needs a little of it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sidecar.engine.caller import Caller
    from sidecar.engine.collection import Collection, Step
    from sidecar.engine.engine import Engine, UnknownRootError
    from sidecar.engine.keeper import Keeper
    from sidecar.engine.pushes import Pushes
    from sidecar.engine.served import Served

__all__ = [
    "Caller",
    "Collection",
    "Engine",
    "Keeper",
    "Pushes",
    "Served",
    "Step",
    "UnknownRootError",
]

_HOMES = {"Step": "collection", "UnknownRootError": "engine"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(name)
    home = _HOMES.get(name, name.lower())
    return getattr(importlib.import_module(f"sidecar.engine.{home}"), name)
