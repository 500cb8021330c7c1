"""A knowledge base and a server on it; no test leaves a byte of either behind."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.protocol import knowledge
from tests.protocol.client import ABLE, Client, Editor, indexed_client

Start = Callable[..., Client]
Serve = Callable[..., Client]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts servers: `start(*args, **options of Client)`; their output is protocol only."""
    with ExitStack() as stack:
        clients: list[Client] = []

        def begin(*args: str, **options: Any) -> Client:
            client = stack.enter_context(Client(*args, **{"cwd": tmp_path, **options}))
            clients.append(client)
            return client

        yield begin
    assert [client.strays for client in clients] == [b""] * len(clients)


@pytest.fixture
def serve(start: Start) -> Serve:
    """Starts a server and waits for its first index: `serve(root, **params of initialize)`."""

    def begin(root: Path | None = None, **params: Any) -> Client:
        client = start()
        client.initialize(root, **params)
        client.indexed()
        return client

    return begin


@pytest.fixture
def client(serve: Serve, root: Path) -> Iterator[Client]:
    """A client that serves `root`, indexed. What the disk holds is the same afterwards."""
    before = knowledge.digest(root)
    yield serve(root)
    assert knowledge.digest(root) == before


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a knowledge base in which everything cites something."""
    return knowledge.library(tmp_path_factory.mktemp("library") / "project")


@pytest.fixture(scope="module")
def shared(library: Path) -> Iterator[Client]:
    """A client that can do everything, on `library`, one for a whole module."""
    before = knowledge.digest(library)
    with indexed_client(library, capabilities=ABLE) as client:
        asked = {"paths": ["docs/auth.md"]}
        client.until("vouch/files", asked, lambda found: not found["degraded"])
        yield client
    assert client.strays == b""
    assert client.errors == b""
    assert knowledge.digest(library) == before


@pytest.fixture(scope="module")
def editor(shared: Client) -> Editor:
    return Editor(shared)
