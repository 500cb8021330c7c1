"""Beside vouch, in one environment, and beside the integration that it installs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.install.conftest import Install, tree


def plugged(vouch_kb: Path, root: Path, host: str) -> None:
    """Let vouch install its own integration."""
    subprocess.run(
        [vouch_kb, "install-mcp", host],
        cwd=root,
        env={**os.environ, "HOME": str(root.parent)},
        check=True,
        capture_output=True,
    )


@pytest.mark.parametrize(
    ("host", "file"), [("claude-code", ".claude/settings.json"), ("codex", ".codex/hooks.json")]
)
def test_its_prompt_hook_is_named_and_stays(
    install: Install, root: Path, vouch_kb: Path, host: str, file: str
) -> None:
    assert "second block" not in install(host, "--dry-run").stderr
    plugged(vouch_kb, root, host)
    before = tree(root)
    said = install(host).stderr
    (line,) = (line for line in said.splitlines() if "second block" in line)
    found = re.search(rf"{re.escape(file)}, line (\d+)$", line)
    assert found is not None, line
    assert "context-hook" in before[file].decode().splitlines()[int(found[1]) - 1]
    assert tree(root)[file] == before[file]
    install(host, "--uninstall")
    assert tree(root) == before


def test_what_lets_the_tools_run_without_asking_is_offered(install: Install) -> None:
    for host in ("claude-code", "codex", "cursor", "zed"):
        assert "run without asking" in install(host, "--dry-run").stderr


def test_the_missing_extra_is_said(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "needs the extra" not in install("zed", "--dry-run").stderr
    monkeypatch.setattr(
        "vouch_sidecar.surfaces.install.command.find_spec",
        lambda name: None if name == "mcp" else 1,
    )
    assert "pip install 'vouch-sidecar[mcp]'" in install("zed", "--dry-run").stderr


def test_one_environment_holds_both() -> None:
    subprocess.run([sys.executable, "-m", "pip", "check"], check=True, capture_output=True)
