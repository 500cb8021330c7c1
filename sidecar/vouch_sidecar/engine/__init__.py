"""The knowledge bases and sessions of one process."""

from vouch_sidecar.engine.caller import Caller
from vouch_sidecar.engine.collection import Collection, Step
from vouch_sidecar.engine.engine import Engine, UnknownRootError
from vouch_sidecar.engine.keeper import Keeper
from vouch_sidecar.engine.pushes import Pushes, SaliencePush, StatusPush
from vouch_sidecar.engine.served import Served

__all__ = [
    "Caller",
    "Collection",
    "Engine",
    "Keeper",
    "Pushes",
    "SaliencePush",
    "Served",
    "StatusPush",
    "Step",
    "UnknownRootError",
]
