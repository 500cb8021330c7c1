"""vouch-kb 1.5.0, the tool whose answers ours are compared with.

Its functions run in processes of their own through `oracle_driver.py`, which changes its clock.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
COMMAND = Path(sys.executable).with_name("vouch-kb")
"""The real command, in the environment of the tests."""

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
"""The moment at which both clocks stand still."""

Step = dict[str, Any]
"""One call of vouch: `{"op": name, …}`. The operations are the functions of oracle_driver.py."""


def now() -> float:
    """The frozen clock for our side, in seconds since the epoch."""
    return NOW.timestamp()


@dataclass
class OracleKb:
    """A knowledge base that vouch's own functions write; `root` is the folder above `.vouch/`."""

    root: Path
    results: list[Any] = field(default_factory=list)
    """What the steps so far gave, one result a step (an id, for those that make something)."""

    def run(self, *steps: Step, at: datetime | None = NOW) -> list[Any]:
        """Runs steps in one process with vouch's clock at `at` (None: the real clock).

        A step may set the clock with `at` (ISO 8601), name its result with `as`, and refer to an
        earlier one of the same call with "@name". RuntimeError carries vouch's traceback.
        """
        results = _drive(self.root, steps, at)
        self.results.extend(results)
        return results

    def vouch(self, *args: str) -> str:
        """Runs the real command here, with the real clock; gives what it printed. Raises
        CalledProcessError when it fails.
        """
        ran = subprocess.run(
            [COMMAND, *args], cwd=self.root, check=True, capture_output=True, text=True
        )
        return ran.stdout


def _drive(root: Path, steps: Sequence[Step], at: datetime | None) -> list[Any]:
    request = {
        "root": str(root),
        "now": None if at is None else at.isoformat(),
        "steps": list(steps),
    }
    driver = _driver()
    assert driver.stdin is not None
    assert driver.stdout is not None
    driver.stdin.write(json.dumps(request) + "\n")
    driver.stdin.flush()
    answer = json.loads(driver.stdout.readline())
    if "error" in answer:
        raise RuntimeError(answer["error"])
    results: list[Any] = answer["results"]
    return results


@cache
def _driver() -> subprocess.Popen[str]:
    """The process that forks for each request; it ends when its input does."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.oracle_driver"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
