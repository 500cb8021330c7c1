"""A fault of the language server, through pygls' own reading loop in this process."""

import asyncio
import json
import logging
import threading
from io import BytesIO
from typing import Any

import pytest
from pygls.io_ import StdinAsyncReader, run_async
from vouch_sidecar.engine import Engine
from vouch_sidecar.surfaces.lsp.server import Sidecar

from tests.protocol.client import HELLO, framed

METHOD = "vouch/broken"
HUSH = "hush"


class Answers(list[dict[str, Any]]):
    """What a server writes."""

    def write(self, body: bytes) -> None:
        self.append(json.loads(body))

    def close(self) -> None:
        """Nothing is open."""


def test_an_error_is_answered_and_logged_without_its_text(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="vouch_sidecar")
    server, answers = Sidecar(Engine(env={})), Answers()

    def fails(params: object) -> object:
        raise ValueError(params)

    server.on(METHOD, fails)
    server.protocol.set_writer(answers, include_headers=False)
    calls = ({"id": 2, "params": {"text": HUSH}}, {"params": {"text": HUSH}}, {"id": 3})
    lines = [json.dumps({"jsonrpc": "2.0", "method": METHOD, **call}).encode() for call in calls]
    reader = StdinAsyncReader(BytesIO(b"".join(map(framed, (HELLO, *lines)))))
    on_error = server.report_server_error
    asyncio.run(run_async(threading.Event(), reader, server.protocol, error_handler=on_error))
    assert [answer["id"] for answer in answers] == [1, 2, 3]
    refused = {"code": -32603, "message": "internal error"}
    assert [answer.get("error") for answer in answers] == [None, refused, refused]
    logged = "".join(r.getMessage() for r in caplog.records if r.name.startswith("vouch_sidecar"))
    assert logged.count(f"ValueError in {METHOD}") == 3
    assert HUSH not in logged
    assert not logging.getLogger("pygls").propagate
