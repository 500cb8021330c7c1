"""Nothing leaves this machine, and what is private is written nowhere."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.engine.bases import write
from tests.kb.samples import claim
from tests.protocol.client import COMMAND, environment

PROMPT = "xyzzy-prompt about the key vault"
SECRET = "xyzzy-secret"
TRACED = ["-f", "-qq", "-e", "trace=socket,connect,sendto,sendmsg,bind", "-o"]
NETWORK = re.compile(r"AF_INET6?\b|AF_PACKET|sin6?_addr")
LINES = [
    {"id": 1, "method": "kb.context", "params": {"task": PROMPT, "session_id": "s"}},
    {"id": 2, "method": "kb.experts", "params": {"topic": PROMPT, "weight": []}},
    {"id": 3, "method": "kb.search", "params": {"query": PROMPT}},
    {"id": 4, "method": f"kb.{PROMPT}"},
]
EVENT = {"session_id": "s", "prompt": PROMPT, "last_assistant_message": f"xyzzy-prompt: {SECRET}"}
COMMANDS = (
    ["jsonl"],
    ["experts", PROMPT],
    ["context", PROMPT],
    ["check"],
    ["hook", "user-prompt-submit"],
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_nothing_private_is_logged_or_written_and_no_network_is_asked_for(
    here: tuple[Path, Mapping[str, str]], command: list[str]
) -> None:
    folder, env = here
    root, trace = folder / "kb", folder / "trace"
    scope = {"visibility": "private", "agent": "ada"}
    write(root, "claims/hers.yaml", claim("hers", text=f"Keys: {SECRET}.", scope=scope))
    write(root, "claims/bad.yaml", f"id: bad\ntext: [{SECRET}\n".encode())
    write(root, "claims/odd.yaml", claim("odd", confidence=SECRET))
    before = {path for path in folder.rglob("*") if path.is_file()}
    lines = [{**EVENT, "cwd": str(root)}] if command[0] == "hook" else LINES
    tracing = ["strace", *TRACED, str(trace)] if may_trace() else []
    done = subprocess.run(
        [*tracing, COMMAND, *command],
        input="".join(f"{json.dumps(line)}\n" for line in lines).encode(),
        capture_output=True,
        env=environment({**env, "VOUCH_SIDECAR_LOG": "debug"}),
        cwd=root,
        check=False,
        timeout=100,
    )
    logged = done.stderr.decode().splitlines()
    assert not [one for one in logged if "xyzzy" in one and not one.startswith("not known here:")]
    if trace.exists():
        assert not NETWORK.findall(trace.read_text("utf-8", "replace"))
        trace.unlink()
    written = {path for path in folder.rglob("*") if path.is_file()} - before
    assert not [path for path in written if b"xyzzy-prompt" in path.read_bytes()]


def may_trace() -> bool:
    """Whether there is strace, which shows what is called, and it may."""
    strace = shutil.which("strace")
    tried = [strace or "", "-qq", "-o", "/dev/null", "true"]
    return strace is not None and not subprocess.run(tried, check=False).returncode
