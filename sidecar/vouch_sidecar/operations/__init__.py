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

_HOMES = {
    "call": ("perform", "perform_async", "read_params", "refusing_if_damaged"),
    "capabilities": ("PROTOCOL", "server_capabilities"),
    "notifications": (
        "NOTIFICATIONS",
        "REQUESTS",
        "PauseParams",
        "PromptParams",
        "pause_or_resume",
        "salience_notification",
        "status_notification",
    ),
    "operation": ("Operation", "operations"),
    "wire": (
        "InvalidParamsError",
        "NotFoundError",
        "OperationError",
        "Result",
        "SearchFailedError",
        "SessionId",
        "ViewerParams",
        "Wire",
        "as_json",
    ),
}
"""By module, the names that come from it."""


def __getattr__(name: str) -> Any:
    if name == "OPERATIONS":
        return import_module(f"{__name__}.operation").operations()
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(name)
