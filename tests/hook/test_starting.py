"""A prompt waits for the process that it starts, but not for one that does not start."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from vouch_sidecar.kb.discovery import LOG, RESIDENT
from vouch_sidecar.surfaces.hook import client
from vouch_sidecar.surfaces.hook.client import LIMIT_VARIABLE, TimeLimit
from vouch_sidecar.surfaces.hook.events import FILE, PROMPT, START
from vouch_sidecar.surfaces.hook.resident_start import was_in_vain

from tests.hook.conftest import LIMIT, Hook, Place
from tests.hook.sockets import listening, socket_of
from tests.protocol import knowledge

KNOWN = "How do we rotate JWT tokens?"
KEEP = {RESIDENT: "true"}
BEGUN = {"limit": 0.5, "wait": 9.0}
FAILS = """
import sys

if "vouch_sidecar.surfaces.resident" in sys.orig_argv:
    with open(__file__ + ".starts", "a") as starts:
        starts.write("x")
    sys.exit(3)
"""


class Limits:
    """The timer of a process, which does not run."""

    def __init__(self) -> None:
        self.left = 0.0

    def set(self, _which: int, seconds: float) -> None:
        self.left = seconds


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> Iterator[Limits]:
    made, before = Limits(), signal.getsignal(signal.SIGALRM)
    monkeypatch.setattr(signal, "setitimer", made.set)
    monkeypatch.setattr(client, "monotonic", lambda: 0.0)
    yield made
    signal.signal(signal.SIGALRM, before)


def limit_of(
    limits: Limits, event: str, place: Place, *about: Mapping[str, object], **env: str
) -> float:
    limit = TimeLimit(event, env)
    if event != FILE:
        limit.wait_for_start([str(place.root)], lambda: None)
    for said in about:
        limit.adopt(said)
    return limits.left


def test_who_waits_for_a_start_has_two_seconds(limits: Limits, place: Place) -> None:
    for event in (PROMPT, START):
        assert limit_of(limits, event, place) == 2
        assert limit_of(limits, event, place, BEGUN) == 2
        assert limit_of(limits, event, place, **{LIMIT_VARIABLE: "300"}) == 0.3
        assert limit_of(limits, event, place, BEGUN, **{LIMIT_VARIABLE: "3000"}) == 3
        assert limit_of(limits, event, place, {"limit": 0.3, "wait": 9}) == 0.3
    assert limit_of(limits, PROMPT, place, {"limit": 0.5, "wait": 0}) == 0.5
    assert limit_of(limits, START, place, {"limit": 0.5, "wait": 0}) == 2
    assert limit_of(limits, FILE, place) == 0.5
    assert limit_of(limits, FILE, place, {"limit": 1.5, "wait": 9}) == 1.5


@pytest.mark.parametrize(
    ("config", "seconds"),
    [
        ("sidecar:\n  recall:\n    timeout_ms: 300 # few\n", 0.3),
        ("sidecar:\n  recall:\n    timeout_ms: 3000\n", 3),
        ("sidecar:\n  recall:\n    # timeout_ms: 300\n", 2),
        ("sidecar:\n  recall:\n    timeout_ms: 3\n", 2),
        ("timeout_ms: " + "9" * 5000, 2),
    ],
)
def test_a_limit_of_the_config_holds_before_a_process_says_it(
    limits: Limits, place: Place, config: str, seconds: float
) -> None:
    (place.base / "changed").touch()
    knowledge.config(place.root, config)
    assert limit_of(limits, PROMPT, place) == seconds
    assert limit_of(limits, PROMPT, place, **{LIMIT_VARIABLE: "400"}) == 0.4


def test_the_limit_that_a_process_says_as_it_begins_is_not_taken(
    limits: Limits, place: Place
) -> None:
    """Without a limit that somebody set."""
    about = json.dumps({"id": 1, "ok": True, "result": BEGUN}).encode()
    said = about + b'\n{"id":1,"ok":true,"result":{"told":true}}\n'
    with listening(socket_of(place), said, hangs=True):
        limit = TimeLimit(PROMPT, {})
        env = {**place.env, **KEEP}
        assert client._ask([str(place.root)], PROMPT, {}, env, limit) == {"told": True}
    assert limits.left == 2


def test_who_waited_in_vain_is_remembered_for_a_minute(hook: Hook, place: Place) -> None:
    assert not was_in_vain(place.env)
    with listening(socket_of(place), None):
        assert hook(FILE, tool_input={"file_path": "a.py", "content": "JWT"}).is_silent()
    assert not was_in_vain(place.env)
    socket_of(place).unlink()
    with listening(socket_of(place), None):
        assert hook(PROMPT, prompt=KNOWN, env={**KEEP, LIMIT: "100"}).is_silent()
    assert was_in_vain(place.env)
    mark = next(place.runtime.rglob("in-vain"))
    os.utime(mark, (0, 0))
    assert not was_in_vain(place.env)


def test_a_start_that_failed_is_not_waited_for(hook: Hook, place: Place) -> None:
    planted = place.base / "planted"
    planted.mkdir()
    (planted / "sitecustomize.py").write_text(FAILS, "utf-8")
    env = {**KEEP, "PYTHONPATH": str(planted), LIMIT: "10000", LOG: "debug"}
    for _ in range(2):
        ended = hook(PROMPT, prompt=KNOWN, env=env)
        assert (ended.out, ended.code) == (b"", 0)
        assert b"0 bytes" in ended.err
        assert b"time limit" not in ended.err
        assert was_in_vain(place.env)
    starts = Path(f"{planted / 'sitecustomize.py'}.starts").read_text("utf-8")
    assert starts.startswith("x")
