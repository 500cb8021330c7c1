"""A knowledge base whose claims say in one way what is asked in another, and a model for it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.forks import Forked
from tests.kb.samples import claim, entity, make_kb, page, put
from tests.protocol.client import environment
from tests.semantic import model

WAIT = 30.0
ASKED = "for how long is an image retained?"
"""Asks for `photos` in other words."""


class Process:
    """A process that answers JSON lines."""

    def __init__(self, root: Path, env: Mapping[str, str]) -> None:
        self._process = Forked(["jsonl"], root, environment(env))

    def line(self, operation: str, **params: object) -> str:
        """The answer as it came."""
        process = self._process
        request = {"id": 1, "method": f"kb.{operation}", "params": params}
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        return process.stdout.readline().decode()

    def ask(self, operation: str, **params: object) -> dict[str, Any]:
        answered = json.loads(self.line(operation, **params))
        assert answered["ok"], answered
        result: dict[str, Any] = answered["result"]
        return result

    def until(
        self, wanted: Callable[[dict[str, Any]], object], operation: str, **params: object
    ) -> dict[str, Any]:
        """Ask again and again until the result is the wanted one."""
        deadline = time.monotonic() + WAIT
        while not wanted(found := self.ask(operation, **params)):
            assert time.monotonic() < deadline, found
            time.sleep(0.02)
        return found

    def ready(self) -> None:
        """Wait until everything has its vector."""
        self.until(lambda answer: not answer["degraded"], "search", query=ASKED)

    def said(self) -> list[str]:
        """What is said to be wrong with this process."""
        return [row["message"] for root in self.ask("status")["roots"] for row in root["problems"]]

    def end(self) -> str:
        """End it; what it wrote to standard error."""
        if self._process.returncode is not None:
            return ""
        _, errors = self._process.communicate(b"")
        return errors.decode()


Start = Callable[..., Process]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the model."""
    return model.make(tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    kb_dir = make_kb(root)
    put(kb_dir, "config.yaml", b"kb: {name: ops}\n")
    put(kb_dir, "entities/eta.yaml", entity("eta", name="ETA model", description="Snow, winter."))
    put(kb_dir, "entities/relay.yaml", entity("relay", name="Relay"))
    put(kb_dir, "pages/lag.md", page("# Backlog\n\nThe buffer, the lag.\n", id="lag", title="Lag"))
    write(root, "photos", text="Photos are deleted after 60 days.")
    write(root, "tokens", text="Tokens of Relay expire.", entities=["relay"])
    return root


def write(root: Path, claim_id: str, **fields: object) -> None:
    """Write a claim, as somebody does now."""
    given = {"entities": [], **fields}
    put(root / ".vouch", f"claims/{claim_id}.yaml", claim(claim_id, **given), age=0)


@pytest.fixture
def start(root: Path, folder: Path, tmp_path: Path) -> Iterator[Start]:
    """Starts processes over the knowledge base: with the model, but for what `env` says; an empty
    text unsets a variable.
    """
    running: list[Process] = []

    def started(**env: str) -> Process:
        own = {
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "VOUCH_SIDECAR_SEMANTIC_MODEL": str(folder),
            **env,
        }
        running.append(Process(root, own))
        return running[-1]

    yield started
    for process in running:
        process.end()
