"""The language server in this process, through pygls' own reading loop."""

import asyncio
import json
import logging
import threading
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import pytest
from pygls.io_ import StdinAsyncReader, run_async
from vouch_sidecar.engine import Engine
from vouch_sidecar.surfaces.lsp.server import Sidecar

from tests.protocol.client import INITIALIZE, framed

METHOD, HUSH = "vouch/broken", "hush"


def fails(params: object) -> object:
    raise ValueError(params)


def test_an_error_is_answered_and_logged_without_its_text(caplog: pytest.LogCaptureFixture) -> None:
    """And nothing is kept of what was answered."""
    caplog.set_level(logging.DEBUG, logger="vouch_sidecar")
    server, answers = Sidecar(Engine(env={})), list[Any]()
    server.on(METHOD, fails)
    writer: Any = SimpleNamespace(write=lambda body: answers.append(json.loads(body)))
    server.protocol.set_writer(writer, include_headers=False)
    call = {"jsonrpc": "2.0", "method": METHOD}
    told = call | {"params": {"text": HUSH}}
    asked = (INITIALIZE, told | {"id": 2}, told, call | {"id": 3})
    said = BytesIO(b"".join(framed(json.dumps(each).encode()) for each in asked))
    asyncio.run(run_async(threading.Event(), StdinAsyncReader(said), server.protocol))
    assert [answer["id"] for answer in answers] == [1, 2, 3]
    refused = {"code": -32603, "message": "internal error"}
    assert [answer.get("error") for answer in answers] == [None, refused, refused]
    assert not server.protocol._request_futures
    logged = "".join(r.getMessage() for r in caplog.records if r.name.startswith("vouch_sidecar"))
    assert logged.count(f"ValueError in {METHOD}") == 3
    assert HUSH not in logged
    assert not logging.getLogger("pygls").propagate
