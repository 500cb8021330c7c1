"""The hook command as a process, with folders of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.engine.processes import until
from tests.protocol import knowledge
from tests.protocol.client import COMMAND, Client, environment, indexed_client

LIMIT = "VOUCH_SIDECAR_RECALL_TIMEOUT_MS"


@dataclass(frozen=True)
class Place:
    """A project with a knowledge base, and the environment that hooks and servers share."""

    root: Path
    base: Path
    env: Mapping[str, str]

    @property
    def runtime(self) -> Path:
        return self.base / "run"

    @property
    def cache(self) -> Path:
        return self.base / "cache" / "vouch-sidecar"


@dataclass(frozen=True)
class Ended:
    """A hook that has ended."""

    out: bytes
    err: bytes
    code: int

    @property
    def text(self) -> str:
        """What it hands to the agent."""
        said = json.loads(self.out)["hookSpecificOutput"]
        assert set(said) == {"hookEventName", "additionalContext"}
        return str(said["additionalContext"])

    def is_silent(self) -> bool:
        return (self.out, self.err, self.code) == (b"", b"", 0)


@contextmanager
def project() -> Iterator[Place]:
    """A project in a folder whose path is short enough for sockets."""
    with TemporaryDirectory(prefix="v") as folder:
        base = Path(folder).resolve()
        (base / "run").mkdir(mode=0o700)
        own = {"XDG_RUNTIME_DIR": str(base / "run"), "XDG_CACHE_HOME": str(base / "cache")}
        yield Place(knowledge.make(base / "project"), base, own)
        shutil.rmtree(base / "run")  # what was left running ends then
        until(lambda: not processes_of(base))


def processes_of(base: Path) -> list[Path]:
    """The processes that were started with folders below this one."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended meanwhile
            if os.fsencode(base) in (process / "environ").read_bytes():
                found.append(process)
    return found


@contextmanager
def left_alone() -> Iterator[Place]:
    """A project that is the same afterwards, unless it holds a file `changed`."""
    with project() as made:
        before = knowledge.digest(made.root)
        yield made
        if not (made.base / "changed").exists():
            assert knowledge.digest(made.root) == before


@contextmanager
def serving(place: Place) -> Iterator[Client]:
    """A language server on the project, whose socket can be reached."""
    with indexed_client(place.root, env=place.env) as client:
        until(lambda: any((place.runtime / "vouch-sidecar").glob("*.sock")))
        yield client


@pytest.fixture
def place() -> Iterator[Place]:
    with left_alone() as made:
        yield made


@pytest.fixture
def server(place: Place) -> Iterator[Client]:
    with serving(place) as client:
        yield client


@pytest.fixture(scope="module")
def served() -> Iterator[Place]:
    """A project with a language server, one for a whole module."""
    with left_alone() as made, serving(made):
        yield made


Hook = Callable[..., Ended]


@pytest.fixture
def hook(place: Place) -> Hook:
    return hook_in(place)


def hook_in(place: Place) -> Hook:
    """Runs a hook: `hook(event, **payload)`, `raw` for bytes as they are, `env` for more of it. It
    has time enough on a busy machine, unless `env` names another limit, or "" for none.
    """

    def run(
        event: str, raw: bytes | None = None, env: Mapping[str, str] | None = None, **given: Any
    ) -> Ended:
        payload = {"session_id": "agent", "cwd": str(place.root), **given}
        data = json.dumps(payload).encode() if raw is None else raw
        return run_hook(event, data, {**place.env, LIMIT: "10000", **(env or {})})

    return run


def run_hook(event: str, data: bytes, env: Mapping[str, str]) -> Ended:
    done = subprocess.run(
        [COMMAND, "hook", event],
        input=data,
        capture_output=True,
        env=environment(env),
        cwd=os.sep,
        timeout=30,
        check=False,
    )
    return Ended(done.stdout, done.stderr, done.returncode)
