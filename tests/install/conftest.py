"""A project in a home, the command that is run in it, and what names the hosts' parts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from vouch_sidecar.surfaces.cli import main

from tests.protocol import knowledge

PLUGIN = ".claude/skills/vouch-sidecar"
SHARING = ("codex", "cursor", "opencode", "zed")
WRITING = ("claude-code", *SHARING)
ENV = {"PYTHONPATH": "", "PYTHONSAFEPATH": "1"}
SAFE = "PYTHONPATH= PYTHONSAFEPATH=1"

Install = Callable[..., Result]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return knowledge.make(tmp_path / "home" / "project")


@pytest.fixture
def install(root: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Runs the command in the project."""
    monkeypatch.chdir(root)
    monkeypatch.setenv("HOME", str(root.parent))
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME", "VOUCH_KB_PATH", "VOUCH_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)

    def run(*args: str, code: int = 0) -> Result:
        result = CliRunner().invoke(main, ["install", *args])
        assert result.exit_code == code, result.output
        return result

    return run


def tree(root: Path) -> dict[str, bytes]:
    """Every file below a folder; folders that are empty are there by their name."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes() if path.is_file() else b""
        for path in root.rglob("*")
        if path.is_file() or not any(path.iterdir())
    }
