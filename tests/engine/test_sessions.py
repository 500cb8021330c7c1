"""The window of a session, and the table of sessions, on a clock of our own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vouch_sidecar.engine.sessions import MAX_SESSIONS, SESSION_SECONDS, Session, Sessions

from tests.engine.bases import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sessions(clock: Clock) -> Sessions:
    return Sessions(clock)


def test_the_window_keeps_the_newest_slots() -> None:
    """A slot is replaced in place and becomes the newest; a final one stays as it is."""
    session = Session("s", 0.0)
    for key, text in (("a", "first"), (None, "asked"), ("b", "second"), ("a", "again")):
        session.touch(key, text, 2)
    assert session.window() == ["again", "second"]
    session.touch("a", "submitted", 2, final=True)
    session.touch("a", "next", 2)
    assert session.window() == ["next", "submitted"]


@given(st.text(st.sampled_from("a é認🙂\n\ud800"), min_size=1000, max_size=3000))
def test_no_slot_holds_more_than_4_kb(text: str) -> None:
    session = Session("s", 0.0)
    for long in (text, text + " " * 5000, " " * 5000 + text, text * 5):
        session.touch(None, long, 1)
        assert all(len(t.encode("utf-8", "replace")) <= 4096 for t in session.window())


def test_sessions_expire_after_half_an_hour_without_activity(
    sessions: Sessions, clock: Clock
) -> None:
    sessions.open("a")
    sessions.open("b")
    clock.now += SESSION_SECONDS - 1
    assert sessions.get("a") is not None
    assert sessions.peek("b") is not None  # which is no activity
    clock.now += 2
    assert sessions.peek("b") is None
    assert [s.id for s in sessions] == ["a"]
    clock.now += SESSION_SECONDS
    assert len(sessions) == 0


def test_the_longest_idle_session_goes_first(sessions: Sessions, clock: Clock) -> None:
    for number in range(MAX_SESSIONS):
        clock.now += 1
        sessions.open(f"s{number}")
    sessions.get("s0")
    sessions.peek("s1")
    sessions.open("new")
    assert len(sessions) == MAX_SESSIONS
    assert sessions.peek("s0") is not None
    assert sessions.peek("s1") is None
