"""The server of the MCP SDK."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import McpError
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequest,
    CallToolResult,
    ClientCapabilities,
    ErrorData,
    ListToolsRequest,
    ListToolsResult,
    RootsCapability,
    ServerResult,
)

from vouch_sidecar import __version__
from vouch_sidecar.surfaces.local.client import SOON_SECONDS
from vouch_sidecar.surfaces.mcp.server import MCP_NAME, Answers, UnknownError
from vouch_sidecar.surfaces.mcp.tools import INSTRUCTIONS

OFFERS_ROOTS = ClientCapabilities(roots=RootsCapability())
RESULTS: dict[type[Any], type[Any]] = {
    ListToolsRequest: ListToolsResult,
    CallToolRequest: CallToolResult,
}


def build(answers: Answers) -> Server[Any, Any]:
    """The SDK's server, which sends `answers`."""

    async def folders() -> list[str]:
        """The client's roots."""
        session = server.request_context.session
        if session.check_client_capability(OFFERS_ROOTS):
            with anyio.move_on_after(SOON_SECONDS), suppress(McpError):
                return [str(root.uri) for root in (await session.list_roots()).roots]
        return []

    async def handle(request: Any) -> ServerResult:
        try:
            answered = await answers.answer(request.method, request.params, folders)
        except UnknownError as error:
            raise McpError(ErrorData(code=INVALID_PARAMS, message=str(error))) from None
        return ServerResult(RESULTS[type(request)].model_validate(answered))

    # The SDK's decorators would validate arguments, and quote invalid ones in errors.
    server: Server[Any, Any] = Server(MCP_NAME, version=__version__, instructions=INSTRUCTIONS)
    server.request_handlers.update(dict.fromkeys(RESULTS, handle))
    return server
