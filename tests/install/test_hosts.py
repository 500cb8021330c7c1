"""Integrations in the hosts' own programs: what a model would be sent holds what is said, and they
reach the MCP server. A local server stands for the model's. Where the environment has empty and
relative parts in `PYTHONPATH`, nothing that the project plants is run.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

import pytest

from tests.protocol.client import COMMAND
from tests.soak import LONG

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / ".hosts" / "node_modules" / ".bin"
PROMPT = "Can we restart Relay tonight?"
SAID = "drain-before-restart: Never restart Relay while its buffer is not empty"
PATIENT = {"VOUCH_SIDECAR_RECALL_TIMEOUT_MS": "2500"}
PLANTED = "import sys\nprint(*sys.orig_argv, file=open({!r}, 'a'))\n"
CODEX = """
model = "any"
model_provider = "local"
[model_providers.local]
name = "local"
base_url = "{address}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[projects."{project}"]
trust_level = "trusted"
"""
ANSWER = (
    {
        "type": "message_start",
        "message": {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "any",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Done."}},
    {"type": "content_block_stop", "index": 0},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": 1},
    },
    {"type": "message_stop"},
)

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not LONG, reason="runs agents' own programs: make soak"),
]


class Model(ThreadingHTTPServer):
    """Answers every request with a few words, and keeps what it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.heard: list[str] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Answer(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self.server.heard.append(self.rfile.read(length).decode())
        events = (f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in ANSWER)
        body = "".join(events).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""


@contextmanager
def model() -> Iterator[Model]:
    with Model() as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


class Host:
    """A user's home and a project integrated with one host, in which a module is planted that
    writes to the file `ran` who ran it.
    """

    def __init__(self, base: Path, name: str) -> None:
        self.home, self.project = base / "home", base / "courier"
        self.home.mkdir()
        shutil.copytree(ROOT / "examples" / "courier", self.project)
        self.run(str(COMMAND), "install", name)
        self.ran = base / "ran"
        (self.project / "sitecustomize.py").write_text(PLANTED.format(str(self.ran)), "utf-8")

    def run(self, *command: str, **env: str) -> str:
        """What a program prints. It may well fail: no model answers sensibly."""
        path = os.pathsep.join((str(COMMAND.parent), str(PROGRAMS), os.environ["PATH"]))
        done = subprocess.run(
            command,
            cwd=self.project,
            env={
                **os.environ,
                "HOME": str(self.home),
                "PATH": path,
                "PYTHONPATH": ":.",
                **PATIENT,
                **env,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return done.stdout + done.stderr


@pytest.fixture
def base() -> Iterator[Path]:
    with TemporaryDirectory(prefix="v", ignore_cleanup_errors=True) as folder:
        yield Path(folder).resolve()


def needs(program: str) -> None:
    if not (PROGRAMS / program).exists():
        pytest.skip(f"{program} is not there: scripts/hosts")


def test_claude_code(base: Path) -> None:
    needs("claude")
    host = Host(base, "claude-code")
    plugin = next(host.project.rglob("plugin.json")).parents[1]
    assert "Validation passed" in host.run("claude", "plugin", "validate", str(plugin))
    trusted = {"projects": {str(host.project): {"hasTrustDialogAccepted": True}}}
    (host.home / ".claude.json").write_text(json.dumps(trusted), "utf-8")
    with model() as server:
        quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "ANTHROPIC_API_KEY": "none"}
        host.run("claude", "-p", PROMPT, ANTHROPIC_BASE_URL=server.address, **quiet)
    assert any(SAID in text for text in server.heard)
    assert any("__kb_experts" in text for text in server.heard)
    assert not host.ran.exists(), host.ran.read_text("utf-8")


def test_codex(base: Path) -> None:
    needs("codex")
    host = Host(base, "codex")
    (host.home / ".codex").mkdir()
    with model() as server:
        settings = CODEX.format(address=server.address, project=host.project)
        (host.home / ".codex" / "config.toml").write_text(settings, "utf-8")
        assert "vouch-sidecar" in host.run("codex", "mcp", "list")
        command = ("codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust")
        host.run(*command, PROMPT, OPENAI_API_KEY="none")
    assert any(SAID in text for text in server.heard)
    assert not host.ran.exists(), host.ran.read_text("utf-8")


def test_opencode(base: Path) -> None:
    needs("opencode")
    host = Host(base, "opencode")
    shown = host.run("opencode", "mcp", "list")
    assert "vouch-sidecar" in shown
    assert "connected" in shown
    assert not host.ran.exists(), host.ran.read_text("utf-8")
