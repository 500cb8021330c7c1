"""The server of the MCP SDK."""

from __future__ import annotations

from typing import Any

from mcp.server.lowlevel import Server
from mcp.shared.exceptions import McpError
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequest,
    CallToolResult,
    ErrorData,
    ListToolsRequest,
    ListToolsResult,
    ServerResult,
)

from vouch_sidecar import __version__
from vouch_sidecar.surfaces.mcp.server import MCP_NAME, Answers, UnknownError
from vouch_sidecar.surfaces.mcp.tools import INSTRUCTIONS

RESULTS: dict[type[Any], type[Any]] = {
    ListToolsRequest: ListToolsResult,
    CallToolRequest: CallToolResult,
}


def build(answers: Answers) -> Server[Any, Any]:
    """The SDK's server, which sends `answers`."""

    async def handle(request: Any) -> ServerResult:
        try:
            answered = await answers.answer(request.method, request.params)
        except UnknownError as error:
            raise McpError(ErrorData(code=INVALID_PARAMS, message=str(error))) from None
        return ServerResult(RESULTS[type(request)].model_validate(answered))

    # The SDK's decorators would validate arguments, and quote invalid ones in errors.
    server: Server[Any, Any] = Server(MCP_NAME, version=__version__, instructions=INSTRUCTIONS)
    server.request_handlers.update(dict.fromkeys(RESULTS, handle))
    return server
