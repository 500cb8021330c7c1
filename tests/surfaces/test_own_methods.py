"""Our own methods answer, whatever happens in them."""

from __future__ import annotations

import logging

import pytest
from vouch_sidecar.engine import DiskFollower, Engine
from vouch_sidecar.surfaces.lsp.server import Sidecar

from tests.surfaces.conversation import INITIALIZE, call, framed, talk

METHOD = "vouch/broken"
HUSH = {"text": "hush"}


def fails(params: object) -> object:
    raise ValueError(params)


def test_an_error_in_one_is_an_answer_and_logged_without_what_it_says(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, logger="vouch_sidecar")
    engine = Engine(env={})
    DiskFollower(engine)
    server = Sidecar(engine)
    server.on(METHOD, fails)
    calls = (INITIALIZE, call(METHOD, HUSH, 2), call(METHOD, HUSH), call(METHOD, None, 3))

    answers = talk(server, framed(*calls))

    assert [answer["id"] for answer in answers] == [0, 2, 3]
    refused = {"code": -32603, "message": "internal error"}
    assert [answer.get("error") for answer in answers] == [None, refused, refused]
    logged = "".join(r.getMessage() for r in caplog.records if r.name.startswith("vouch_sidecar"))
    assert logged.count(f"ValueError in {METHOD}") == 3
    assert "hush" not in logged
    assert not logging.getLogger("pygls").propagate
