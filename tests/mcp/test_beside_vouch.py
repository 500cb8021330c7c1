"""vouch's own server and ours in one host."""

from __future__ import annotations

import re
import shutil
from contextlib import AsyncExitStack
from pathlib import Path

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.mcp.client import ROOT, called, text_of
from tests.oracle import COMMAND as VOUCH
from tests.protocol.client import COMMAND
from tests.surfaces.courier import COURIER

SERVERS = {"vouch": (VOUCH, ["serve"]), "vouch-sidecar": (COMMAND, ["mcp"])}
ALL = {"vouch": ["serve"], "vouch-sidecar": ["mcp", "--tools", "all"]}
PAGE = (ROOT / "docs" / "agents.md").read_text("utf-8")


def test_both_run_in_one_host_and_the_page_names_what_is_called_alike(
    tmp_path: Path, env: dict[str, str]
) -> None:
    shutil.copytree(COURIER, tmp_path / "courier")
    section = PAGE.partition("## Beside vouch's own server")[2].partition("\n## ")[0]
    table, hide = section.partition("So that an agent does not take")[::2]
    of_both = set(re.findall(r"`(kb_\w+)`", "".join(re.findall(r"\n\| (`kb_[^|]+)\|", table))))

    async def listed(**more: str) -> dict[str, set[str]]:
        found = {}
        async with AsyncExitStack() as stack:
            sessions = {}
            for name, (command, args) in SERVERS.items():
                server = StdioServerParameters(
                    command=str(command),
                    args=ALL[name] if more else args,
                    cwd=tmp_path / "courier",
                    env={**env, **more},
                )
                streams = await stack.enter_async_context(stdio_client(server))
                session = await stack.enter_async_context(ClientSession(*streams))
                assert (await session.initialize()).serverInfo.name == name
                sessions[name] = session
            for name, session in sessions.items():
                found[name] = {tool.name for tool in (await session.list_tools()).tools}
            for session in sessions.values():
                said = await called(session, "kb_search", query="Relay")
                assert not said.isError
            ours = await called(sessions["vouch-sidecar"], "kb_claim", id="drain-before-restart")
            assert "drain" in text_of(ours)
        return found

    default = anyio.run(listed)
    assert default["vouch"] & default["vouch-sidecar"] == {"kb_search", "kb_context"}
    assert {"kb_propose_claim", "kb_propose_page", "kb_list_pending"} <= default["vouch"]
    for name in ("kb_search", "kb_context"):
        assert name in hide
    every = anyio.run(lambda: listed(VOUCH_TOOL_PROFILE="full"))
    assert every["vouch"] & every["vouch-sidecar"] == of_both
