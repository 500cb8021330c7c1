"""The language server in this process: its own methods, and diagnostics of open files."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from vouch_sidecar.engine import DiskFollower, Engine
from vouch_sidecar.kb.records import Artifact, Problem
from vouch_sidecar.surfaces.lsp.features import diagnostics
from vouch_sidecar.surfaces.lsp.server import Sidecar

from tests.engine.bases import engine_on
from tests.protocol import knowledge
from tests.surfaces.conversation import INITIALIZE, call, framed, sidecar_on, talk

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


PROMPTS = 100


def test_an_open_file_is_not_checked_for_each_text_that_is_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[str] = []

    def check(artifact: Artifact, *_: object) -> tuple[Problem, ...]:
        checked.append(artifact.id)
        return ()

    monkeypatch.setattr(diagnostics, "check_one", check)
    root = knowledge.make(tmp_path / "project")
    server = sidecar_on(engine_on(root))
    path = root / ".vouch" / "claims" / "jwt-expires.yaml"
    document = {"uri": path.as_uri(), "languageId": "yaml", "version": 1, "text": path.read_text()}
    opened = call("textDocument/didOpen", {"textDocument": document})
    typed = [call("vouch/prompt", {"session_id": "s", "text": "JWT"}) for _ in range(PROMPTS)]

    talk(server, framed(INITIALIZE, opened, *typed), lambda: bool(checked))

    assert len(checked) < PROMPTS / 2
