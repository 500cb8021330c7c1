"""Diagnostics of open files, in this process."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types as lsp
from vouch_sidecar.kb.records import Artifact, Problem
from vouch_sidecar.surfaces.lsp.features import diagnostics
from vouch_sidecar.surfaces.lsp.server import Sidecar

from tests.engine.bases import engine_on
from tests.protocol import knowledge
from tests.surfaces.conversation import INITIALIZE, call, framed, sidecar_on, talk


def test_an_open_file_is_checked_once_for_each_state(
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
    asked = [call("vouch/status", {}, number) for number in (2, 3, 4)]

    talk(server, framed(INITIALIZE, opened, *asked))

    assert checked == ["jwt-expires"]


def test_a_keystroke_makes_the_diagnostics_of_that_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    make = diagnostics._diagnostic

    def recorded(server: Sidecar, uri: str, problem: Problem) -> lsp.Diagnostic:
        made.append(uri.rpartition("/")[2])
        return make(server, uri, problem)

    monkeypatch.setattr(diagnostics, "_diagnostic", recorded)
    root = knowledge.make(tmp_path / "project")
    for number in range(3):
        knowledge.claim(root, f"faulty-{number}", "Faulty.", more="confidence: 2\n")
    server = sidecar_on(engine_on(root))
    path = root / ".vouch" / "claims" / "faulty-0.yaml"
    text = path.read_text()
    document = {"uri": path.as_uri(), "languageId": "yaml", "version": 1, "text": text}
    opened = call("textDocument/didOpen", {"textDocument": document})
    typed = [
        call(
            "textDocument/didChange",
            {
                "textDocument": {"uri": path.as_uri(), "version": number},
                "contentChanges": [{"text": text + "#" * number}],
            },
        )
        for number in range(2, 5)
    ]

    talk(server, framed(INITIALIZE, opened, *typed, call("vouch/status", {}, 2)))

    assert {"faulty-0.yaml", "faulty-1.yaml", "faulty-2.yaml"} == set(made)
    assert made.count("faulty-1.yaml") == made.count("faulty-2.yaml")
    assert made.count("faulty-1.yaml") < made.count("faulty-0.yaml")
