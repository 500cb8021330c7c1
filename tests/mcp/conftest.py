"""A knowledge base, and an environment in which its processes meet nobody else's."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.protocol import knowledge


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
