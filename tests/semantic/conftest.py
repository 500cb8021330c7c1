"""A knowledge base whose claims say in one way what is asked in another, and a model for it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.engine.processes import Server, until
from tests.kb.samples import claim, entity, make_kb, page, put
from tests.protocol.client import PATIENT
from tests.semantic import model
from tests.semantic.model import Ollama

ASKED = "for how long is an image retained?"
"""Asks for `photos` in other words."""
MEANT = [("photos", "semantic")]
Start = Callable[..., "Process"]


def arms(found: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [(hit["id"], hit.get("arm")) for hit in found.get("hits", found.get("items", []))]


class Process(Server):
    def by_meaning(self, operation: str, **params: object) -> list[str]:
        return [one for one, arm in arms(self.ask(operation, **params)) if arm == "semantic"]

    def ready(self) -> None:
        """Wait until everything has its vector."""
        until(lambda: not self.ask("search", query=ASKED)["degraded"])


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
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


def vectors(folder: Path) -> list[bytes]:
    """The files of vectors in the cache below a folder."""
    return [file.read_bytes() for file in folder.glob("cache/vouch-sidecar/*/beside-vectors*")]


def with_model(folder: Path, cache: Path) -> dict[str, str]:
    """The environment of a process with the model, which has time on a busy machine."""
    return {**PATIENT, "XDG_CACHE_HOME": str(cache), "VOUCH_SIDECAR_SEMANTIC_MODEL": str(folder)}


@pytest.fixture
def start(root: Path, folder: Path, tmp_path: Path) -> Iterator[Start]:
    """Starts processes over the knowledge base; an empty text unsets a variable."""
    with ExitStack() as stack:

        def started(**env: str) -> Process:
            own = with_model(folder, tmp_path / "cache")
            return stack.enter_context(Process(root, {**own, **env}))

        yield started


@pytest.fixture
def server(folder: Path) -> Iterator[Ollama]:
    with Ollama(folder) as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.01,))
        thread.start()
        yield made
        made.released.set()
        made.shutdown()
        thread.join()
