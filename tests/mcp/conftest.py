"""A knowledge base, and an environment in which its processes meet nobody else's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.hook.conftest import Place, left_alone
from tests.mcp.client import Host, host


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    """One for a module. What the disk holds is the same afterwards."""
    with left_alone() as made:
        yield made


@pytest.fixture(scope="module")
def mcp(place: Place) -> Iterator[Host]:
    """A host whose server runs in the folder; one for a module."""
    with host(place.root, place.env) as one:
        yield one
