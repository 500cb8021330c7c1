"""The time limit of the prompt block, and figures of what was said."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest
from vouch_sidecar.engine import Caller, Engine

from tests.engine.bases import ask, base, call, engine_on
from tests.protocol import knowledge

PROMPT = 'How does JWT go with "holds the sessions" in the evening?'


class Ticking:
    """A clock that runs on by a step whenever it is read."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.step = 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def engine(tmp_path: Path, clock: Ticking) -> Engine:
    return engine_on(knowledge.make(tmp_path / "project"), clock=clock)


def ids(found: dict[str, list[dict[str, str]]], rows: str) -> set[str]:
    return {row["id"] for row in found[rows]}


@pytest.mark.parametrize(
    ("name", "field", "rows"), [("context", "task", "items"), ("probe", "text", "hits")]
)
def test_when_time_is_up_what_is_there_is_said(
    engine: Engine, clock: Ticking, name: str, field: str, rows: str
) -> None:
    params = {field: PROMPT, "session_id": "s"}
    clock.step = 0.6
    late = call(engine, name, params, Caller())
    assert late["degraded"] == ["timed_out"]
    assert "jwt-expires" in ids(late, rows)
    assert "redis-holds" not in ids(late, rows)

    clock.step = 0.0
    whole = call(engine, name, params, Caller())
    assert whole["degraded"] == []
    assert ids(whole, rows) > ids(late, rows)
    assert "redis-holds" in ids(whole, rows)


def test_idle_sessions_hold_no_knowledge_that_is_gone(tmp_path: Path) -> None:
    root = base(tmp_path / "project")
    engine = engine_on()
    engine.registry.set_folders([root])
    engine.load()
    for name, field in (("probe", "text"), ("context", "task")):
        ask(engine, name, session_id="s", **{field: "the key vault, rotation of keys"})
    assert ask(engine, "salience", session_id="s")["salience"]
    known = weakref.ref(engine.collections[root].knowledge)
    assert known() is not None
    engine.registry.set_folders([])
    gc.collect()
    assert known() is None
    assert engine.sessions.peek("s") is not None


def test_of_a_long_text_head_and_tail_are_read(engine: Engine) -> None:
    paste = "word " * 4_000
    for task in (f"How long does a JWT live? {paste}", f"{paste} How long does a JWT live?"):
        assert ids(call(engine, "context", {"task": task}, Caller()), "items")
    assert not call(engine, "context", {"task": f"{paste} JWT {paste}"}, Caller())["items"]
