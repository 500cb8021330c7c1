"""Answers of the MCP server in this process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from vouch_sidecar.engine import Caller, DiskFollower
from vouch_sidecar.operations import OPERATIONS
from vouch_sidecar.operations.readiness import READY_SECONDS
from vouch_sidecar.surfaces.agent_requests import answer_agent
from vouch_sidecar.surfaces.local.user_socket import TOOL, UnansweredError
from vouch_sidecar.surfaces.mcp import run as answers
from vouch_sidecar.surfaces.mcp.run import Answers
from vouch_sidecar.surfaces.projects import Projects

from tests.engine.bases import Clock, base, engine_on
from tests.protocol.client import WAIT


def nobody_there(*_: object, **__: object) -> None:
    """What asking comes to where no process holds the socket."""
    raise UnansweredError


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "ask", nobody_there)


GIVEN_ONCE = {"task": "How often do keys rotate in the Key Vault?", "repeat": False}


def _answers(root: Path) -> Answers:
    """A server that, when it needs an engine, has one that waits for no workspace any more."""
    clock = Clock()
    engine = engine_on(root, clock=clock)
    clock.now += READY_SECONDS
    DiskFollower(engine)
    return Answers(engine.env, Projects({}, root, is_chosen=True), lambda: engine)


async def _called(served: Answers, name: str, **arguments: Any) -> dict[str, Any]:
    async def no_folders() -> list[str]:
        return []

    result: dict[str, Any] = await served.called(
        OPERATIONS[name.removeprefix("kb_")], arguments, no_folders
    )
    return result


@pytest.mark.anyio
async def test_what_nobody_heard_was_not_given(tmp_path: Path) -> None:
    """Where the socket's owner was late, it gives its lines when it is asked again."""
    engine = engine_on(base(tmp_path / "kb"))
    params = {"session_id": "agent", **GIVEN_ONCE}
    request = {"id": 1, "method": f"{TOOL}context", "params": params}

    async def given(is_awaited: Callable[[], bool]) -> int:
        answered = await answer_agent(engine, request, Caller(is_model=True), is_awaited)
        return len(answered["result"]["structuredContent"]["items"])

    heard = await given(lambda: False)
    assert heard > 0
    assert await given(lambda: True) == heard
    assert await given(lambda: True) == 0


def _held_up(monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, threading.Event]:
    """Has every `context` wait; the events: one waits, and all may go on."""
    begun, go_on = threading.Event(), threading.Event()
    context = OPERATIONS["context"]

    def run(*args: Any) -> Any:
        begun.set()
        assert go_on.wait(WAIT)
        return context.run(*args)

    monkeypatch.setitem(OPERATIONS, "context", replace(context, run=run))
    return begun, go_on


@pytest.mark.anyio
async def test_a_call_that_is_cancelled_while_its_thread_runs_gives_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = base(tmp_path / "kb")
    served = _answers(root)
    engine = served._own_engine()
    begun, go_on = _held_up(monkeypatch)
    asked = asyncio.create_task(_called(served, "kb_context", session_id="agent", **GIVEN_ONCE))
    await anyio.to_thread.run_sync(begun.wait, WAIT)
    asked.cancel()
    await asyncio.wait([asked])
    assert asked.cancelled()
    go_on.set()
    await _called(served, "kb_context", task="vault")  # answered after the thread went on
    assert engine.stats.counts["lines"] == 0
    found = await _called(served, "kb_context", session_id="agent", **GIVEN_ONCE)
    assert found["structuredContent"]["items"]
    assert engine.stats.counts["lines"] > 0
