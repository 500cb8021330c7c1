"""Diagnostics of open files, in this process."""

from __future__ import annotations

from pathlib import Path

import pytest
from vouch_sidecar.kb.records import Artifact, Problem
from vouch_sidecar.surfaces.lsp.features import diagnostics

from tests.engine.bases import engine_on
from tests.protocol import knowledge
from tests.surfaces.conversation import INITIALIZE, call, framed, sidecar_on, talk

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
