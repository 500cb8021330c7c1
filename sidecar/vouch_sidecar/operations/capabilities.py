"""Say what this server answers and sends."""

from __future__ import annotations

from pydantic import Field

from vouch_sidecar.operations.notifications import NOTIFICATIONS, REQUESTS
from vouch_sidecar.operations.operation import Operation, operations
from vouch_sidecar.operations.wire import Params, Result

PROTOCOL = 1


class CapabilitiesResult(Result):
    """What this server answers and sends."""

    protocol: int = Field(description="Rises when clients have to change.")
    methods: list[str] = Field(description="Requests, as LSP calls them.")
    notifications: list[str] = Field(description="Taken or sent, as LSP calls them.")


def server_capabilities() -> CapabilitiesResult:
    """What this server answers and sends."""
    return CapabilitiesResult(
        protocol=PROTOCOL,
        methods=[*(operation.method for operation in operations().values()), *REQUESTS],
        notifications=sorted(NOTIFICATIONS),
    )


OPERATION = Operation(
    name="capabilities",
    summary="What this server answers and sends.",
    params=Params,
    result=CapabilitiesResult,
    run=lambda _, __: server_capabilities(),
    when="Names and version of this server's methods. Not needed in ordinary work.",
    example={},
)
