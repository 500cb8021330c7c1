"""The SDK's own client on the real process, for tests that are not async themselves."""

import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult, ErrorData, ListRootsResult, Root, TextContent, Tool
from pydantic import FileUrl

from tests.hook.conftest import Place, left_alone
from tests.protocol.client import COMMAND


@asynccontextmanager
async def _session(
    command: StdioServerParameters, offers: Path | None, errors: TextIO
) -> AsyncIterator[ClientSession]:
    async def roots(context: Any) -> ListRootsResult | ErrorData:  # noqa: ARG001
        assert offers is not None
        return ListRootsResult(roots=[Root(uri=FileUrl(offers.as_uri()))])

    async with (
        stdio_client(command, errors) as (source, sink),
        ClientSession(source, sink, list_roots_callback=roots if offers else None) as session,
    ):
        await session.initialize()
        yield session


@dataclass
class Host:
    """A session, and the thread's event loop in which it lives."""

    session: ClientSession
    portal: BlockingPortal

    def tools(self) -> list[Tool]:
        return self.portal.call(self.session.list_tools).tools

    def call(self, tool: str, /, **arguments: Any) -> CallToolResult:
        """The result of a tool, named without `kb_`."""
        answer: CallToolResult = self.portal.call(self.session.call_tool, f"kb_{tool}", arguments)
        return answer


@contextmanager
def host(
    cwd: Path,
    env: Mapping[str, str],
    *args: str,
    offers: Path | None = None,
    errors: TextIO = sys.stderr,
) -> Iterator[Host]:
    """A host whose server runs in a folder; `offers` is its root, `errors` takes standard error."""
    words = ["mcp", *args]
    command = StdioServerParameters(command=str(COMMAND), args=words, cwd=cwd, env=dict(env))
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(_session(command, offers, errors)) as session,
    ):
        yield Host(session, portal)


def text_of(result: CallToolResult) -> str:
    """The text of a result; it has one part."""
    (part,) = result.content
    assert isinstance(part, TextContent)
    return part.text


def content_of(result: CallToolResult) -> dict[str, Any]:
    assert result.structuredContent is not None
    return result.structuredContent


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    """One for a module. What the disk holds is the same afterwards."""
    with left_alone() as made:
        yield made


@pytest.fixture(scope="module")
def mcp(place: Place) -> Iterator[Host]:
    with host(place.root, place.env) as one:
        yield one
