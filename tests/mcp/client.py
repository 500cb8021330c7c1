"""The SDK's own client on the real process, for tests that are not async themselves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TextIO, TypeVar

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, TextContent, TextResourceContents

from tests.protocol.client import COMMAND

__all__ = ["called", "connected", "json_of", "text_of"]

T = TypeVar("T")


def connected(
    cwd: Path,
    env: Mapping[str, str],
    talk: Callable[[ClientSession], Awaitable[T]],
    *args: str,
    errors: TextIO | None = None,
) -> T:
    """What `talk` gives, with a session on a server that runs in a folder."""
    server = StdioServerParameters(
        command=str(COMMAND), args=["mcp", *args], cwd=cwd, env=dict(env)
    )

    async def main() -> T:
        kwargs: dict[str, Any] = {} if errors is None else {"errlog": errors}
        async with stdio_client(server, **kwargs) as streams, ClientSession(*streams) as session:
            await session.initialize()
            return await talk(session)

    return anyio.run(main)


async def called(session: ClientSession, name: str, **arguments: Any) -> CallToolResult:
    """The result of a tool."""
    return await session.call_tool(name, arguments)


def text_of(result: CallToolResult) -> str:
    """The text of a result; it has one part."""
    (part,) = result.content
    assert isinstance(part, TextContent)
    return part.text


async def json_of(session: ClientSession, uri: str) -> str:
    """The text of a resource; it has one part."""
    (part,) = (await session.read_resource(uri)).contents
    assert isinstance(part, TextResourceContents)
    assert part.mime_type == "application/json"
    return part.text
