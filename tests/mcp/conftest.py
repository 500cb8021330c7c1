"""A knowledge base, and an environment in which its processes meet nobody else's."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mcp.client import Host, host
from tests.protocol import knowledge


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a knowledge base. What the disk holds is the same afterwards."""
    made = knowledge.make(tmp_path_factory.mktemp("mcp") / "project")
    before = knowledge.digest(made)
    yield made
    assert knowledge.digest(made) == before


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Its runtime directory has a short name: a socket's path has little room."""
    with tempfile.TemporaryDirectory(prefix="vs") as runtime:
        cache = tmp_path_factory.mktemp("cache")
        yield {"XDG_RUNTIME_DIR": runtime, "XDG_CACHE_HOME": str(cache)}


@pytest.fixture(scope="module")
def mcp(root: Path, env: dict[str, str]) -> Iterator[Host]:
    """A host whose server runs in the folder; one for a module."""
    with host(root, env) as one:
        yield one
