"""What a language server keeps of messages that are done with: nothing."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress

import pytest
from pygls.exceptions import JsonRpcException
from vouch_sidecar.engine import Engine
from vouch_sidecar.surfaces.lsp.server import Sidecar

from tests.surfaces.conversation import INITIALIZE, call, heard, sidecar_on

TIMES = 50
SPARE = 5
"""Futures of the test's own doing or of what else runs in the process."""
TEXT = "the parser"
URI = "file:///nowhere/a.txt"
OPEN = {"textDocument": {"uri": URI, "languageId": "plaintext", "version": 0, "text": ""}}
CHANGE = {
    "textDocument": {"uri": URI, "version": 1},
    "contentChanges": [{"text": TEXT}],
}
CLOSE = {"textDocument": {"uri": URI}}
FOLDERS: dict[str, object] = {"event": {"added": [], "removed": []}}


@pytest.fixture(autouse=True)
def silenced() -> Iterator[None]:
    """pygls logs exceptions with their frames; what gathers logs for a test would keep them."""
    logger = logging.getLogger("pygls")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    yield
    logger.setLevel(level)


@contextmanager
def connected() -> Iterator[Sidecar]:
    """A server that a client has initialized, on an engine without a knowledge base."""
    server = sidecar_on(Engine(env={}))
    heard(server)
    server.protocol.handle_message(INITIALIZE)
    yield server


def receive(server: Sidecar, method: str, params: object, request: int | None = None) -> None:
    server.protocol.handle_message(call(method, params, request))


def futures() -> int:
    """How many there are in the process, of threads and of the loop."""
    gc.collect()
    return sum(isinstance(item, Future | asyncio.Future) for item in gc.get_objects())


def grown(work: Callable[[Sidecar, int], Awaitable[None]]) -> int:
    """How many more futures there are once `work` was done again and again."""

    async def main() -> int:
        with connected() as server:
            await work(server, 1)
            before = futures()
            for number in range(TIMES):
                await work(server, 2 + number)
            return futures() - before

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/didOpen", OPEN),
        ("textDocument/didChange", CHANGE),
        ("textDocument/didSave", CLOSE),
        ("textDocument/didClose", CLOSE),
        ("workspace/didChangeWorkspaceFolders", FOLDERS),
        ("workspace/didChangeConfiguration", {"settings": {}}),
        ("$/setTrace", {"value": "off"}),
        ("vouch/prompt", {"session_id": "s", "text": TEXT}),
    ],
)
def test_of_a_notification(method: str, params: object) -> None:
    async def work(server: Sidecar, number: int) -> None:
        if number == 1:
            receive(server, "textDocument/didOpen", OPEN)
        receive(server, method, params)

    assert grown(work) < SPARE


def test_of_a_notification_whose_handler_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    async def work(server: Sidecar, number: int) -> None:
        if number == 1:
            receive(server, "textDocument/didOpen", OPEN)
            monkeypatch.setattr(server.engine, "observe", fail)
        text = f"{TEXT} {number}"
        receive(server, "textDocument/didChange", CHANGE | {"contentChanges": [{"text": text}]})

    assert grown(work) < SPARE


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("vouch/salience", {}),
        ("vouch/experts", {"topic": ""}),
        (
            "textDocument/hover",
            {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}},
        ),
        ("no/such", {}),
    ],
)
def test_of_a_request(method: str, params: object) -> None:
    async def work(server: Sidecar, number: int) -> None:
        receive(server, method, params, number)
        while any(
            not request_future.done()
            for request_future in server.protocol._request_futures.values()
        ):
            await asyncio.sleep(0.001)

    assert grown(work) < SPARE


@pytest.mark.parametrize(
    "answer", [{"result": None}, {"error": {"code": -32601, "message": "Method not found"}}]
)
def test_of_a_request_to_the_client(answer: dict[str, object]) -> None:
    async def work(server: Sidecar, _: int) -> None:
        asked = asyncio.ensure_future(server.workspace_diagnostic_refresh_async(None))
        await asyncio.sleep(0)
        (asking,) = server.protocol._request_futures
        server.protocol.handle_message({"jsonrpc": "2.0", "id": asking, **answer})
        with suppress(JsonRpcException):
            await asked
        assert not server.protocol._result_types

    assert grown(work) < SPARE
