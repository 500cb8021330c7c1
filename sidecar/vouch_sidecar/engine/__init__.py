"""The knowledge bases and sessions of one process."""

from typing import TYPE_CHECKING, Any

from vouch_sidecar.engine.caller import Caller
from vouch_sidecar.engine.collection import Collection, Step
from vouch_sidecar.engine.engine import Engine, UnknownRootError
from vouch_sidecar.engine.pushes import Pushes, SaliencePush, StatusPush
from vouch_sidecar.engine.served import Served

if TYPE_CHECKING:
    from vouch_sidecar.engine.keeper import Keeper

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


def __getattr__(name: str) -> Any:
    """The keeper brings an event loop and a watcher, which a hook that works alone has no time to
    import.
    """
    if name == "Keeper":
        from vouch_sidecar.engine.keeper import Keeper

        return Keeper
    raise AttributeError(name)
