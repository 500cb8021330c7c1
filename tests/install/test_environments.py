"""Installed with pip beside vouch, in either order. The long form does that for real."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from vouch_sidecar.surfaces.mcp.server import MCP_NAME

from tests.mcp.messages import INITIALIZE
from tests.soak import LONG

ROOT = Path(__file__).parents[2]
VOUCH = "vouch-kb==1.5.0"
OURS = f"{ROOT}[mcp]"


def pip(environment: Path, *args: str) -> None:
    command = [str(environment / "bin" / "python"), "-m", "pip", *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]


def test_one_environment_holds_both() -> None:
    """The environment of these tests fits together, and both programs begin."""
    works(Path(sys.prefix))


@pytest.mark.soak
@pytest.mark.skipif(not LONG, reason="installs whole environments: make soak")
@pytest.mark.parametrize("steps", [[[VOUCH, OURS]], [[VOUCH], [OURS]], [[OURS], [VOUCH]]])
def test_any_order_will_do(tmp_path: Path, steps: list[list[str]]) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    for packages in steps:
        pip(tmp_path / "env", "install", "--quiet", *packages)
    works(tmp_path / "env")


def works(environment: Path) -> None:
    """Both serve MCP."""
    pip(environment, "check")
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
