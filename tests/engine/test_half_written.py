"""A config that can't be read: what was switched off stays off."""

from __future__ import annotations

from pathlib import Path

import pytest
from vouch_sidecar.engine import Engine
from vouch_sidecar.engine.collection import Collection

from tests.engine.bases import Clock, base, cached, write

CONFIG = "config.yaml"
OFF = {"retrieval": {"reflex": {"enabled": False}}}
ON = {"retrieval": {"reflex": {"enabled": True}}}
TORN = b"retrieval:\n  reflex: {enabled: fal"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return base(tmp_path / "kb").resolve()


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """An environment with a folder for the cache."""
    return cached(tmp_path)


def started(root: Path, env: dict[str, str], clock: Clock | None = None) -> Engine:
    engine = Engine(env=env, clock=clock or Clock())
    engine.add_root(root)
    engine.load()
    return engine


def only(engine: Engine) -> Collection:
    (collection,) = engine.collections.values()
    return collection


def test_an_opt_out_outlasts_a_config_that_cant_be_read(root: Path) -> None:
    write(root, CONFIG, OFF)
    clock = Clock()
    engine = started(root, {}, clock)
    (root / ".vouch" / CONFIG).write_bytes(TORN)
    for _ in range(3):
        engine.load()
        assert not only(engine).settings.reflex.enabled
        assert [problem.path for problem in only(engine).problems[CONFIG]] == [CONFIG]
        clock.now += 61
    write(root, CONFIG, ON)
    engine.load()
    assert only(engine).settings.reflex.enabled


def test_a_base_goes_with_the_last_good_config(tmp_path: Path, root: Path) -> None:
    env = cached(tmp_path)
    for config in (OFF, ON, TORN, TORN + b"se"):
        write(root, CONFIG, config)
        is_on = config != OFF
        assert only(started(root, env)).settings.reflex.enabled is is_on
        (root / ".vouch" / CONFIG).rename(tmp_path / "away")
        (root / ".vouch" / CONFIG).write_bytes(TORN + b"away")
        assert only(started(root, env)).settings.reflex.enabled is is_on
        (tmp_path / "away").replace(root / ".vouch" / CONFIG)
