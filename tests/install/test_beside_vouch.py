"""Beside the integration that vouch itself installs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.install.conftest import SAFE, Install, tree
from tests.protocol.client import COMMAND


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
def test_its_prompt_hook_is_taken_over_and_given_back(
    install: Install, root: Path, vouch_kb: Path, host: str, file: str
) -> None:
    plugged(vouch_kb, root, host)
    before = tree(root)
    said = install(host, "--dry-run").stderr
    assert f"{file}: each prompt gets context twice" in said
    assert "--replace-vouch-hook" in said
    assert "tools of the same names" in said
    install(host)
    assert tree(root)[file] == before[file]
    assert "context twice" not in install(host, "--replace-vouch-hook").stderr
    text = tree(root)[file].decode()
    command = "vouch-sidecar hook user-prompt-submit # instead of: vouch context-hook"
    assert f'"command": "{SAFE} {command}' in text
    assert "twice" not in install(host).stderr.replace(
        "same names (kb_search, kb_context) twice", ""
    )
    install(host, "--uninstall")
    assert tree(root) == before


def test_what_an_earlier_version_took_over_is_renewed_and_given_back(
    install: Install, root: Path, vouch_kb: Path
) -> None:
    plugged(vouch_kb, root, "claude-code")
    before, own = tree(root), root / ".claude" / "settings.json"
    install("claude-code", "--replace-vouch-hook")
    now = own.read_text("utf-8")
    own.write_text(now.replace(f"{SAFE} ", ""), "utf-8")
    assert "context twice" not in install("claude-code", "--replace-vouch-hook").stderr
    assert own.read_text("utf-8") == now
    own.write_text(now.replace(f"{SAFE} ", ""), "utf-8")
    install("claude-code", "--uninstall")
    assert tree(root) == before


def test_the_command_that_stands_there_then_answers(
    install: Install, root: Path, vouch_kb: Path
) -> None:
    plugged(vouch_kb, root, "claude-code")
    text = (root / ".claude/settings.json").read_text("utf-8")
    wanted = text.replace("vouch context-hook", "/usr/bin/vouch-kb context-hook")
    (root / ".claude/settings.json").write_text(wanted, "utf-8")
    install("claude-code", "--replace-vouch-hook")
    taken = (root / ".claude/settings.json").read_text("utf-8")
    assert "# instead of: /usr/bin/vouch-kb context-hook || true" in taken
    install("claude-code", "--uninstall")
    assert (root / ".claude/settings.json").read_text("utf-8") == wanted


@pytest.mark.parametrize(("answer", "taken"), [(b"y\n", True), (b"n\n", False)])
def test_on_a_terminal_it_is_asked_for(
    root: Path, vouch_kb: Path, answer: bytes, taken: bool
) -> None:
    plugged(vouch_kb, root, "claude-code")
    ours, theirs = os.openpty()
    try:
        os.write(ours, answer)
        done = subprocess.run(
            [COMMAND, "install", "claude-code"],
            cwd=root,
            env={**os.environ, "HOME": str(root.parent)},
            stdin=theirs,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert "Take it over?" in done.stderr
    text = (root / ".claude/settings.json").read_text("utf-8")
    assert ("instead of: vouch context-hook" in text) is taken


@pytest.mark.parametrize("host", ["cursor", "zed"])
def test_its_server_is_noticed(install: Install, root: Path, vouch_kb: Path, host: str) -> None:
    assert "vouch's own" not in install(host, "--dry-run").stderr
    plugged(vouch_kb, root, host)
    assert "vouch's own MCP server" in install(host, "--dry-run").stderr


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
