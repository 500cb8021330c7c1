"""Work of an hour in a few rounds: memory stays flat."""

import gc
import random
import tracemalloc
from functools import _lru_cache_wrapper
from pathlib import Path

import pytest
from vouch_sidecar.engine import Caller
from vouch_sidecar.index.knowledge import Knowledge

from tests.conftest import LONG
from tests.engine.bases import Clock, Listener, ask, cached, engine_on, load, pushed
from tests.engine.world import TEXTS, changed, files, lay

FILES, ROUNDS, TEXTS_EACH, SESSIONS = (20_000, 360, 100, 300) if LONG else (300, 6, 10, 3)
"""A round stands for ten seconds; of few rounds all sessions have come half-way."""
SWITCH = ROUNDS // 10 if LONG else 3
"""Rounds from one checkout of another branch, which changes every file, to the next."""


def generations() -> int:
    """How many are held, those of other tests included."""
    gc.collect()
    return sum(isinstance(one, Knowledge) for one in gc.get_objects())


def traced() -> int:
    """Bytes held since the tracing began, without what functions remember for the whole process."""
    for one in gc.get_objects():
        if isinstance(one, _lru_cache_wrapper) and not one.__module__.startswith("tests."):
            one.cache_clear()
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


@pytest.mark.soak
def test_an_hour_of_work(tmp_path: Path) -> None:
    rng, clock, of_others = random.Random(11), Clock(), generations()
    state = files(FILES)
    root = lay(tmp_path / "kb", state)
    engine = engine_on(root, env=cached(tmp_path), clock=clock)
    listener = Listener(engine)
    held = 0
    tracemalloc.start()
    try:
        for number in range(ROUNDS):
            is_switch = number % SWITCH == SWITCH - 1  # to another branch
            state = files(FILES, number) if is_switch else changed(state, number)
            lay(root, state)
            for text in range(TEXTS_EACH):
                engine.observe(f"s{rng.randrange(SESSIONS)}", f"{text % 5}", rng.choice(TEXTS))
            ask(engine, "experts", Caller(), topic="key vault")
            pushed(listener)
            load(engine)
            clock.now += 10
            if number == ROUNDS // 2 - 1:  # both times after a checkout
                held = traced()
        assert generations() - of_others <= 3  # one is published; a question or a push may hold one
        assert traced() < held * 1.5  # an engine's memos still fill up
    finally:
        tracemalloc.stop()
    assert len([*engine.sessions]) <= 256
