"""Ids in documents of every encoding, with every line end, and with URIs in every spelling."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.protocol import knowledge
from tests.protocol.conftest import Serve
from tests.protocol.editor import ABLE, Editor

HOVER = "textDocument/hover"
DEFINITION = "textDocument/definition"


def test_uris_are_answered_in_the_spelling_of_the_client(serve: Serve, tmp_path: Path) -> None:
    root = knowledge.library(tmp_path / "a b@c")
    odd = str(root.as_uri()).replace("@", "%40").replace("p", "%70", 1)
    client = serve(root, capabilities=ABLE)
    editor = Editor(client)
    claim = editor.open(
        f"{odd}/.vouch/claims/jwt%2Drotates.yaml",
        (root / ".vouch/claims/jwt-rotates.yaml").read_text("utf-8"),
    )
    page = editor.open(
        f"{odd}/%2Evouch/pages/auth.md", (root / ".vouch/pages/auth.md").read_text("utf-8")
    )
    (found,) = editor.at(page, "jwt-rotates", DEFINITION)
    assert found["uri"] == claim


@pytest.mark.parametrize(
    "uri",
    [
        "file:///c%3A/project/.vouch/claims/x.yaml",
        "file://server/share/.vouch/claims/x.yaml",
        "file:///.vouch/claims/%00.yaml",
        "untitled:.vouch/claims/x.yaml",
        "vscode-notebook-cell:/a/.vouch/claims/x.yaml#W0",
    ],
)
def test_uris_of_other_machines_and_systems(editor: Editor, uri: str) -> None:
    editor.open(uri, "id: x\nentities: [nothing, is, here]\n")
    assert editor.at(uri, "nothing", HOVER) is None
    assert editor.at(uri, "nothing", DEFINITION) is None
    editor.client.close(uri)
