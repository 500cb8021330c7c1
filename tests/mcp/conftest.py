"""A knowledge base, and an environment in which its processes meet nobody else's."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import ClientSession

from tests.mcp import client
from tests.protocol import knowledge


@dataclass(frozen=True)
class Served:
    """A server that several tests talk to, each about sessions of its own."""

    root: Path
    portal: BlockingPortal
    session: ClientSession

    def talk(self, about: Callable[[ClientSession], Awaitable[None]]) -> None:
        self.portal.call(about, self.session)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    root = knowledge.make(folder / "project")
    before = knowledge.digest(root)
    with tempfile.TemporaryDirectory(prefix="vs") as runtime, start_blocking_portal() as portal:
        env = {"XDG_RUNTIME_DIR": runtime, "XDG_CACHE_HOME": str(folder / "cache")}
        opened = client.session_on(root, env)
        with portal.wrap_async_context_manager(opened) as session:
            yield Served(root, portal, session)
    assert knowledge.digest(root) == before


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    """A folder with a knowledge base. What the disk holds is the same afterwards."""
    made = knowledge.make(tmp_path / "project")
    before = knowledge.digest(made)
    yield made
    assert knowledge.digest(made) == before


@pytest.fixture
def env(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Its runtime directory has a short name: a socket's path has little room."""
    with tempfile.TemporaryDirectory(prefix="vs") as runtime:
        yield {"XDG_RUNTIME_DIR": runtime, "XDG_CACHE_HOME": str(tmp_path / "cache")}
