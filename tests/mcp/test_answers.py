"""Answers of the MCP server in this process."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from vouch_sidecar.engine import DiskFollower
from vouch_sidecar.engine.collection import READY_SECONDS
from vouch_sidecar.surfaces.mcp.server import Answers

from tests.engine.bases import Clock, base, unread_engine


@pytest.mark.anyio
async def test_no_tool_waits_for_ever_for_the_first_index(tmp_path: Path) -> None:
    """It is never read here, and ten seconds are over."""
    clock = Clock()
    engine = unread_engine(base(tmp_path / "kb"), clock=clock)
    clock.now += READY_SECONDS
    own = engine, DiskFollower(engine)
    served = Answers(engine.env, tmp_path, lambda: own, every_tool=True)
    call = SimpleNamespace(name="kb_experts", arguments={"topic": "vault"})
    result: dict[str, Any] = await served.answer("tools/call", call)
    assert "index_building" in result["structuredContent"]["degraded"]
