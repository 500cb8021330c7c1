"""The server with version 1 of the MCP SDK, from 1.12 on."""

from __future__ import annotations

from typing import Any

from mcp.server.lowlevel import Server
from mcp.shared.exceptions import McpError
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequest,
    CallToolResult,
    ErrorData,
    ListResourcesRequest,
    ListResourcesResult,
    ListResourceTemplatesRequest,
    ListResourceTemplatesResult,
    ListToolsRequest,
    ListToolsResult,
    ReadResourceRequest,
    ReadResourceResult,
    ServerResult,
)

from vouch_sidecar import __version__
from vouch_sidecar.surfaces.mcp.resources import RESOURCES, TEMPLATES
from vouch_sidecar.surfaces.mcp.server import NAME, Answers, UnknownError
from vouch_sidecar.surfaces.mcp.tools import INSTRUCTIONS

__all__ = ["build"]


def build(answers: Answers) -> Server[Any, Any]:
    """The SDK's server, which gives these answers."""

    async def list_tools(_: object) -> ServerResult:
        return ServerResult(ListToolsResult.model_validate({"tools": answers.tools}))

    async def list_resources(_: object) -> ServerResult:
        return ServerResult(ListResourcesResult.model_validate({"resources": RESOURCES}))

    async def list_templates(_: object) -> ServerResult:
        listed = {"resourceTemplates": TEMPLATES}
        return ServerResult(ListResourceTemplatesResult.model_validate(listed))

    async def call_tool(request: CallToolRequest) -> ServerResult:
        try:
            called = await answers.call(request.params.name, request.params.arguments or {})
        except UnknownError as error:
            raise _unknown(error) from None
        return ServerResult(CallToolResult.model_validate(called))

    async def read_resource(request: ReadResourceRequest) -> ServerResult:
        try:
            read = await answers.read(str(request.params.uri))
        except UnknownError as error:
            raise _unknown(error) from None
        return ServerResult(ReadResourceResult.model_validate(read))

    # Its decorators would check arguments by the tool's schema, and quote them where they are bad.
    server: Server[Any, Any] = Server(NAME, version=__version__, instructions=INSTRUCTIONS)
    server.request_handlers[ListToolsRequest] = list_tools
    server.request_handlers[CallToolRequest] = call_tool
    server.request_handlers[ListResourcesRequest] = list_resources
    server.request_handlers[ListResourceTemplatesRequest] = list_templates
    server.request_handlers[ReadResourceRequest] = read_resource
    return server


def _unknown(error: UnknownError) -> McpError:
    return McpError(ErrorData(code=INVALID_PARAMS, message=str(error)))
