"""A machine that lacks what a process counts on costs comfort, never an answer."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.engine.bases import write
from tests.engine.processes import until
from tests.kb.samples import claim
from tests.protocol.client import COMMAND, environment, indexed_client

Here = tuple[Path, Mapping[str, str]]


def answers(root: Path, env: Mapping[str, str], without: str = "") -> bool:
    """Whether a process in an environment, without some of its variables, says who knows."""
    unset = ["env", *(f"--unset={name}" for name in without.split())]
    command = [*unset, str(COMMAND), "jsonl"]
    asked = '{"id": 1, "method": "kb.experts", "params": {"topic": "key vault"}}\n'
    done = subprocess.run(
        command, input=asked, text=True, capture_output=True, env=environment(env), cwd=root
    )
    assert [path.name for path in root.iterdir()] == [".vouch"]
    return '"entity_id":"vault"' in done.stdout.replace(" ", "") and not done.returncode


@pytest.mark.parametrize(
    ("env", "without"),
    [
        ({}, "HOME XDG_CACHE_HOME"),
        ({"XDG_RUNTIME_DIR": "/nowhere/at/all", "TMPDIR": "/nowhere"}, ""),
        ({"XDG_CACHE_HOME": "/dev/null"}, ""),
        (dict.fromkeys(("XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "TMPDIR"), "here"), ""),
        ({"HOME": "here"}, "XDG_CACHE_HOME XDG_RUNTIME_DIR"),
        ({"LANG": "C", "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}, ""),
    ],
    ids=["no home", "no runtime folder", "a file as cache", "relative", "relative home", "ascii"],
)
def test_it_answers_all_the_same(here: Here, env: Mapping[str, str], without: str) -> None:
    folder, own = here
    assert answers(folder / "kb", {**own, **env}, without)


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
    assert answers(folder / "kb", {**env, "XDG_CACHE_HOME": str(full)})


def test_a_cache_of_somebody_else(here: Here) -> None:
    folder, env = here
    assert answers(folder / "kb", env)
    for path in (folder / "cache" / "vouch-sidecar").rglob("*"):
        if path.is_file():
            path.write_bytes(b"\0" * path.stat().st_size)
        path.chmod(0o777)
    assert answers(folder / "kb", env)


NO_WATCHES = """#!/bin/sh
exec unshare --user --map-root-user sh -c '
  echo 0 > /proc/sys/user/max_inotify_instances && exec "$0" "$@"
' {command} "$@"
"""


def test_the_system_has_no_watches_left(here: Here) -> None:
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
