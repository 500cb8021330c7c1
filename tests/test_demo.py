"""The demo shows what it promises, on a copy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_the_demo_plays_a_whole_session() -> None:
    played = subprocess.run(
        [sys.executable, EXAMPLES / "demo.py"], capture_output=True, text=True, timeout=60
    )
    assert played.returncode == 0, played.stderr
    shown = played.stdout
    for step in range(1, 8):
        assert f"\n{step}  " in shown
    for word in ("INC-118", "parcel_events", "dead-letter queue", "PRIMARY courier"):
        assert word in shown
    assert "under agent-in-a-terminal:" in shown
    assert "vouch/context answers ''." in shown
    assert "ms from the write to the answer that knows it." in shown
