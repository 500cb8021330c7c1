"""A machine that lacks what a process counts on costs comfort, never an answer."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.engine.bases import write
from tests.engine.processes import until
from tests.kb.samples import claim
from tests.protocol.client import COMMAND, environment, indexed_client

ASKED = b'{"id": 1, "method": "kb.experts", "params": {"topic": "key vault"}}\n'


def experts(root: Path, env: Mapping[str, str | None]) -> list[str]:
    """Who carries the evidence, by a process in an environment; None takes a variable out."""
    full = environment({name: value for name, value in env.items() if value is not None})
    done = subprocess.run(
        [COMMAND, "jsonl"],
        input=ASKED,
        capture_output=True,
        env={name: value for name, value in full.items() if env.get(name, "") is not None},
        cwd=root,
        check=True,
        timeout=100,
    )
    (answer,) = (json.loads(line) for line in done.stdout.splitlines())
    assert answer["ok"], (answer, done.stderr)
    return [row["entity_id"] for row in answer["result"]["experts"]]


LACKING: dict[str, Mapping[str, str | None]] = {
    "no home": {"HOME": None, "XDG_CACHE_HOME": None},
    "no runtime folder": {"XDG_RUNTIME_DIR": "/nowhere/at/all", "TMPDIR": "/nowhere"},
    "a cache that is a file": {"XDG_CACHE_HOME": "/dev/null"},
    "relative folders": dict.fromkeys(("XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "TMPDIR"), "here"),
    "a relative home": {"HOME": "here", "XDG_CACHE_HOME": None, "XDG_RUNTIME_DIR": None},
    "no language": {"LANG": "C", "LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
}


@pytest.mark.parametrize("lacking", LACKING)
def test_it_answers_all_the_same(here: tuple[Path, Mapping[str, str]], lacking: str) -> None:
    folder, env = here
    root = folder / "kb"
    assert experts(root, {**env, **LACKING[lacking]}) == ["vault"]
    assert sorted(path.name for path in root.iterdir()) == [".vouch"]


def test_a_library_that_prints_to_standard_output(
    here: tuple[Path, Mapping[str, str]],
) -> None:
    folder, env = here
    (folder / "noise").mkdir()
    (folder / "noise" / "sitecustomize.py").write_text(
        "import os, sys, threading, time\n"
        "def noise():\n"
        "    while True:\n"
        "        time.sleep(0.01)\n"
        "        if sys.stdout is sys.stderr:\n"
        "            print('noise'); os.write(1, b'noise')\n"
        "threading.Thread(target=noise, daemon=True).start()\n"
    )
    with indexed_client(folder / "kb", env={**env, "PYTHONPATH": str(folder / "noise")}) as client:
        for _ in range(20):
            assert client.request("vouch/experts", {"topic": "key vault"})["experts"]
        until(lambda: b"noise" in client.errors, "nothing was printed")
        assert client.strays == b""


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 KB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", str(disk)]
    if mount is None or os.getuid() or subprocess.run(command, check=False).returncode:
        pytest.skip("nothing may be mounted here")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_full_disk(here: tuple[Path, Mapping[str, str]], full: Path) -> None:
    folder, env = here
    for number in range(300):
        write(folder / "kb", f"claims/c{number}.yaml", claim(f"c{number}", entities=["vault"]))
    assert experts(folder / "kb", {**env, "XDG_CACHE_HOME": str(full)}) == ["vault"]


def test_a_cache_of_somebody_else(here: tuple[Path, Mapping[str, str]]) -> None:
    folder, env = here
    assert experts(folder / "kb", env) == ["vault"]
    caches = folder / "cache" / "vouch-sidecar"
    for path in caches.rglob("*"):
        if path.is_file():
            path.write_bytes(b"\0" * path.stat().st_size)
        path.chmod(0o777)
    assert experts(folder / "kb", env) == ["vault"]


NO_WATCHES = """#!/bin/sh
exec unshare --user --map-root-user sh -c '
  echo 0 > /proc/sys/user/max_inotify_instances && exec "$0" "$@"
' {command} "$@"
"""


def test_the_system_has_no_watches_left(here: tuple[Path, Mapping[str, str]]) -> None:
    """Changes are seen by the sweep, and that is said."""
    folder, env = here
    root, command = folder / "kb", folder / "command"
    command.write_text(NO_WATCHES.format(command=COMMAND), "utf-8")
    command.chmod(0o700)
    if subprocess.run([command, "--version"], capture_output=True, check=False).returncode != 0:
        pytest.skip("a user namespace can't be had")
    with indexed_client(root, env=env, program=command) as client:
        until(lambda: client.request("vouch/status")["watcher"] == "sweep", "it is not said")
        write(root, "claims/late.yaml", claim("late", text="Zanzibar.", entities=["vault"]))
        client.until("vouch/search", {"query": "zanzibar"}, lambda answer: bool(answer["hits"]))
        assert client.strays == b""
