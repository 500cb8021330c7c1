"""The knowledge bases and sessions of one process."""

from typing import TYPE_CHECKING, Any

from vouch_sidecar.engine.callers import Caller, Served
from vouch_sidecar.engine.collection import Collection, Step
from vouch_sidecar.engine.engine import Engine, UnknownRootError
from vouch_sidecar.engine.pushes import Pushes, SaliencePush, StatusPush

if TYPE_CHECKING:
    from vouch_sidecar.engine.indexer import Indexer

__all__ = [
    "Caller",
    "Collection",
    "Engine",
    "Indexer",
    "Pushes",
    "SaliencePush",
    "Served",
    "StatusPush",
    "Step",
    "UnknownRootError",
]


def __getattr__(name: str) -> Any:
    """Import `Indexer` on demand: it imports an event loop and a watcher, for which a hook without
    a resident process has no time.
    """
    if name == "Indexer":
        from vouch_sidecar.engine.indexer import Indexer

        return Indexer
    raise AttributeError(name)
