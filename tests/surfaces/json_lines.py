"""A process that answers JSON lines and ends by itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.engine.processes import until
from tests.forks import Forked
from tests.protocol.client import environment

Answer = dict[str, Any]


def answers(
    root: Path, *lines: bytes | Answer, env: Mapping[str, str] | None = None
) -> list[Answer]:
    """The answers to lines that are sent at once, once the first index is built."""
    found: list[Answer] = []

    def are_complete() -> bool:
        sent = (one if isinstance(one, bytes) else json.dumps(one).encode() for one in lines)
        process = Forked(["jsonl"], root, environment(env or {}))
        printed, errors = process.communicate(b"\n".join(sent))
        assert process.returncode == 0, errors
        found[:] = map(json.loads, printed.splitlines())
        return all(answer.get("result", {}).get("complete", True) for answer in found)

    until(are_complete, "the first index is never built")
    return found
