"""Our own methods answer at once, whatever happens in them."""

from __future__ import annotations

import json
import logging
import os
from typing import Any

import anyio
import pytest
from vouch_sidecar.engine import Engine, Keeper
from vouch_sidecar.surfaces.lsp.framing import Framing
from vouch_sidecar.surfaces.lsp.server import Sidecar
from vouch_sidecar.surfaces.streams import Outbox

METHOD = "vouch/broken"


def fails(params: object) -> object:
    raise ValueError(params)


def test_an_error_in_one_is_an_answer_and_logged_without_what_it_says(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, logger="vouch_sidecar")

    answers = anyio.run(
        _answers,
        {"id": 1, "method": "initialize", "params": {"capabilities": {}}},
        {"id": 2, "method": METHOD, "params": {"text": "hush"}},
        {"method": METHOD, "params": {"text": "hush"}},
        {"id": 3, "method": METHOD},
    )

    assert [answer["id"] for answer in answers] == [1, 2, 3]
    refused = {"code": -32603, "message": "internal error"}
    assert [answer.get("error") for answer in answers] == [None, refused, refused]
    assert caplog.text.count("ValueError in a") == 3
    assert "hush" not in caplog.text


async def _answers(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as sink:
        outbox = Outbox(sink, on_broken=lambda: None)
        engine = Engine(env={})
        server = Sidecar(engine, Keeper(engine), outbox)
        server.own[METHOD] = fails
        for message in messages:
            server.receive(json.dumps({"jsonrpc": "2.0"} | message).encode())
            await anyio.sleep(0)
        outbox.close()
    with os.fdopen(reading, "rb") as source:
        found = list(Framing().feed(source.read()))
    return [json.loads(answer) for answer in found if isinstance(answer, bytes)]
