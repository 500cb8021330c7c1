"""The SDK's own client on the real process, for tests that are not async themselves."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TextIO, TypeVar

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult, TextContent

from tests.protocol.client import COMMAND

ROOT = Path(__file__).parents[2]

T = TypeVar("T")


def connected(
    cwd: Path,
    env: Mapping[str, str],
    talk: Callable[[ClientSession], Awaitable[T]],
    *args: str,
    errors: TextIO | None = None,
) -> T:
    """What `talk` gives, with a session on a server that runs in a folder."""

    async def main() -> T:
        async with session_on(cwd, env, *args, errors=errors) as session:
            return await talk(session)

    return anyio.run(main)


@asynccontextmanager
async def session_on(
    cwd: Path, env: Mapping[str, str], *args: str, errors: TextIO | None = None
) -> AsyncIterator[ClientSession]:
    """A session on a server that runs in a folder."""
    server = StdioServerParameters(
        command=str(COMMAND), args=["mcp", *args], cwd=cwd, env=dict(env)
    )
    kwargs: dict[str, Any] = {} if errors is None else {"errlog": errors}
    async with stdio_client(server, **kwargs) as streams, ClientSession(*streams) as session:
        await session.initialize()
        yield session


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
