"""The knowledge bases and sessions of one process."""

from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.disk_follower import running
from vouch_sidecar.engine.engine import Engine
from vouch_sidecar.engine.pushes import Subscriber
from vouch_sidecar.engine.registry import Caller, Served, UnknownRootError

__all__ = [
    "Caller",
    "Collection",
    "Engine",
    "Served",
    "Subscriber",
    "UnknownRootError",
    "running",
]
