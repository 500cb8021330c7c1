"""What can be asked. One file an operation: params, result, handler, what models and people read.

Every surface, the schemas, the documentation and the types are made from `OPERATIONS`.
"""

from vouch_sidecar.operations.call import (
    perform,
    perform_async,
    read_params,
    refusing_if_damaged,
)
from vouch_sidecar.operations.capabilities import PROTOCOL, server_capabilities
from vouch_sidecar.operations.errors import (
    InvalidParamsError,
    Message,
    NotFoundError,
    OperationError,
    SearchFailedError,
)
from vouch_sidecar.operations.notifications import (
    NOTIFICATIONS,
    REQUESTS,
    PromptParams,
    salience_notification,
    status_notification,
)
from vouch_sidecar.operations.operation import Operation, operations
from vouch_sidecar.operations.pausing import PauseParams, pause_or_resume
from vouch_sidecar.operations.wire import Result, SessionId, ViewerParams, Wire, as_json

__all__ = [
    "NOTIFICATIONS",
    "OPERATIONS",
    "PROTOCOL",
    "REQUESTS",
    "InvalidParamsError",
    "Message",
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

OPERATIONS = operations()
