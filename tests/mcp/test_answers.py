"""Answers of the MCP server in this process."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from vouch_sidecar.engine import DiskFollower, Engine
from vouch_sidecar.engine.collection import READY_SECONDS
from vouch_sidecar.operations import readiness
from vouch_sidecar.surfaces.local.client import SOON_SECONDS
from vouch_sidecar.surfaces.mcp import server
from vouch_sidecar.surfaces.mcp.server import OWNER_SECONDS, Answers

from tests.engine.bases import Clock, base, engine_on, unread_engine
from tests.protocol.client import WAIT


def _answers(start: Path, *roots: Path, clock: Clock | None = None) -> Answers:
    """A server that begins in a folder and, when it needs an engine, has one on `roots` that waits
    for no workspace any more.
    """
    clock = clock or Clock()
    engine = engine_on(*roots, clock=clock)
    clock.now += READY_SECONDS
    DiskFollower(engine)
    return Answers(engine.env, start, lambda: engine, every_tool=True)


async def _called(served: Answers, name: str, **arguments: Any) -> dict[str, Any]:
    call = SimpleNamespace(name=name, arguments=arguments)
    result: dict[str, Any] = await served.answer("tools/call", call)
    return result


@pytest.mark.anyio
async def test_no_tool_waits_for_ever_for_the_first_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is never read here, and ten seconds are over."""
    waited: list[float] = []

    async def until(_: Engine, __: object, seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(readiness, "_until", until)
    clock = Clock()
    engine = unread_engine(base(tmp_path / "kb"), clock=clock)
    clock.now += READY_SECONDS
    DiskFollower(engine)
    served = Answers(engine.env, tmp_path, lambda: engine, every_tool=True)
    call = SimpleNamespace(name="kb_experts", arguments={"topic": "vault"})
    result: dict[str, Any] = await served.answer("tools/call", call)
    assert "index_building" in result["structuredContent"]["degraded"]
    assert waited == [0.0]


@pytest.mark.anyio
async def test_only_the_first_question_waits_long_for_the_sockets_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[float] = []

    def ask(*_: object, timeout: float, **__: object) -> None:
        limits.append(timeout)

    monkeypatch.setattr(server, "ask", ask)
    root = base(tmp_path / "kb")
    served = _answers(root, root)
    for task in ("vault", "Keys"):
        await _called(served, "kb_context", task=task, session_id="agent")
    assert limits == [OWNER_SECONDS, SOON_SECONDS]


@pytest.mark.anyio
async def test_a_call_that_is_cancelled_holds_up_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, release, ended = threading.Event(), threading.Event(), threading.Event()

    def hangs(*_: object, **__: object) -> None:
        asked.set()
        release.wait(WAIT / 10)
        ended.set()

    root = base(tmp_path / "kb")
    served = _answers(root, root)
    monkeypatch.setattr(server, "ask", hangs)
    async with anyio.create_task_group() as tasks:

        async def call() -> None:
            await _called(served, "kb_experts", topic="vault")

        tasks.start_soon(call)
        await anyio.to_thread.run_sync(asked.wait, WAIT)
        tasks.cancel_scope.cancel()
    monkeypatch.setattr(server, "ask", lambda *_, **__: None)
    found = await _called(served, "kb_experts", topic="vault")
    try:
        assert "isError" not in found
        assert not ended.is_set()
    finally:
        release.set()


@pytest.mark.anyio
async def test_where_nothing_was_found_tools_ask_what_a_hook_led_to(tmp_path: Path) -> None:
    root, elsewhere = base(tmp_path / "kb"), tmp_path / "elsewhere"
    elsewhere.mkdir()
    clock = Clock()
    served = _answers(elsewhere, clock=clock)
    before = await _called(served, "kb_claim", id="rotation")
    assert before["isError"]
    await _called(served, "hook_prompt", session_id="agent", prompt="vault", cwd=str(root))
    engine = served._own_engine()
    engine.load()
    clock.now += READY_SECONDS
    found = await _called(served, "kb_claim", id="rotation")
    assert found["structuredContent"]["claim"]["id"] == "rotation"
