"""What reads many files is worked on beside the event loop, and reads so many bytes at most."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any, cast

from lsprotocol import types as lsp
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.engine.question_queue import in_turn
from vouch_sidecar.surfaces.lsp.features import commands
from vouch_sidecar.surfaces.lsp.server import Sidecar

from tests.protocol import knowledge
from tests.protocol.client import Client
from tests.protocol.conftest import Start
from tests.protocol.editor import ABLE

LINE = "# a line that says nothing\n"
FIRST = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}


def answered(client: Client, method: str, params: object) -> list[Any]:
    """The answer to a request; one that comes after it is answered first."""
    slow = client.start(method, params)
    quick = client.start("vouch/status", {})
    found: list[Any] = client.answer(slow)["result"]
    order = [row.get("id") for row in client.received if row.get("id") in (slow, quick)]
    assert order == [quick, slow]
    return found


def served(start: Start, root: Path) -> Client:
    client = start()
    client.initialize(root, capabilities=ABLE)
    client.indexed()
    return client


def test_references_in_large_files(start: Start, root: Path) -> None:
    for number in range(8):
        knowledge.claim(root, f"large-{number}", "Large.", "redis", more=LINE * 35_000)
    client = served(start, root)
    path = root / ".vouch" / "entities" / "redis.yaml"
    client.open(path.as_uri(), path.read_text("utf-8"))
    place = {"textDocument": {"uri": path.as_uri()}, "position": {"line": 0, "character": 5}}
    params = {**place, "context": {"includeDeclaration": False}}
    found = answered(client, "textDocument/references", params)
    large = [row["range"] for row in found if "/large-" in row["uri"]]
    assert len(large) == 8
    assert 0 < large.count(FIRST) < 8


def test_commands_wait_for_their_turn_beside_the_loop(root: Path) -> None:
    engine, caller = Engine(env={}), Caller()
    engine.registry.add_root(root)
    engine.load()
    go_on = Event()

    async def session() -> None:
        held_up = asyncio.create_task(in_turn(caller.asker, partial(go_on.wait, 30)))
        await asyncio.sleep(0)
        asked = asyncio.create_task(command())
        for _ in range(20):
            await asyncio.sleep(0)
        assert not asked.done()
        go_on.set()
        assert await held_up
        assert "redis" in str(await asked)

    async def command() -> object:
        server: Any = SimpleNamespace(engine=engine, caller=caller, documents=None, commands={})
        server.on = lambda _, run: setattr(server, "run", run)
        commands.register(cast(Sidecar, server))
        return await server.run(lsp.ExecuteCommandParams("vouch.changed", ["9999d"]))

    asyncio.run(session())
