"""The knowledge bases and sessions of one process."""

from sidecar.engine.caller import Caller
from sidecar.engine.collection import Collection, Step
from sidecar.engine.engine import Engine, Served, UnknownRootError
from sidecar.engine.keeper import Keeper
from sidecar.engine.pushes import Pushes

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
