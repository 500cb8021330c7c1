"""The server for version 2 of the MCP SDK."""

from __future__ import annotations

from typing import Any

from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolResult,
    ListToolsResult,
)

from vouch_sidecar import __version__
from vouch_sidecar.surfaces.mcp.server import MCP_NAME, Answers, UnknownError
from vouch_sidecar.surfaces.mcp.tools import INSTRUCTIONS


def build(answers: Answers) -> Server[Any]:
    """The SDK's server, which sends `answers`."""

    def handler(method: str, result: type[Any]) -> Any:
        async def handle(_: object, params: Any) -> Any:
            try:
                return result.model_validate(await answers.answer(method, params))
            except UnknownError as error:
                raise MCPError(INVALID_PARAMS, str(error)) from None

        return handle

    return Server(
        MCP_NAME,
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=handler("tools/list", ListToolsResult),
        on_call_tool=handler("tools/call", CallToolResult),
    )
