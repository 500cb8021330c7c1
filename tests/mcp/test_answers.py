"""What an agent was given counts as given once it has the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from vouch_sidecar.engine import Caller
from vouch_sidecar.operations import OPERATIONS
from vouch_sidecar.surfaces.agent_requests import answer_agent
from vouch_sidecar.surfaces.local.user_socket import TOOL

from tests.engine.bases import base, engine_on

TASK = {"task": "How often do keys rotate in the Key Vault?", "repeat": False}


@pytest.mark.anyio
async def test_what_nobody_heard_was_not_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither where the answer came too late, nor where the call was cancelled meanwhile."""
    engine, context = engine_on(base(tmp_path / "kb")), OPERATIONS["context"]
    request = {"id": 1, "method": f"{TOOL}context", "params": {"session_id": "agent", **TASK}}

    async def given(is_awaited: Callable[[], bool] = lambda: True) -> int:
        answered = await answer_agent(engine, request, Caller(is_model=True), is_awaited)
        return len(answered["result"]["structuredContent"]["items"])

    heard = await given(lambda: False)
    assert heard > 0
    loop, scope = asyncio.get_running_loop(), anyio.CancelScope()

    def cancelled(*args: Any) -> Any:
        loop.call_soon_threadsafe(scope.cancel)
        return context.run(*args)

    monkeypatch.setitem(OPERATIONS, "context", replace(context, run=cancelled))
    with scope:
        await given()
    assert scope.cancelled_caught
    monkeypatch.setitem(OPERATIONS, "context", context)
    assert engine.stats.counts["lines"] == 0
    assert await given() == heard
    assert engine.stats.counts["lines"] > 0
    assert await given() == 0
