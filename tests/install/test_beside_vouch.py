"""Beside vouch, in one environment, and beside the integration that it installs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.install.conftest import Install, tree
from tests.oracle import COMMAND


def plugged(root: Path, host: str) -> None:
    """Let vouch install its own integration."""
    subprocess.run(
        [COMMAND, "install-mcp", host],
        cwd=root,
        env={**os.environ, "HOME": str(root.parent)},
        check=True,
        capture_output=True,
    )


@pytest.mark.parametrize(
    ("host", "file"), [("claude-code", ".claude/settings.json"), ("codex", ".codex/hooks.json")]
)
def test_its_prompt_hook_is_named_and_stays(
    install: Install, root: Path, host: str, file: str
) -> None:
    assert "second block" not in install(host, "--dry-run").stderr
    plugged(root, host)
    before = tree(root)
    said = install(host).stderr
    (line,) = (line for line in said.splitlines() if "second block" in line)
    assert line.endswith(f"; it is in {file}")
    assert tree(root)[file] == before[file]
    install(host, "--uninstall")
    assert tree(root) == before


def test_one_environment_holds_both() -> None:
    subprocess.run([sys.executable, "-m", "pip", "check"], check=True, capture_output=True)
