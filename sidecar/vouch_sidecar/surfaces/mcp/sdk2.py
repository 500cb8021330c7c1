"""The server with version 2 of the MCP SDK."""

from __future__ import annotations

from typing import Any

from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    ReadResourceRequestParams,
    ReadResourceResult,
)

from vouch_sidecar import __version__
from vouch_sidecar.surfaces.mcp.resources import RESOURCES, TEMPLATES
from vouch_sidecar.surfaces.mcp.server import NAME, Answers, UnknownError
from vouch_sidecar.surfaces.mcp.tools import INSTRUCTIONS

__all__ = ["build"]


def build(answers: Answers) -> Server[Any]:
    """The SDK's server, which gives these answers."""

    async def list_tools(*_: object) -> ListToolsResult:
        return ListToolsResult.model_validate({"tools": answers.tools})

    async def list_resources(*_: object) -> ListResourcesResult:
        return ListResourcesResult.model_validate({"resources": RESOURCES})

    async def list_templates(*_: object) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult.model_validate({"resourceTemplates": TEMPLATES})

    async def call_tool(_: object, params: CallToolRequestParams) -> CallToolResult:
        try:
            called = await answers.call(params.name, params.arguments or {})
        except UnknownError as error:
            raise MCPError(INVALID_PARAMS, str(error)) from None
        return CallToolResult.model_validate(called)

    async def read_resource(_: object, params: ReadResourceRequestParams) -> ReadResourceResult:
        try:
            return ReadResourceResult.model_validate(await answers.read(params.uri))
        except UnknownError as error:
            raise MCPError(INVALID_PARAMS, str(error)) from None

    return Server(
        NAME,
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )
