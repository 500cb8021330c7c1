"""Files that were written in part, or wrongly. Of a config, what was switched off stays off; of an
artifact, the version before counts for seconds, and the file is named at once.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from vouch_sidecar.engine import Engine
from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.kb.store import GRACE_SECONDS

from tests.engine.bases import Clock, ask, base, counts, engine_on, kept, until, write

CONFIG = "config.yaml"
OFF = {"retrieval": {"reflex": {"enabled": False}}}
ON = {"retrieval": {"reflex": {"enabled": True}}}
TORN = b"retrieval:\n  reflex: {enabled: fal"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return base(tmp_path / "kb").resolve()


def only(engine: Engine) -> Collection:
    (collection,) = engine.collections.values()
    return collection


def test_an_opt_out_outlasts_a_config_that_cant_be_read(root: Path) -> None:
    write(root, CONFIG, OFF)
    clock = Clock()
    engine = engine_on(root, clock=clock)
    (root / ".vouch" / CONFIG).write_bytes(TORN)
    for _ in range(3):
        engine.load()
        assert not only(engine).settings.reflex.enabled
        assert [problem.path for problem in only(engine).published.problems[CONFIG]] == [CONFIG]
        clock.now += 61
    write(root, CONFIG, ON)
    engine.load()
    assert only(engine).settings.reflex.enabled


@pytest.mark.anyio
async def test_a_claim_that_says_nothing_valid_is_named_at_once_and_withheld_seconds_later(
    root: Path,
) -> None:
    clock = Clock()
    engine = engine_on(root, clock=clock)
    claim = root / ".vouch/claims/rotation.yaml"
    async with kept(engine):
        claim.write_text(claim.read_text().replace("text: ", "text: '"))
        engine.check_soon([claim])
        await until(lambda: "claims/rotation.yaml" in only(engine).published.problems)
        (status,) = ask(engine, "status")["roots"]
        assert (status["unusable"], counts(engine, "vault")) == (1, {"vault": 1})
        clock.now += GRACE_SECONDS
        engine.check_soon([root / ".vouch/entities/vault.yaml"])
        await until(lambda: not counts(engine, "vault"))
