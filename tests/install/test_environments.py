"""Installed with pip beside vouch."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from vouch_sidecar.surfaces.mcp.run import MCP_NAME

from tests.mcp.messages import INITIALIZE

ROOT = Path(__file__).parents[2]


def test_one_environment_holds_both() -> None:
    """The environment of these tests fits together, and both programs serve MCP."""
    environment = Path(sys.prefix)
    subprocess.run([sys.executable, "-m", "pip", "check"], check=True, capture_output=True)
    line = json.dumps(INITIALIZE) + "\n"
    for name, command in (
        ("vouch", ["vouch-kb", "serve"]),
        (MCP_NAME, ["vouch-sidecar", "mcp"]),
    ):
        done = subprocess.run(
            [environment / "bin" / command[0], *command[1:]],
            cwd=ROOT / "examples" / "courier",
            input=line,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        assert [
            answer["result"]["serverInfo"]["name"] for answer in answers if answer.get("id")
        ] == [name]
