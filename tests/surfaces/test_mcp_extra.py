"""MCP without the SDK."""

from __future__ import annotations

import sys

import pytest
from click.testing import CliRunner
from vouch_sidecar.surfaces.cli import main


def test_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in sys.modules if n.partition(".")[0] == "mcp"]:
        monkeypatch.delitem(sys.modules, name)
    for name in [n for n in sys.modules if n.startswith("vouch_sidecar.surfaces.mcp")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    result = CliRunner().invoke(main, ["mcp"])
    assert result.exit_code == 2
    assert "vouch-sidecar[mcp]" in result.stderr
    assert result.stdout == ""
