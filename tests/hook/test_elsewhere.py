"""A system without what Windows lacks: hooks are silent there, everything else works."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from vouch_sidecar.surfaces.lsp.framing import frame

from tests.protocol import knowledge
from tests.protocol.client import environment

LACKING = """
import os, signal, sys

sys.modules["fcntl"] = None
del os.getuid, os.O_CLOEXEC, signal.SIGALRM, signal.setitimer
from vouch_sidecar.surfaces.entry import main

main()
"""
INITIALIZE = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
STATUS = b'{"id":1,"method":"kb.status","params":{}}\n'
PROMPT = b'{"session_id":"s","prompt":"How do we rotate JWT tokens?"}'


def run(root: Path, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", LACKING, *arguments],
        input=given,
        env=environment({"XDG_CACHE_HOME": str(root / "cache")}),
        cwd=root,
        capture_output=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    "event", ["user-prompt-submit", "session-start", "post-tool-use", "session-end", "other"]
)
def test_hooks_are_silent(tmp_path: Path, event: str) -> None:
    knowledge.make(tmp_path / "project")
    done = run(tmp_path / "project", "hook", event, given=PROMPT)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    ("arguments", "given", "said"),
    [
        (["lsp"], frame(INITIALIZE), b'"serverInfo"'),
        (["jsonl"], STATUS, b'"ok":true'),
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
