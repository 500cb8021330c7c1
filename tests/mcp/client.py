"""The SDK's own client on the real process, for tests that are not async themselves."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TextIO, TypeVar

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult, ErrorData, ListRootsResult, Root, TextContent
from pydantic import FileUrl

from tests.protocol.client import COMMAND

T = TypeVar("T")


def connected(
    cwd: Path,
    env: Mapping[str, str],
    talk: Callable[[ClientSession], Awaitable[T]],
    *args: str,
    offers: Path | None = None,
    errors: TextIO = sys.stderr,
) -> T:
    """What `talk` gives, with a session on a server that runs in a folder. `offers`: the root that
    the client offers; `errors`: what takes the server's standard error.
    """

    async def roots(context: Any) -> ListRootsResult | ErrorData:  # noqa: ARG001
        assert offers is not None
        return ListRootsResult(roots=[Root(uri=FileUrl(offers.as_uri()))])

    async def main() -> T:
        command = StdioServerParameters(
            command=str(COMMAND), args=["mcp", *args], cwd=cwd, env=dict(env)
        )
        asked = None if offers is None else roots
        async with (
            stdio_client(command, errors) as (source, sink),
            ClientSession(source, sink, list_roots_callback=asked) as session,
        ):
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


def content_of(result: CallToolResult) -> dict[str, Any]:
    """The structured content of a result."""
    assert result.structuredContent is not None
    return result.structuredContent
