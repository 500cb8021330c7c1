"""Other processes parse faster and change nothing, and none of them outlives this one."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from vouch_sidecar.index import parsing
from vouch_sidecar.index.parsing import Files, parse_at_once, parse_each
from vouch_sidecar.kb.reader import Reading

from tests.kb.samples import claim, entity, make_kb
from tests.protocol.client import COMMAND, environment

COUNT = 300

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2,
    reason="needs /proc, and a second processor",
)


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes pay for a few files."""
    monkeypatch.setattr(parsing, "PAYS_FROM", 10)


def batches(size: int = 7) -> list[Files]:
    made = [(f"claims/c{i}.yaml", claim(f"c{i}", text=f"Key {i} rotates.")) for i in range(COUNT)]
    made += [("entities/e.yaml", entity("e")), ("claims/bad.yaml", b"id: ["), ("x", b"\xff\0")]
    return [made[i : i + size] for i in range(0, len(made), size)]


def readings(given: Iterator[list[Reading]]) -> list[Reading]:
    return [reading for batch in given for reading in batch]


def workers() -> list[int]:
    return [pid for one in multiprocessing.active_children() if (pid := one.pid) is not None]


def eventually(holds: Callable[[], object], what: str, seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def test_files_say_the_same_elsewhere() -> None:
    given = batches()
    found = parse_at_once(iter(given), COUNT)
    first = next(found)
    assert workers()
    rest = readings(found)
    assert [*first, *rest] == readings(map(parse_each, given))
    eventually(lambda: not workers(), "they did not end")


def test_few_files_need_no_other_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "_pool", lambda _: pytest.fail("it was started"))
    assert readings(parse_at_once(iter(batches()), 9)) == readings(map(parse_each, batches()))


def test_where_no_process_can_be_started_files_are_parsed_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parsing, "_pool", lambda _: None)
    assert readings(parse_at_once(iter(batches()), COUNT)) == readings(map(parse_each, batches()))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_the_loss_of_one_loses_nothing(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(parsing, "PATIENCE", 0.2)
    given = batches()
    found = parse_at_once(iter(given), COUNT)
    out = next(found)
    lost = workers()
    assert lost
    for pid in lost:
        os.kill(pid, number)
    try:
        out += readings(found)
    finally:
        for pid in lost:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    assert out == readings(map(parse_each, given))
    assert len(caplog.records) < len(given) / 2
    eventually(lambda: not workers(), "they did not end")


def test_who_stops_reading_leaves_no_process() -> None:
    found = parse_at_once(iter(batches()), COUNT)
    next(found)
    assert workers()
    found.close()  # type: ignore[attr-defined]
    eventually(lambda: not workers(), "they did not end")


# Real servers

MANY = 2_500


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("many")
    kb_dir = make_kb(root)
    for number in range(MANY):
        data = claim(f"c{number}", text="Keys rotate.", entities=["e"], evidence=["a" * 64])
        (kb_dir / f"claims/c{number}.yaml").write_bytes(data)
    (kb_dir / "entities/e.yaml").write_bytes(entity("e"))
    return root


def family(pid: int) -> list[int]:
    """The running children of a process."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for found in lists for child in found.read_text().split()]


def parses(pid: int) -> bool:
    try:
        return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


def streams(pid: int) -> set[str]:
    """What a process has for standard input, output and error."""
    return {f"{Path(f'/proc/{pid}/fd/{number}').readlink()}" for number in range(3)}


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.mark.parametrize("command", ["warm", "jsonl"])
def test_none_outlives_a_server_that_is_killed(many: Path, tmp_path: Path, command: str) -> None:
    """Nor does any hold its output open."""
    (tmp_path / "run").mkdir(mode=0o700)
    own = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_RUNTIME_DIR": str(tmp_path / "run")}
    server = subprocess.Popen(
        [COMMAND, command, "--root", str(many)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(own),
    )
    try:
        eventually(lambda: any(map(parses, family(server.pid))), "nobody helps")
        helpers = family(server.pid)
        (helper, *_) = filter(parses, helpers)
        eventually(lambda: streams(helper) == {os.devnull}, "it holds a stream")
    finally:
        server.kill()
    # A helper that is just beginning may still say on standard error that its parent is gone.
    assert server.communicate(timeout=30)[0] == b""
    eventually(lambda: all(map(is_gone, helpers)), "a helper goes on")


PLANTED = (
    "multiprocessing",
    "json",
    "pickle",
    "vouch_sidecar",
    "sitecustomize",
    "usercustomize",
    "tantivy",
    "yaml",
    "socket",
    "encodings",
)


@pytest.mark.parametrize("module", [False, True])
def test_nothing_is_imported_from_where_a_server_is_started(
    many: Path, tmp_path: Path, module: bool
) -> None:
    """Neither by it nor by its helpers."""
    (tmp_path / "run").mkdir(mode=0o700)
    place = tmp_path / "workspace"
    place.mkdir()
    for name in PLANTED:
        (place / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write('{name} ')")
    own = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_RUNTIME_DIR": str(tmp_path / "run")}
    safe = [sys.executable, "-P", "-m", "vouch_sidecar.surfaces.entry"]
    command = safe if module else [str(COMMAND)]
    server = subprocess.Popen(
        [*command, "jsonl", "--root", str(many)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(own),
        cwd=place,
    )
    eventually(lambda: any(map(parses, family(server.pid))), "nobody helps")
    out, err = server.communicate(b'{"id": 1, "method": "kb.status"}\n', timeout=60)
    assert b'"claims":%d' % MANY in out
    assert err == b""
    assert not (tmp_path / "ran").exists(), (tmp_path / "ran").read_text()
