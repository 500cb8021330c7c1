"""Long questions are worked on beside the event loop, over the knowledge they began with."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.operations import OPERATIONS, Operation, perform_async
from vouch_sidecar.operations.context import ContextParams, ContextResult
from vouch_sidecar.operations.operation import OperationCall

from tests.engine.bases import engine_on
from tests.protocol import knowledge

pytestmark = pytest.mark.anyio

TASK = {"task": "How long does a JWT live?"}


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return engine_on(knowledge.make(tmp_path / "project"))


async def held_up(engine: Engine, until: Event) -> asyncio.Task[ContextResult]:
    """`context`, asked already, which begins to look only when `until` is set."""
    context: Operation[ContextParams, ContextResult] = OPERATIONS["context"]

    def run(ask: OperationCall, params: ContextParams) -> ContextResult:
        assert until.wait(30)
        return context.run(ask, params)

    operation = replace(context, run=run)
    asked = asyncio.create_task(perform_async(engine, operation, TASK, Caller()))
    await asyncio.sleep(0)
    return asked


async def ask_async(engine: Engine, name: str, params: object) -> Any:
    return await perform_async(engine, OPERATIONS[name], params, Caller())


async def test_others_are_answered_meanwhile_and_it_is_told_of_the_moment_when_it_was_asked(
    engine: Engine,
) -> None:
    go_on, before = Event(), engine.generation
    slow = await held_up(engine, go_on)
    await ask_async(engine, "status", {})
    await ask_async(engine, "entity", {"id": "jwt"})
    (root,) = engine.collections
    for claim in (root / ".vouch/claims").iterdir():
        claim.unlink()
    engine.read()
    assert not slow.done()
    go_on.set()
    answered = await slow
    assert engine.generation > before
    assert answered.generation == before
    assert answered.items


async def test_one_that_is_cancelled_holds_nobody_up(engine: Engine) -> None:
    go_on = Event()
    slow = [await held_up(engine, go_on) for _ in range(9)]
    for one in slow:
        one.cancel()
    done, _ = await asyncio.wait(slow, timeout=30)
    assert all(future.cancelled() for future in done)
    go_on.set()
    assert (await ask_async(engine, "context", TASK)).items
