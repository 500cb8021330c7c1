"""How often a step enters a room: once, as docs/design.md says."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TypeVar

import pytest
import vouch_sidecar
from vouch_sidecar.engine import Caller, Engine, Pushes
from vouch_sidecar.engine import pushes as pushes_module
from vouch_sidecar.engine.registry import Registry
from vouch_sidecar.operations import as_json, salience_notification

from tests.engine.bases import ask, base, engine_on, pushed

T = TypeVar("T")
PACKAGE = Path(vouch_sidecar.__file__).parent
HANDED_OVER = PACKAGE / "retrieval" / "view"
"""Made for whoever enters, and looked at before."""


def room(frame: FrameType | None) -> str | None:
    """The room that a frame's code stands in; None for what is not of the package."""
    path = Path(frame.f_code.co_filename) if frame is not None else Path()
    return path.relative_to(PACKAGE).parts[0] if path.is_relative_to(PACKAGE) else None


@contextmanager
def calls() -> Iterator[list[tuple[str | None, FrameType]]]:
    """The calls of the package's functions in this thread, each with the room that it came from."""
    made: list[tuple[str | None, FrameType]] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and room(frame) is not None:
            before = frame.f_back
            while before is not None and room(before) is None:
                before = before.f_back
            made.append((room(before), frame))

    sys.setprofile(note)
    try:
        yield made
    finally:
        sys.setprofile(None)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return engine_on(base(tmp_path / "kb"))


def test_a_push_enters_retrieval_once(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    async def here(run: Callable[[], T]) -> T:
        return run()

    monkeypatch.setattr(pushes_module, "in_turn", here)
    pushes = Pushes(engine, Caller())
    engine.observe("s", None, "Where is the Key Vault?")
    with calls() as made:
        (push,) = pushed(pushes)
        told = as_json(salience_notification(push))
    entered = [
        frame.f_code.co_name
        for caller, frame in made
        if room(frame) == "retrieval" and caller in ("engine", "operations", "surfaces")
        if not Path(frame.f_code.co_filename).is_relative_to(HANDED_OVER)
    ]
    assert entered == ["session_update"]
    assert [row["top_claim_id"] for row in told["salience"] + told["fresh"]] == ["rotation"] * 2
    assert "Keys rotate." in told["text"]


def test_experts_looks_its_root_up_once(engine: Engine) -> None:
    (root,) = engine.collections
    with calls() as made:
        assert ask(engine, "experts", topic="keys", root=str(root))["experts"]
    looked_up = [frame for _, frame in made if frame.f_code is Registry.chosen.__code__]
    assert len(looked_up) == 1
