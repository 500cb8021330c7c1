"""The user's socket: real processes, ends without notice, who may come in."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.kb.runtime_folder import runtime_folder, usable_folder
from vouch_sidecar.operations.notifications import DidChangeSalience
from vouch_sidecar.surfaces.local.follower import follow
from vouch_sidecar.surfaces.local.user_socket import (
    Ownership,
    UnansweredError,
    ask,
    socket_path,
)

from tests.engine.processes import until
from tests.hook.conftest import Place, project
from tests.hook.sockets import listening, socket_of
from tests.protocol import knowledge
from tests.protocol.client import WAIT, Client, running

PROMPT = "How do we rotate JWT tokens?"


@pytest.fixture
def place() -> Iterator[Place]:
    with project() as made:
        yield made


@pytest.fixture
def start(place: Place) -> Iterator[Callable[..., Client]]:
    """Starts language servers on the project: `start(env, **initialization options)`."""
    with ExitStack() as stack:

        def begin(env: dict[str, str] | None = None, **options: Any) -> Client:
            one = stack.enter_context(running(cwd=place.root, env={**place.env, **(env or {})}))
            one.initialize(place.root, initializationOptions=options)
            one.indexed()
            until(lambda: Path(socket_path(place.env)).exists())
            return one

        yield begin


def put(place: Place, method: str, **params: Any) -> Any:
    """The result that the holder gives; None without one."""
    try:
        return ask([place.root], method, params, timeout=3, env=place.env)
    except UnansweredError:
        return None


def prompt(place: Place, session_id: str = "agent") -> str:
    result = put(
        place,
        "hook.user-prompt-submit",
        session_id=session_id,
        prompt=PROMPT,
        cwd=str(place.root),
    )
    return str(result["hookSpecificOutput"]["additionalContext"]) if result else ""


def pushed(one: Client, session_id: str = "agent") -> list[str]:
    """What a client was told last to be in play in a session."""
    told = [
        m["params"]["salience"]
        for m in one.received
        if m.get("method") == "vouch/didChangeSalience" and m["params"]["session_id"] == session_id
    ]
    return [row["entity_id"] for row in told[-1]] if told else []


def test_only_the_user_may_come_in_and_a_socket_that_was_cleared_away_comes_back(
    start: Any, place: Place
) -> None:
    start()
    path = Path(socket_path(place.env))
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert path.stat().st_mode & 0o777 == 0o600
    assert Path(f"{path}.lock").stat().st_mode & 0o777 == 0o600
    path.unlink()
    until(lambda: prompt(place))


def test_both_editors_are_told_and_the_second_holds_the_socket_later(
    start: Any, place: Place
) -> None:
    first, second = start(), start()
    assert "jwt-rotates" in prompt(place)
    until(lambda: pushed(first) == ["jwt"])
    until(lambda: pushed(second) == ["jwt"])
    assert not second.request("vouch/salience", {"session_id": "agent"})["salience"]

    first.process.kill()
    first.process.wait()
    until(lambda: pushed(second) == [])
    until(lambda: "jwt-rotates" in prompt(place))
    until(lambda: pushed(second) == ["jwt"])
    assert second.request("vouch/salience", {"session_id": "agent"})["salience"]


def test_an_editor_is_told_of_sessions_elsewhere_what_it_wants_and_may_see(
    start: Any, place: Place
) -> None:
    """What its options name, also where its environment says otherwise."""
    private = "scope: {visibility: private, agent: ada}\n"
    knowledge.claim(place.root, "of-ada", "JWT tokens rotate at noon.", "jwt", more=private)
    nothing, block = start(push=[]), start(push=["text"])  # that is told once, to who wants it
    own, bob, ada = {"VOUCH_AGENT": "ada"}, {"agent": "bob"}, {"agent": "ada"}
    ranking, *viewers = (
        start(env, push=["salience"], viewer=viewer)
        for env, viewer in (({}, None), (own, None), (own, bob), ({}, ada))
    )
    assert prompt(place)
    told = ranking.notified("vouch/didChangeSalience")
    assert [row["entity_id"] for row in told["salience"]] == ["jwt"]
    assert (told["fresh"], told["text"]) == ([], "")
    told = block.notified("vouch/didChangeSalience")
    assert (told["session_id"], told["salience"], told["fresh"]) == ("agent", [], [])
    assert "“JWT”" in told["text"]
    rows = [one.notified("vouch/didChangeSalience")["salience"][0] for one in viewers]
    counts = [row["claim_count"] for row in rows]
    assert [count - counts[1] for count in counts] == [1, 0, 1]
    assert put(place, "kb.session_end", session_id="agent")
    until(lambda: pushed(ranking) == [])
    assert "vouch/didChangeSalience" not in {m.get("method") for m in nothing.received}


def test_who_asks_about_others_changes_nothing_in_the_window(start: Any, place: Place) -> None:
    """Whatever the holder is asked about is served, and each answer is about that alone."""
    other = knowledge.make(place.base / "other")
    knowledge.claim(other, "elsewhere", "A JWT is green elsewhere.", "jwt")
    one = start()
    before = one.request("vouch/status")
    since = len(one.received)
    for roots, names in (([other], ["other"]), ([place.root, other], ["other", "project"])):
        status = ask(roots, "kb.status", {}, timeout=WAIT, env=place.env)
        assert [Path(row["root"]).name for row in status["roots"]] == names
        found = ask(roots, "kb.claim", {"id": "elsewhere"}, timeout=WAIT, env=place.env)
        assert found["claim"]["id"] == "elsewhere"
    asked = {"session_id": "away", "prompt": "What is a JWT elsewhere?", "cwd": str(other)}
    assert ask([other], "hook.user-prompt-submit", asked, timeout=WAIT, env=place.env)
    after = one.request("vouch/status")
    assert after["roots"] == before["roots"]
    messages = json.dumps(one.received[since:])
    assert "elsewhere" not in messages
    assert "away" not in messages
    assert not one.request("vouch/search", {"query": "green elsewhere"})["hits"]
    assert one.request("vouch/salience", {"session_id": "away"})["salience"] == []


def test_a_folder_of_somebody_else_is_refused(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    usable_folder(place.env, make=True)
    monkeypatch.setattr(os, "getuid", lambda: 54_321)
    with pytest.raises(PermissionError):
        usable_folder(place.env)


def test_a_socket_that_could_not_be_made_can_be_made_later(place: Place) -> None:
    in_the_way = Path(usable_folder(place.env, make=True), Path(socket_path(place.env)).name)
    in_the_way.mkdir()
    with pytest.raises((IsADirectoryError, PermissionError)):
        Ownership.take(place.env)
    in_the_way.rmdir()
    owned = Ownership.take(place.env)
    assert owned is not None
    owned.release()


@pytest.mark.anyio
async def test_a_holder_that_ends_within_a_line_has_ended(place: Place) -> None:
    told: list[DidChangeSalience] = []
    with listening(socket_of(place), b'{"session_id": "age'):
        await follow([place.root], place.env, told.append)
    assert told == []


def test_the_socket_has_a_name_that_fits(tmp_path: Path) -> None:
    long = {"XDG_RUNTIME_DIR": str(tmp_path / ("x" * 120)), "TMPDIR": "/tmp"}
    assert runtime_folder(long) == f"/tmp/vouch-sidecar-{os.getuid()}"
    assert len(socket_path(long).encode()) <= 100
