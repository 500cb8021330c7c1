"""Helper processes end with the server, however it ends, and leave its streams alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.kb.samples import claim, make_kb
from tests.protocol.client import COMMAND, Client, environment
from tests.protocol.conftest import Start

COUNT = 6_000

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2,
    reason="needs /proc, and a second processor for a helper",
)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A knowledge base for which helpers are started."""
    root = tmp_path_factory.mktemp("many")
    kb_dir = make_kb(root)
    for number in range(COUNT):
        (kb_dir / f"claims/c{number}.yaml").write_bytes(claim(f"c{number}"))
    (kb_dir / "claims/broken.yaml").write_bytes(b"id: [")
    return root


def children_of(pid: int) -> list[int]:
    """The running children of a process."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for found in lists for child in found.read_text().split()]


def helpers_of(pid: int) -> list[int]:
    """Those of them that parse."""
    return [child for child in children_of(pid) if b"spawn_main" in command_of(child)]


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def eventually(holds: Callable[[], object], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.002)
    return True


@pytest.fixture
def loading(start: Start, many: Path) -> Iterator[tuple[Client, list[int]]]:
    """A server that is reading many files, with the ids of its helpers."""
    client = start()
    client.initialize(many)
    assert eventually(lambda: helpers_of(client.process.pid), 20)
    helpers = helpers_of(client.process.pid)
    children = children_of(client.process.pid)
    yield client, helpers
    assert eventually(lambda: all(map(is_gone, helpers)), 10)
    client.dispose()
    assert eventually(lambda: all(map(is_gone, children)), 10)


def test_they_end_when_all_is_read(loading: tuple[Client, list[int]]) -> None:
    client, helpers = loading
    assert eventually(lambda: client.request("vouch/status")["complete"], 30)
    assert client.request("vouch/status")["roots"][0]["counts"]["claims"] == COUNT
    pid = client.process.pid
    assert eventually(lambda: not any(Path(f"/proc/{h}").exists() for h in helpers), 10)
    assert not helpers_of(pid)


def test_the_end_of_input_ends_them(loading: tuple[Client, list[int]]) -> None:
    loading[0].hang_up()
    assert loading[0].ended() == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_them(loading: tuple[Client, list[int]], number: signal.Signals) -> None:
    loading[0].process.send_signal(number)
    assert loading[0].ended() == 1


def test_the_death_of_the_server_ends_them(loading: tuple[Client, list[int]]) -> None:
    loading[0].process.kill()
    assert loading[0].ended() == -signal.SIGKILL


def test_the_death_of_one_changes_nothing(loading: tuple[Client, list[int]]) -> None:
    client, helpers = loading
    for helper in helpers:
        os.kill(helper, signal.SIGKILL)
    assert eventually(lambda: client.request("vouch/status")["complete"], 30)
    root = client.request("vouch/status")["roots"][0]
    assert root["counts"]["claims"] == COUNT
    assert [problem["path"] for problem in root["problems"]] == ["claims/broken.yaml"]


def test_standard_output_is_protocol_alone(many: Path, tmp_path: Path) -> None:
    """Helpers are at work while the first line is answered, and the input is already at its end."""
    request = {"id": 1, "method": "kb.status", "params": {"root": str(many)}}
    done = subprocess.run(
        [COMMAND, "jsonl"],
        input=json.dumps(request).encode() + b"\n",
        capture_output=True,
        env=environment({"VOUCH_KB_PATH": str(many / ".vouch")}),
        cwd=tmp_path,
        timeout=60,
        check=True,
    )
    (line,) = done.stdout.splitlines()
    assert json.loads(line)["result"]["roots"][0]["counts"]["claims"] == COUNT
    assert done.stderr == b""
