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
