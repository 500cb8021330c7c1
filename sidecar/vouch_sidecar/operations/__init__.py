"""What can be asked. One file an operation: params, result, handler, and its table for readers.

Every surface, the schemas, the documentation and the types are made from `OPERATIONS`. A name is
imported when it is first used: a shell that asks another process needs few of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vouch_sidecar.operations.call import (
        perform,
        perform_async,
        read_params,
        refusing_if_damaged,
    )
    from vouch_sidecar.operations.capabilities import PROTOCOL, server_capabilities
    from vouch_sidecar.operations.notifications import (
        NOTIFICATIONS,
        REQUESTS,
        PauseParams,
        PromptParams,
        pause_or_resume,
        salience_notification,
        status_notification,
    )
    from vouch_sidecar.operations.operation import Operation, operations
    from vouch_sidecar.operations.wire import (
        InvalidParamsError,
        NotFoundError,
        OperationError,
        Result,
        SearchFailedError,
        SessionId,
        ViewerParams,
        Wire,
        as_json,
    )

    OPERATIONS = operations()

__all__ = [
    "NOTIFICATIONS",
    "OPERATIONS",
    "PROTOCOL",
    "REQUESTS",
    "InvalidParamsError",
    "NotFoundError",
    "Operation",
    "OperationError",
    "PauseParams",
    "PromptParams",
    "Result",
    "SearchFailedError",
    "SessionId",
    "ViewerParams",
    "Wire",
    "as_json",
    "pause_or_resume",
    "perform",
    "perform_async",
    "read_params",
    "refusing_if_damaged",
    "salience_notification",
    "server_capabilities",
    "status_notification",
]

_HOMES = ("wire", "operation", "call", "notifications", "capabilities")
"""The modules that the names come from. Each imports only those before it."""


def __getattr__(name: str) -> Any:
    if name == "OPERATIONS":
        return import_module(f"{__name__}.operation").operations()
    for module in _HOMES if name in __all__ else ():
        home = import_module(f"{__name__}.{module}")
        if hasattr(home, name):
            return getattr(home, name)
    raise AttributeError(name)
