"""A process that answers JSON lines and ends by itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.engine.processes import until
from tests.forks import Forked
from tests.protocol import knowledge
from tests.protocol.client import environment

Answer = dict[str, Any]


def answers(
    root: Path, *lines: bytes | Answer, env: Mapping[str, str] | None = None
) -> list[Answer]:
    """The answers to lines that are sent at once, to a process that ends by itself, once the first
    index is built.
    """
    sent = b"\n".join(
        line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines
    )
    before = knowledge.digest(root)
    found: list[Answer] = []

    def are_complete() -> bool:
        found[:] = [json.loads(line) for line in _answered(root, sent, env or {})]
        assert knowledge.digest(root) == before
        return all(answer.get("result", {}).get("complete", True) for answer in found)

    until(are_complete, "the first index is never built")
    return found


def _answered(root: Path, sent: bytes, env: Mapping[str, str]) -> list[bytes]:
    process = Forked(["jsonl"], root, environment(env))
    printed, errors = process.communicate(sent)
    assert process.returncode == 0, errors
    return printed.splitlines()
