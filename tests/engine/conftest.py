"""The clock of an engine."""

from __future__ import annotations

import pytest

from tests.engine.bases import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()
