"""Nothing leaves this machine, and what is private is written nowhere."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.engine.bases import base, write
from tests.engine.processes import place
from tests.kb.samples import claim
from tests.protocol.client import COMMAND, environment

PROMPT = "xyzzy-prompt about the key vault"
SECRET = "xyzzy-secret"
CALLS = "trace=socket,connect,sendto,sendmsg,bind"
NETWORK = re.compile(r"AF_INET6?\b|AF_PACKET|sin6?_addr")
LINES = [
    {"id": 1, "method": "kb.context", "params": {"task": PROMPT, "session_id": "s"}},
    {"id": 2, "method": "kb.experts", "params": {"topic": PROMPT, "weight": []}},
    {"id": 3, "method": "kb.search", "params": {"query": PROMPT}},
    {"id": 4, "method": f"kb.{PROMPT}"},
]


@pytest.fixture
def here() -> Iterator[tuple[Path, Mapping[str, str]]]:
    with place() as (folder, env):
        root = base(folder / "kb")
        scope = {"visibility": "private", "agent": "ada"}
        write(root, "claims/hers.yaml", claim("hers", text=f"Keys: {SECRET}.", scope=scope))
        write(root, "claims/bad.yaml", f"id: bad\ntext: [{SECRET}\n".encode())
        write(root, "claims/odd.yaml", claim("odd", confidence=SECRET))
        yield folder, {**env, "VOUCH_SIDECAR_LOG": "debug"}


COMMANDS = {
    "jsonl": ["jsonl"],
    "experts": ["experts", PROMPT],
    "context": ["context", PROMPT],
    "check": ["check"],
    "hook": ["hook", "user-prompt-submit"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_private_is_logged_or_written_and_no_network_is_asked_for(
    here: tuple[Path, Mapping[str, str]], command: str
) -> None:
    folder, env = here
    before = {path for path in folder.rglob("*") if path.is_file()}
    trace = folder / "trace"
    tracing = ["strace", "-f", "-qq", "-e", CALLS, "-o", str(trace)] if may_trace() else []
    done = subprocess.run(
        [*tracing, COMMAND, *COMMANDS[command]],
        input=said(folder / "kb", command).encode(),
        capture_output=True,
        env=environment(env),
        cwd=folder / "kb",
        check=False,
        timeout=100,
    )
    lines = done.stderr.decode().splitlines()
    logged = [line for line in lines if not line.startswith("not known here:")]
    assert "xyzzy" not in "\n".join(logged)
    if trace.exists():
        assert not NETWORK.findall(trace.read_text("utf-8", "replace"))
        trace.unlink()
    for path in folder.rglob("*"):
        if path.is_file() and path not in before:
            assert b"xyzzy-prompt" not in path.read_bytes(), path


def may_trace() -> bool:
    """Whether there is strace, which shows what is called, and it may."""
    strace = shutil.which("strace")
    return (
        strace is not None
        and not subprocess.run([strace, "-qq", "-o", "/dev/null", "true"]).returncode
    )


def said(root: Path, command: str) -> str:
    """A hook's event, or lines that `jsonl` answers."""
    event = {"session_id": "s", "cwd": str(root), "prompt": PROMPT}
    event["last_assistant_message"] = f"xyzzy-prompt: {SECRET}"
    lines = [event] if COMMANDS[command][0] == "hook" else LINES
    return "".join(f"{json.dumps(line)}\n" for line in lines)
