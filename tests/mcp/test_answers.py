"""Answers of the MCP server in this process."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from vouch_sidecar.engine import DiskFollower, Engine
from vouch_sidecar.engine.collection import READY_SECONDS
from vouch_sidecar.surfaces.mcp import server

from tests.engine.bases import Clock, base, unread_engine


@pytest.mark.anyio
async def test_no_tool_waits_for_ever_for_the_first_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is never read here, and ten seconds are over."""
    waited: list[float] = []

    async def indexed(_: Engine, seconds: float = math.inf) -> None:
        waited.append(seconds)

    monkeypatch.setattr(server, "indexed", indexed)
    clock = Clock()
    engine = unread_engine(base(tmp_path / "kb"), clock=clock)
    clock.now += READY_SECONDS
    served = server.Answers(engine, DiskFollower(engine), tmp_path, every_tool=True)
    call = SimpleNamespace(name="kb_experts", arguments={"topic": "vault"})
    result: dict[str, Any] = await served.answer("tools/call", call)
    assert "index_building" in result["structuredContent"]["degraded"]
    assert waited == [0.0]
