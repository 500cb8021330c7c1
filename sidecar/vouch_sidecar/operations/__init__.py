"""What can be asked: one table that feeds every surface, the schemas and the types."""

from vouch_sidecar.operations.cards import EntityCard, Mentioned, mentioned_at
from vouch_sidecar.operations.errors import (
    InvalidParamsError,
    Message,
    OperationError,
    UnknownOperationError,
)
from vouch_sidecar.operations.rows import salience_notification, status_notification
from vouch_sidecar.operations.table import (
    NOTIFICATIONS,
    OPERATIONS,
    PROTOCOL,
    Operation,
    call,
    capabilities,
    read_params,
)

__all__ = [
    "NOTIFICATIONS",
    "OPERATIONS",
    "PROTOCOL",
    "EntityCard",
    "InvalidParamsError",
    "Mentioned",
    "Message",
    "Operation",
    "OperationError",
    "UnknownOperationError",
    "call",
    "capabilities",
    "mentioned_at",
    "read_params",
    "salience_notification",
    "status_notification",
]
