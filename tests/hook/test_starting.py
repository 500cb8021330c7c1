"""A prompt waits for the process that it starts, but not for one that does not start."""

from __future__ import annotations

import fcntl
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from vouch_sidecar.kb.discovery import RESIDENT
from vouch_sidecar.surfaces.hook.client import (
    FILE,
    LIMIT_VARIABLE,
    PROMPT,
    START,
    allowed,
    remember_in_vain,
    was_in_vain,
)

from tests.engine.processes import until
from tests.hook.conftest import LIMIT, Hook, Place
from tests.hook.sockets import listening, socket_of
from tests.protocol import knowledge

KNOWN = "How do we rotate JWT tokens?"
KEEP = {RESIDENT: "true"}
FAILS = """
import sys

if "vouch_sidecar.surfaces.resident" in sys.orig_argv:
    with open(__file__ + ".starts", "a") as starts:
        starts.write("x")
    sys.exit(3)
"""
IS_NOTED = FAILS.replace("sys.exit(3)", "pass")
SLEEPS = FAILS.replace("sys.exit(3)", "__import__('time').sleep(5)")


def limit_of(event: str, place: Place, set_to: str = "", *, begins: bool = True) -> float:
    return allowed(event, [str(place.root)], {LIMIT_VARIABLE: set_to}, begins=begins)


def test_who_waits_for_a_start_has_two_seconds(place: Place) -> None:
    assert [limit_of(event, place) for event in (PROMPT, START, FILE)] == [2, 2, 0.5]
    assert [limit_of(event, place, begins=False) for event in (PROMPT, START)] == [0.5, 2]
    assert {limit_of(event, place, "300") for event in (PROMPT, START)} == {0.3}


@pytest.mark.parametrize(
    ("config", "seconds"),
    [
        ("sidecar:\n  recall:\n    timeout_ms: 300 # few\n", 0.3),
        ("sidecar:\n  recall:\n    # timeout_ms: 300\n", 2),
        ("sidecar:\n  recall:\n    timeout_ms: 3\n", 2),
        ("timeout_ms: " + "9" * 5000, 2),
    ],
)
def test_a_limit_of_the_config_holds(place: Place, config: str, seconds: float) -> None:
    (place.base / "changed").touch()
    knowledge.config(place.root, config)
    assert limit_of(PROMPT, place) == seconds
    assert limit_of(PROMPT, place, "400") == 0.4


def test_who_waited_in_vain_is_remembered_for_a_minute(hook: Hook, place: Place) -> None:
    assert not was_in_vain(place.env)
    env, _ = planted(place, SLEEPS)
    assert hook(PROMPT, prompt=KNOWN, env={**env, LIMIT: "3000"}).is_silent()
    assert was_in_vain(place.env)
    mark = next(place.runtime.rglob("in-vain"))
    os.utime(mark, (0, 0))
    assert not was_in_vain(place.env)
    remember_in_vain(place.env)
    assert was_in_vain(place.env)


def planted(place: Place, code: str) -> tuple[dict[str, str], Path]:
    """The environment in which a resident runs this code first, and the file that counts starts."""
    path = place.base / "planted" / "sitecustomize.py"
    path.parent.mkdir()
    path.write_text(code, "utf-8")
    starts = Path(f"{path}.starts")
    starts.touch()
    return {**KEEP, "PYTHONPATH": str(path.parent)}, starts


def test_a_start_that_failed_is_not_waited_for(hook: Hook, place: Place) -> None:
    env, starts = planted(place, FAILS)
    for _ in range(2):  # within a limit that nobody would wait for
        assert hook(PROMPT, prompt=KNOWN, env=env).is_silent()
        assert was_in_vain(place.env)
    assert starts.read_text("utf-8").startswith("x")


def test_where_one_that_ends_still_holds_the_socket_another_is_started(
    hook: Hook, place: Place
) -> None:
    env, starts = planted(place, IS_NOTED)
    lock = os.open(f"{socket_of(place)}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(hook, PROMPT, prompt=KNOWN, env=env)
        try:
            until(lambda: starts.read_text("utf-8").startswith("xx") or asked.done())
        finally:
            os.close(lock)
        assert "jwt-rotates" in asked.result().text


def test_a_process_that_ends_while_it_is_asked_is_no_answer(hook: Hook, place: Place) -> None:
    """As one that is being stopped: the next one answers."""
    with listening(socket_of(place), b""):
        assert "jwt-rotates" in hook(PROMPT, prompt=KNOWN, env=KEEP).text
