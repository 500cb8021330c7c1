"""Adding a feature of the language server is adding one file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from vouch_sidecar.surfaces.lsp import features

NEW = '''
"""Answers `textDocument/moniker`."""

from lsprotocol import types as lsp


def register(server):
    server.on(lsp.TEXT_DOCUMENT_MONIKER, lambda params: [])
'''


class Asked:
    """What features register."""

    def __init__(self) -> None:
        self.methods: list[str] = []

    def on(self, method: str, handle: object) -> None:
        assert callable(handle)
        self.methods.append(method)


def test_a_new_file_is_a_new_feature(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "monikers.py").write_text(NEW, "utf-8")
    before = features.features()
    monkeypatch.setattr(features, "__path__", [*features.__path__, str(tmp_path)])
    (added,) = [feature for feature in features.features() if feature not in before]
    asked = Asked()
    added(asked)  # type: ignore[arg-type]
    assert asked.methods == ["textDocument/moniker"]
    del sys.modules["vouch_sidecar.surfaces.lsp.features.monikers"]
