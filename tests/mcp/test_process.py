"""The process: bad input, its end, and another process that does not answer."""

from __future__ import annotations

import fcntl
import json
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vouch_sidecar.kb.runtime_folder import usable_folder
from vouch_sidecar.surfaces.local.user_socket import socket_path

from tests.engine.processes import until
from tests.mcp.client import content_of, host
from tests.mcp.messages import INITIALIZE
from tests.protocol.client import running


def test_an_interrupt_ends_it_while_its_input_is_open(root: Path, env: dict[str, str]) -> None:
    with running("mcp", cwd=root, env=env) as client:
        client.send_bytes(json.dumps(INITIALIZE).encode() + b"\n")
        assert client.line()
        client.process.send_signal(signal.SIGINT)
        assert client.ended(10) == 130


def test_bad_lines_cost_nothing_but_themselves(root: Path, env: dict[str, str]) -> None:
    """What is no message has no answer; a lone surrogate, which JSON allows, has one. The process
    answers all that it read before its input ended, and ends well, and by itself.
    """
    call = {"name": "kb_search", "arguments": {"query": "JWT \ud800"}}
    bad = [b"nonsense", b"\xff\xfe", b"[]", b"{}", b"[" * 5000, b"purple" * 9]
    lines = [
        INITIALIZE,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "\udfff"}},
        {"jsonrpc": "2.0", "id": "\ud800 😀", "method": "tools/list"},
    ]
    sent = [*bad, *(json.dumps(line).encode() for line in lines)]
    with running("mcp", cwd=root, env=env) as client:
        client.send_bytes(b"".join(line + b"\n" for line in sent))
        client.hang_up()
        assert client.ended(20) == 0
        until(lambda: client.is_over)
        said = client.strays
    assert b"purple" not in said
    answers = {message["id"]: message for message in map(json.loads, said.splitlines())}
    assert answers[1]["result"]["serverInfo"]["name"] == "vouch-sidecar"
    assert answers[2]["result"]["structuredContent"]["hits"]
    assert "error" in answers[3]
    assert answers["? 😀"]["result"]["tools"]


def test_roots_that_are_no_files_cost_no_answer(root: Path, env: dict[str, str]) -> None:
    able = {"protocolVersion": "2025-11-25", "capabilities": {"roots": {}}}
    begin = {**able, "clientInfo": {"name": "test", "version": "1"}}
    call = {"name": "kb_claim", "arguments": {"id": "jwt-expires"}}
    roots = {"roots": [{"uri": "vscode-remote://ssh/project"}]}
    with running("mcp", cwd=root, env=env) as client:

        def send(**message: object) -> None:
            client.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

        send(id=1, method="initialize", params=begin)
        client.line()
        send(method="notifications/initialized")
        send(id=2, method="tools/call", params=call)
        asked = json.loads(client.line())
        assert asked["method"] == "roots/list"
        send(id=asked["id"], result=roots)
        answer = json.loads(client.line())
    assert answer["result"]["structuredContent"]["claim"]["id"] == "jwt-expires"


@contextmanager
def mute_holder(env: dict[str, str]) -> Iterator[None]:
    """A process that holds the socket, accepts connections and says nothing."""
    usable_folder(env, make=True)
    path = socket_path(env)
    with (
        Path(f"{path}.lock").open("w") as lock,
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener,
    ):
        fcntl.flock(lock, fcntl.LOCK_EX)
        listener.bind(path)
        listener.listen()
        yield


def test_a_holder_that_says_nothing_is_not_waited_for(root: Path, env: dict[str, str]) -> None:
    with mute_holder(env), host(root, env) as mcp:
        named = mcp.call("experts", topic="JWT", session_id="A")
    assert [row["entity_id"] for row in content_of(named)["experts"]] == ["jwt", "redis"]


def test_reading_begins_before_the_first_call(
    root: Path, env: dict[str, str], tmp_path: Path
) -> None:
    with running("mcp", cwd=root, env=env | {"XDG_CACHE_HOME": str(tmp_path)}):
        until(lambda: any(tmp_path.rglob("records")))
