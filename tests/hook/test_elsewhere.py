"""A system without what Windows lacks: hooks are silent there, everything else works."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from vouch_sidecar.kb.discovery import RESIDENT

from tests.mcp import messages
from tests.protocol import knowledge
from tests.protocol.client import environment, framed

LACKING = """
import os, signal, socket, sys

pair, unix = socket.socketpair, socket.AF_UNIX
socket.socketpair = lambda *_: pair(unix)  # what the event loop wakes itself with
sys.modules["fcntl"] = None
del socket.AF_UNIX
del os.getuid, os.O_CLOEXEC, signal.SIGALRM, signal.setitimer
"""
MAIN = """
from vouch_sidecar.surfaces.entry import main

main()
"""
INITIALIZE = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
MCP_INITIALIZE = json.dumps(messages.INITIALIZE).encode() + b"\n"
STATUS = b'{"id":1,"method":"kb.status","params":{}}\n'
PROMPT = b'{"session_id":"s","prompt":"How do we rotate JWT tokens?"}'


def run(root: Path, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    (root / "run").mkdir(mode=0o700)
    own = {"XDG_CACHE_HOME": str(root / "cache"), "XDG_RUNTIME_DIR": str(root / "run")}
    return subprocess.run(
        [sys.executable, "-c", LACKING + MAIN, *arguments],
        input=given,
        env=environment({**own, RESIDENT: "true"}),
        cwd=root,
        capture_output=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("event", ["user-prompt-submit", "session-start"])
def test_hooks_are_silent(tmp_path: Path, event: str) -> None:
    knowledge.make(tmp_path / "project")
    done = run(tmp_path / "project", "hook", event, given=PROMPT)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not [*(tmp_path / "project" / "run").iterdir()]


@pytest.mark.parametrize(
    ("arguments", "given", "said"),
    [
        (["lsp"], framed(INITIALIZE), b'"serverInfo"'),
        (["jsonl"], STATUS, b'"ok":true'),
        (["mcp"], MCP_INITIALIZE, b'"serverInfo"'),
        (["experts", "jwt"], b"", b"JWT"),
        (["doctor"], b"", b"hooks say nothing on this system"),
    ],
    ids=lambda given: given[0] if isinstance(given, list) else "",
)
def test_everything_else_works(
    tmp_path: Path, arguments: list[str], given: bytes, said: bytes
) -> None:
    knowledge.make(tmp_path / "project")
    done = run(tmp_path / "project", *arguments, given=given)
    assert said in done.stdout
    assert b"Traceback" not in done.stderr
    assert not [*(tmp_path / "project" / "run").glob("*/*.sock*")]
