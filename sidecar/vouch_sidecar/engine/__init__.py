"""The knowledge bases and sessions of one process.

What is named here is imported when it is used: a hook that works alone needs a little of it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vouch_sidecar.engine.caller import Caller
    from vouch_sidecar.engine.collection import Collection, Step
    from vouch_sidecar.engine.engine import Engine, UnknownRootError
    from vouch_sidecar.engine.keeper import Keeper
    from vouch_sidecar.engine.pushes import Pushes
    from vouch_sidecar.engine.served import Served

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
    return getattr(importlib.import_module(f"vouch_sidecar.engine.{home}"), name)
