"""What is odd around a process costs no answer; nothing private leaves it."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.engine.bases import finished, write
from tests.engine.processes import Server, until
from tests.engine.world import answers
from tests.kb.samples import claim
from tests.protocol.client import COMMAND, Client, indexed_client, ran
from tests.reliability.conftest import Here


def says_who_knows(root: Path, env: Mapping[str, str]) -> None:
    with Client("jsonl", cwd=root, env=env) as client:
        client.send_bytes(b'{"id": 1, "method": "kb.experts", "params": {"topic": "key vault"}}\n')
        assert b'"entity_id":"vault"' in client.last_words()
    assert [path.name for path in root.iterdir()] == [".vouch"]


ODD: dict[str, dict[str, str]] = {
    "no home": {"HOME": "", "XDG_CACHE_HOME": ""},
    "no runtime folder": {"XDG_RUNTIME_DIR": "/nowhere/at/all", "TMPDIR": "/nowhere"},
    "a file as cache": {"XDG_CACHE_HOME": "/dev/null"},
    "relative": dict.fromkeys(("XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "TMPDIR"), "here"),
    "relative home": {"HOME": "here", "XDG_CACHE_HOME": "", "XDG_RUNTIME_DIR": ""},
    "ascii": {"LANG": "C", "LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
}


@pytest.mark.parametrize("odd", ODD)
def test_it_answers_all_the_same(here: Here, odd: str) -> None:
    folder, own = here
    says_who_knows(folder / "kb", {**own, **ODD[odd]})


NOISE = """
import os, sys, threading, time
def noise():
    while True:
        time.sleep(0.01)
        if sys.stdout is sys.stderr:
            print('noise'); os.write(1, b'noise')
threading.Thread(target=noise, daemon=True).start()
"""


def test_a_library_that_prints_to_standard_output(here: Here) -> None:
    folder, env = here
    (folder / "noise").mkdir()
    (folder / "noise" / "sitecustomize.py").write_text(NOISE)
    with indexed_client(folder / "kb", env={**env, "PYTHONPATH": str(folder / "noise")}) as client:
        for _ in range(20):
            assert client.request("vouch/experts", {"topic": "key vault"})["experts"]
        until(lambda: b"noise" in client.errors, "nothing was printed")
        assert client.strays == b""


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 KB."""
    command = ["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", str(tmp_path)]
    if shutil.which("mount") is None or subprocess.run(command, check=False).returncode:
        pytest.skip("nothing may be mounted here")
    yield tmp_path
    subprocess.run(["umount", "-l", str(tmp_path)], check=True)


def test_a_full_disk(here: Here, full: Path) -> None:
    folder, env = here
    for number in range(300):
        write(folder / "kb", f"claims/c{number}.yaml", claim(f"c{number}", entities=["vault"]))
    says_who_knows(folder / "kb", {**env, "XDG_CACHE_HOME": str(full)})


@pytest.mark.parametrize("ending", ["store", "term", "idx"])
def test_a_base_that_is_damaged_while_it_is_served_costs_an_answer(here: Here, ending: str) -> None:
    """Files of the finished base are overwritten, which are mapped by whoever serves it."""
    failed = "the index could not be read; it is being rebuilt"
    folder, env = here
    root = folder / "kb"
    with Server(root, env) as first:
        before = answers(first.ask, root)
        until(lambda: finished(folder), "it is not finished")
    with Server(root, env) as server:
        server.status()
        (base,) = finished(folder)
        for file in (files := [*base.glob(f"*.{ending}")]):
            with file.open("r+b") as stream:
                stream.write(b"\xff" * file.stat().st_size)
        assert files
        assert failed in str(answers(server.ask, root))
        until(lambda: answers(server.ask, root) == before, "it is not made anew")
        until(lambda: server.ask("status")["degraded"] == [], "it says that it is not whole")


PROMPT, SECRET = "xyzzy-prompt about the key vault", "xyzzy-secret"
TRACED = ["-f", "-qq", "-e", "trace=socket,connect,sendto,sendmsg,bind", "-o"]
LINES = [
    {"id": 1, "method": "kb.context", "params": {"task": PROMPT, "session_id": "s"}},
    {"id": 2, "method": "kb.experts", "params": {"topic": PROMPT, "weight": []}},
    {"id": 3, "method": "kb.search", "params": {"query": PROMPT}},
    {"id": 4, "method": f"kb.{PROMPT}"},
]
EVENT = {"session_id": "s", "prompt": PROMPT, "last_assistant_message": f"xyzzy-prompt: {SECRET}"}
COMMANDS = {"jsonl": [], "experts": [PROMPT], "check": [], "hook": ["user-prompt-submit"]}


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_private_is_logged_written_or_sent(here: Here, command: str) -> None:
    folder, env = here
    root, trace = folder / "kb", folder / "trace"
    scope = {"visibility": "private", "agent": "ada"}
    write(root, "claims/hers.yaml", claim("hers", text=f"Keys: {SECRET}.", scope=scope))
    write(root, "claims/bad.yaml", f"id: bad\ntext: [{SECRET}\n".encode())
    write(root, "claims/odd.yaml", claim("odd", confidence=SECRET))
    before = {path for path in folder.rglob("*") if path.is_file()}
    lines = [{**EVENT, "cwd": str(root)}] if command == "hook" else LINES
    tracing = ["strace", *TRACED, str(trace)] if may_trace() else []
    said = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    words, env = [command, *COMMANDS[command]], {**env, "VOUCH_SIDECAR_LOG": "debug"}
    done = ran(*tracing, COMMAND, *words, cwd=root, said=said, env=env)
    logged = done.stderr.decode().splitlines()
    assert not [one for one in logged if "xyzzy" in one and not one.startswith("not known here:")]
    if trace.exists():
        assert not re.search(r"AF_INET6?\b|AF_PACKET|sin6?_addr", trace.read_text(errors="replace"))
        trace.unlink()
    written = {path for path in folder.rglob("*") if path.is_file()} - before
    assert not [path for path in written if b"xyzzy-prompt" in path.read_bytes()]


def may_trace() -> bool:
    """Whether there is strace, which shows what is called, and it may."""
    strace = shutil.which("strace")
    tried = [strace or "", "-qq", "-o", "/dev/null", "true"]
    return strace is not None and not subprocess.run(tried, check=False).returncode
