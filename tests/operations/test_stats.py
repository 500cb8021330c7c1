"""What a process counts of its work."""

from __future__ import annotations

from pathlib import Path

import anyio
from vouch_sidecar.engine import Caller
from vouch_sidecar.engine.stats import LATEST, Stats
from vouch_sidecar.surfaces.agent_requests import respond
from vouch_sidecar.surfaces.hook.client import PROMPT

from tests.engine.bases import ask, base, engine_on


def test_prompts_lines_and_phrases_are_counted(tmp_path: Path) -> None:
    root = base(tmp_path / "kb")
    engine = engine_on(root)
    for prompt in ("How do the keys of the key vault rotate?", "Order cake for everybody, please."):
        event = {"session_id": prompt, "cwd": str(root), "prompt": prompt}
        anyio.run(respond, engine, PROMPT, event, Caller("socket", env={}))
    found = ask(engine, "stats")
    assert (found["prompts"], found["told"], found["silent"], found["lines"]) == (2, 1, 1, 1)
    for from_cache in (False, True):
        probed = ask(engine, "probe", text="How do the keys rotate?", session_id="s")
        before, found = found, ask(engine, "stats")
        assert found["phrases"] - before["phrases"] == len(probed["phrases_tested"])
        assert bool(found["from_cache"] - before["from_cache"]) is from_cache
    counts = {row["operation"]: row["count"] for row in found["operations"]}
    assert counts["probe"] == 2


def test_a_percentile_is_of_the_latest_calls() -> None:
    stats = Stats()
    for milliseconds in (*[10_000] * LATEST, *range(1, LATEST + 1)):
        stats.count_call("probe", milliseconds / 1000)
    timing = stats.timings["probe"]
    assert (timing.percentile(50), timing.percentile(95)) == (LATEST / 2, LATEST * 0.95)
    assert timing.count == 2 * LATEST
