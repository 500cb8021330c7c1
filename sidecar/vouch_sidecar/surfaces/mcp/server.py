"""The MCP server: handlers for the SDK, which hand calls to a `Desk`."""

from __future__ import annotations

import json
import logging
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextContent,
    TextResourceContents,
)

from vouch_sidecar import __version__
from vouch_sidecar.operations import OPERATIONS, InvalidParamsError, as_json
from vouch_sidecar.surfaces.mcp.desk import Desk
from vouch_sidecar.surfaces.mcp.guidance import INSTRUCTIONS
from vouch_sidecar.surfaces.mcp.resources import JSON, RESOURCES, TEMPLATES
from vouch_sidecar.surfaces.mcp.tools import PREFIX, all_tools

__all__ = ["build"]

log = logging.getLogger(__name__)

Context = ServerRequestContext[Any]
Page = PaginatedRequestParams | None
FILE = ("file_path", "content")


def build(desk: Desk) -> Server[Any]:
    """A server that answers with a desk."""
    handlers = _Handlers(desk)
    return Server(
        "vouch-sidecar",
        version=__version__,
        title="vouch sidecar",
        instructions=INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
    )


class _Handlers:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def list_tools(self, _: Context, __: Page) -> ListToolsResult:
        return ListToolsResult(tools=all_tools())

    async def call_tool(self, _: Context, params: CallToolRequestParams) -> CallToolResult:
        try:
            return await _called(self._desk, params.name, params.arguments or {})
        except InvalidParamsError as error:
            code = "missing_param" if error.missing else "invalid_request"
            return _refused(f"{code}: {error}")
        except MCPError:
            raise
        except Exception as error:  # its text may hold a prompt
            log.error("a tool failed: %s", type(error).__name__)
            return _refused("internal_error: internal error")

    async def list_resources(self, _: Context, __: Page) -> ListResourcesResult:
        return ListResourcesResult(resources=RESOURCES)

    async def list_templates(self, _: Context, __: Page) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=TEMPLATES)

    async def read_resource(
        self, _: Context, params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        try:
            text = await self._desk.read(params.uri)
        except InvalidParamsError:
            text = None
        if text is None:
            raise MCPError(INVALID_PARAMS, "there is no such resource")
        contents = TextResourceContents(uri=params.uri, mime_type=JSON, text=text)
        return ReadResourceResult(contents=[contents])


async def _called(desk: Desk, name: str, arguments: dict[str, Any]) -> CallToolResult:
    if name == "hook_prompt":
        return _said(await desk.hook("user-prompt-submit", arguments))
    if name == "hook_file":
        return _said(await desk.hook("post-tool-use", _tool_use(arguments)))
    operation = OPERATIONS.get(name.removeprefix(PREFIX)) if name.startswith(PREFIX) else None
    if operation is None:
        raise MCPError(INVALID_PARAMS, "there is no such tool")
    result = await desk.call(operation, arguments)
    said = _text(operation.readable(result))
    return CallToolResult(content=[said], structured_content=as_json(result))


def _tool_use(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `hook_file` in the form of an agent's event."""
    rest = {key: value for key, value in arguments.items() if key not in FILE}
    return {**rest, "tool_input": {key: arguments.get(key) for key in FILE}}


def _said(answered: dict[str, Any] | None) -> CallToolResult:
    """A hook's answer as the text of a tool's result, in which hosts read it.

    Claude Code 2.1.197 takes no plain text from a tool, only this (November 2026).
    """
    said = json.dumps(answered, ensure_ascii=False) if answered else ""
    return CallToolResult(content=[_text(said)])


def _refused(message: str) -> CallToolResult:
    return CallToolResult(content=[_text(message)], is_error=True)


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)
