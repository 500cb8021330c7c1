"""A fault of the language server's own, in this process, through pygls' own reading loop."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from io import BytesIO
from typing import Any

import pytest
from pygls.io_ import StdinAsyncReader, run_async
from vouch_sidecar.engine import DiskFollower, Engine
from vouch_sidecar.surfaces.lsp.server import Sidecar

from tests.protocol.client import framed

METHOD = "vouch/broken"
HUSH = {"text": "hush"}


class Answers(list[dict[str, Any]]):
    """What a server writes."""

    def write(self, body: bytes) -> None:
        self.append(json.loads(body))

    def close(self) -> None:
        """Nothing is open."""


def fails(params: object) -> object:
    raise ValueError(params)


def test_an_error_in_one_is_an_answer_and_logged_without_what_it_says(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, logger="vouch_sidecar")
    engine = Engine(env={})
    DiskFollower(engine)
    server, answers = Sidecar(engine), Answers()
    server.on(METHOD, fails)
    server.protocol.set_writer(answers, include_headers=False)
    calls: list[dict[str, object]] = [
        {"id": 0, "method": "initialize", "params": {"processId": None, "capabilities": {}}},
        {"id": 2, "method": METHOD, "params": HUSH},
        {"method": METHOD, "params": HUSH},
        {"id": 3, "method": METHOD},
    ]
    said = b"".join(framed(json.dumps({"jsonrpc": "2.0", **one}).encode()) for one in calls)

    reader, is_over = StdinAsyncReader(BytesIO(said)), threading.Event()
    on_error = server.report_server_error
    asyncio.run(run_async(is_over, reader, server.protocol, error_handler=on_error))

    assert [answer["id"] for answer in answers] == [0, 2, 3]
    refused = {"code": -32603, "message": "internal error"}
    assert [answer.get("error") for answer in answers] == [None, refused, refused]
    logged = "".join(r.getMessage() for r in caplog.records if r.name.startswith("vouch_sidecar"))
    assert logged.count(f"ValueError in {METHOD}") == 3
    assert "hush" not in logged
    assert not logging.getLogger("pygls").propagate
