"""A process that answers JSON lines and ends by itself."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.protocol import knowledge
from tests.protocol.client import COMMAND, environment

Answer = dict[str, Any]


def answers(root: Path, *lines: bytes | Answer) -> list[Answer]:
    """The answers to lines that are sent at once, to a process that ends by itself."""
    sent = b"\n".join(
        line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines
    )
    before = knowledge.digest(root)
    done = subprocess.run(
        [COMMAND, "jsonl"],
        input=sent,
        capture_output=True,
        cwd=root,
        env=environment({}),
        timeout=60,
        check=True,
    )
    assert knowledge.digest(root) == before
    return [json.loads(line) for line in done.stdout.splitlines()]
