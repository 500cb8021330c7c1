"""A knowledge base in a folder of its own, whose path is short enough for sockets."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.engine.bases import base
from tests.engine.processes import place

Here = tuple[Path, Mapping[str, str]]


@pytest.fixture
def here() -> Iterator[Here]:
    """The folder, which holds the knowledge base `kb`, and the environment of its processes."""
    with place() as (folder, env):
        base(folder / "kb")
        yield folder, env
