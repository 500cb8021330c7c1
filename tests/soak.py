"""The long form of tests that try many things: `make soak`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

LONG = os.environ.get("VOUCH_SIDECAR_LONG") == "1"
"""Whether tests take as long as they need to try much more."""
TIMES = 20

soak = pytest.mark.soak
"""Marks tests that have a long form."""


def examples(number: int) -> Callable[[Any], Any]:
    """Have hypothesis try so many examples, and many more in the long form."""

    def marked(test: Any) -> Any:
        return soak(settings(max_examples=number * (TIMES if LONG else 1), deadline=None)(test))

    return marked
