"""A project in a home, the command that is run in it, and what names the hosts' parts."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.protocol import knowledge
from tests.protocol.client import run_command

PLUGIN = ".claude/skills/vouch-sidecar"
FILES = {
    "claude-code": (f"{PLUGIN}/.mcp.json", f"{PLUGIN}/.mcp.json", "mcpServers"),
    "codex": (".codex/config.toml", ".codex/config.toml", "mcp_servers"),
    "cursor": (".cursor/mcp.json", ".cursor/mcp.json", "mcpServers"),
    "opencode": ("opencode.json", ".config/opencode/opencode.json", "mcp"),
    "zed": (".zed/settings.json", ".config/zed/settings.json", "context_servers"),
}
"""By host: the file with its server in a project, and at home, and the key above that server."""
SHARING = [host for host in FILES if host != "claude-code"]
ENV = {"PYTHONPATH": "", "PYTHONSAFEPATH": "1"}
SAFE = "PYTHONPATH= PYTHONSAFEPATH=1"

Install = Callable[..., CompletedProcess[str]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return knowledge.make(tmp_path / "home" / "project")


@pytest.fixture
def install(root: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    monkeypatch.chdir(root)
    env = {"HOME": str(root.parent), "XDG_CONFIG_HOME": "", "CODEX_HOME": ""}
    return partial(run_command, "install", env=env)


def tree(root: Path) -> dict[str, bytes]:
    """Every file below a folder; folders that are empty are there by their name."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes() if path.is_file() else b""
        for path in root.rglob("*")
        if path.is_file() or not any(path.iterdir())
    }
