"""The user's socket: real processes, ends without notice, who may come in."""

import asyncio
import dataclasses
import json
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.to_thread import run_sync
from vouch_sidecar.engine import Caller, Engine, Subscriber
from vouch_sidecar.engine import running as following
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.discovery import BaseInTree
from vouch_sidecar.kb.runtime_folder import runtime_folder, usable_folder
from vouch_sidecar.kb.settings import Settings, viewer_for
from vouch_sidecar.retrieval.push import Push
from vouch_sidecar.surfaces import pushing, socket_server
from vouch_sidecar.surfaces.local import user_socket
from vouch_sidecar.surfaces.local.user_socket import Ownership, ask, connect, question
from vouch_sidecar.surfaces.pushing import subscriber_for
from vouch_sidecar.surfaces.socket_server import LocalServer

from tests.engine import bases
from tests.engine.bases import places
from tests.engine.processes import until
from tests.hook.conftest import END, KEEP, KNOWN, PROMPT, Place, project
from tests.protocol import knowledge
from tests.protocol.client import SALIENCE, WAIT, Client, indexed_client, run_command


@pytest.fixture
def place() -> Iterator[Place]:
    with project() as made:
        yield made


@pytest.fixture
def start(place: Place) -> Iterator[Callable[..., Client]]:
    """Starts language servers on the project: `start(env, **initialization options)`."""
    with ExitStack() as stack:

        def begin(env: dict[str, str] | None = None, **options: Any) -> Client:
            served = {**place.env, **(env or {})}
            one = indexed_client(place.root, env=served, initializationOptions=options)
            client = stack.enter_context(one)
            until(place.socket.exists)
            return client

        yield begin


def put(place: Place, method: str, root: Path | None = None, **params: Any) -> Any:
    """The result that the holder gives; None without one."""
    return ask(places(root or place.root), method, params, timeout=WAIT, env=place.env)


def prompt(place: Place, session_id: str = "agent") -> str:
    cwd = str(place.root)
    result = put(place, f"hook.{PROMPT}", session_id=session_id, prompt=KNOWN, cwd=cwd)
    return str(result["hookSpecificOutput"]["additionalContext"]) if result else ""


def experts(place: Place, *args: str, **env: str) -> dict[str, Any]:
    """The first row of what the shell prints."""
    asked = ("experts", "jwt", "--json", *args)
    done = run_command(*asked, cwd=place.root, env={**place.env, **env})
    row: dict[str, Any] = json.loads(done.stdout)["experts"][0]
    return row


def test_an_agent_that_changes_folders_is_one_session_in_all(start: Any, place: Place) -> None:
    """Its rows in a window of both stay, what it was given is not said again, its end is one."""
    other = bases.base(place.base / "work" / "other", bases.known("bell", "Night Bell"))
    start()  # it holds the socket, and has another engine for each set of folders of others
    folders = [{"uri": root.as_uri(), "name": root.name} for root in (place.root, other)]

    def asked(root: Path, text: str, *roots: Path) -> str:
        given = {"session_id": "agent", "prompt": text, "cwd": str(root)}
        said = ask(places(root, *roots), f"hook.{PROMPT}", given, timeout=WAIT, env=place.env)
        return str(said["hookSpecificOutput"]["additionalContext"]) if said else ""

    with indexed_client(other, env=place.env, workspaceFolders=folders) as window:
        until(lambda: "jwt-rotates" in asked(place.root, KNOWN))
        window.pushed("agent", ["jwt"])
        bell = "Who rings the Night Bell?"
        assert [bool(asked(root, bell)) for root in (place.root, other)] == [False, True]
        window.pushed("agent", ["bell", "jwt"])
        assert "jwt-rotates" not in asked(place.root, f"{KNOWN} Please.", other)
        since = len(window.received)
        (place.base / "empty").mkdir()
        place.hook(END, cwd=str(place.base / "empty"))
        window.pushed("agent", [], since)
        assert "jwt-rotates" in asked(place.root, KNOWN)


def test_only_the_user_may_come_in_and_a_socket_that_was_cleared_away_comes_back(
    start: Any, place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start()
    paths = (place.socket.parent, place.socket, Path(f"{place.socket}.lock"))
    assert [path.stat().st_mode & 0o777 for path in paths] == [0o700, 0o600, 0o600]
    place.socket.unlink()
    until(lambda: prompt(place))
    long = {"XDG_RUNTIME_DIR": str(tmp_path / ("x" * 120)), "TMPDIR": "/tmp"}
    assert runtime_folder(long) == f"/tmp/vouch-sidecar-{os.getuid()}"
    assert len(user_socket.socket_path(long).encode()) <= 100
    monkeypatch.setattr(os, "getuid", lambda: 54_321)
    with pytest.raises(PermissionError):
        usable_folder(place.env)


def test_who_left_before_the_answer_was_given_nothing(start: Any, place: Place) -> None:
    start()
    event = {"session_id": "agent", "prompt": KNOWN, "cwd": str(place.root)}
    asked = question(places(place.root), f"hook.{PROMPT}", event, place.env)
    connected = connect(place.env)
    assert connected is not None
    connected.sendall(json.dumps(asked).encode() + b"\n")
    connected.close()
    until(lambda: "jwt-rotates" in prompt(place))
    assert prompt(place) == ""


def test_both_editors_are_told_and_the_second_holds_it_later(start: Any, place: Place) -> None:
    first, second = editors = start(), start()
    other = knowledge.make(place.base / "other")
    both = places(place.root, other)  # in an engine of the holder's
    for method, task, in_play in (("context", {"task": KNOWN}, ["jwt"]), ("session_end", {}, [])):
        assert ask(both, f"tool.{method}", task | {"session_id": "a"}, env=place.env)
        for editor in editors:
            editor.pushed("a", in_play)
    assert "jwt-rotates" in prompt(place)
    for editor in editors:
        editor.pushed("agent", ["jwt"])
    assert second.in_play("agent") == []
    since = len(second.received)
    first.process.kill()
    first.process.wait()
    second.pushed("agent", [], since)
    since = len(second.received)
    until(lambda: "jwt-rotates" in prompt(place))
    second.pushed("agent", ["jwt"], since)
    assert second.in_play("agent") == ["jwt"]


def test_an_editor_is_told_of_others_what_it_wants_and_may_see(start: Any, place: Place) -> None:
    """What its options name, also where its environment says otherwise."""
    hers = {"visibility": "private", "agent": "ada"}
    knowledge.claim(place.root, "of-ada", "JWT tokens rotate at noon.", "jwt", scope=hers)
    nothing, block = start(push=[]), start(push=["text", "all"])  # told once, to who wants it
    own, bob, ada = {"VOUCH_AGENT": "ada"}, {"agent": "bob"}, {"agent": "ada"}
    ranking, *viewers = (
        start(env, push=["salience"], viewer=viewer)
        for env, viewer in (({}, None), (own, None), (own, bob), ({}, ada))
    )
    assert prompt(place)
    told = ranking.notified(SALIENCE)
    assert [row["entity_id"] for row in told["salience"]] == ["jwt"]
    assert (told["fresh"], told["text"]) == ([], "")
    told = block.notified(SALIENCE)
    assert (told["session_id"], told["salience"], told["fresh"]) == ("agent", [], [])
    assert "“JWT”" in told["text"]
    rows = [one.notified(SALIENCE)["salience"][0] for one in viewers]
    counts = [row["claim_count"] for row in rows]
    assert [count - counts[1] for count in counts] == [1, 0, 1]
    assert put(place, "tool.session_end", session_id="agent")
    ranking.pushed("agent", [])
    assert SALIENCE not in {m.get("method") for m in nothing.received}


def test_a_shell_asks_as_who_calls_unless_he_has_a_model(start: Any, place: Place) -> None:
    mine = {"visibility": "private", "agent": "me"}
    knowledge.claim(place.root, "mine", "JWT is mine.", "jwt", scope=mine)
    server = start()
    for args, env, count in (
        ([], {}, 2),
        (["--agent", "me"], {}, 3),
        ([], {"VOUCH_AGENT": "me"}, 3),
        (["--agent", "you"], {"VOUCH_AGENT": "me"}, 2),
        (["--root=../project", "--weight", "recency"], {"VOUCH_PROJECT_DIR": "/"}, 2),
        ([], {"VOUCH_SIDECAR_SEMANTIC_MODEL": "/none"}, 2),
    ):
        assert experts(place, *args, **env)["claim_count"] == count
    timings = server.request("vouch/stats")["operations"]
    assert {row["operation"]: row["count"] for row in timings}["experts"] == 5


def test_a_shell_leaves_its_input_alone_where_no_text_is_a_dash(start: Any, place: Place) -> None:
    start()
    with Client("experts", "jwt", "--agent", "-", cwd=place.root, env=place.env) as asking:
        assert asking.ended() == 0


@pytest.mark.parametrize("answer", [None, b"nonsense\n", b'{"ok": true, "result": []}\n', b""])
def test_without_a_sensible_answer_a_shell_works_alone(place: Place, answer: bytes | None) -> None:
    with place.listener(answer):
        assert experts(place)["entity_id"] == "jwt"


def test_what_names_a_viewer_in_the_environment_goes_with_a_question() -> None:
    fields = [field.name for field in dataclasses.fields(Viewer)]
    env = {f"VOUCH_{name.upper()}": name for name in fields}
    assert viewer_for(Settings(), None, None, user_socket.carried(env)) == Viewer(*fields)


@pytest.mark.parametrize("is_patient", [True, False])
async def test_who_can_read_for_himself_waits_for_no_late_answer(
    place: Place, monkeypatch: pytest.MonkeyPatch, is_patient: bool
) -> None:
    async def answer(*_: object) -> dict[str, Any]:
        await anyio.sleep(2.5)
        return {"ok": True, "result": "late"}

    monkeypatch.setattr(LocalServer, "_answer", answer)
    owned = Ownership.take(place.env)
    assert owned is not None
    os.utime(place.socket, (0, 0))  # it began long ago
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(LocalServer(place.env, tasks).own, owned)
        held = partial(ask, [], "tool", {}, env=place.env, is_patient=is_patient, timeout=1.5)
        assert await run_sync(held) == ("late" if is_patient else None)
        tasks.cancel_scope.cancel()


def test_who_asks_about_others_changes_nothing_in_the_window(start: Any, place: Place) -> None:
    """Whatever the holder is asked about is served, and each answer is about that alone."""
    other = knowledge.make(place.base / "other")
    knowledge.claim(other, "elsewhere", "A JWT is green elsewhere.", "jwt")
    one = start()
    before = one.request("vouch/status")
    since = len(one.received)
    beside = {BaseInTree((str(other), str(place.root)))}  # of the tree that the window has open
    held = partial(ask, timeout=WAIT, env=place.env)
    for asked, names in (
        *((places(other), ["other"]), (beside, ["other"])),
        (places(place.root, other), ["other", "project"]),
    ):
        status, found = (
            held(asked, f"tool.{name}", params)["structuredContent"]
            for name, params in (("status", {}), ("claim", {"id": "elsewhere"}))
        )
        assert [Path(row["root"]).name for row in status["roots"]] == names
        assert found["claim"]["id"] == "elsewhere"
    event = {"prompt": "What is a JWT elsewhere?", "cwd": str(other)}
    for asked, session_id in ((places(other), "away"), (beside, "away beside")):
        assert held(asked, f"hook.{PROMPT}", event | {"session_id": session_id})
    nowhere = {"task": KNOWN, "session_id": "nowhere"}
    assert ask([], "tool.context", nowhere, timeout=WAIT, env=place.env) is None
    assert one.request("vouch/status")["roots"] == before["roots"]
    messages = json.dumps(one.received[since:])
    assert "elsewhere" not in messages
    assert "away" not in messages
    assert not one.request("vouch/search", {"query": "green elsewhere"})["hits"]
    assert one.in_play("away") == one.in_play("away beside") == []


async def test_an_engine_lives_while_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Meanwhile it tells who follows, in the names that he has for these."""
    one, two = (knowledge.make(tmp_path / name) for name in ("one", "two"))
    monkeypatch.setattr(socket_server, "CHECK_SECONDS", 0.01)
    told = list[Push]()
    async with anyio.create_task_group() as tasks:
        engines = LocalServer({"VOUCH_SIDECAR_RECALL_MAX_RESULTS": "1"}, tasks)
        watching = Caller(env={}, places=places(one), names=dict.fromkeys(places(one), "mine"))
        who = Subscriber(lambda: watching, told.append, hears_all=True)
        tasks.start_soon(who.keep_told, engines.engines, engines.sessions)
        wanted = [Caller(places=places(*roots)) for roots in ([one], [one, two])]
        alone, both = map(engines.engine_for, wanted)
        assert engines.engine_for(Caller(places=places(one))) is alone
        assert {*alone.registry.collections} == places(one)
        assert {*both.registry.collections} == places(one, two)
        assert not alone.env
        both.observe("agent", None, KNOWN)
        await bases.until(lambda: bool(told))
        assert [row["collection"] for row in told[-1].salience] == ["mine"]
        monkeypatch.setattr(socket_server, "IDLE_SECONDS", -1.0)
        await bases.until(lambda: engines.engine_for(wanted[0]) is not alone)
        tasks.cancel_scope.cancel()


async def test_a_hook_learns_that_its_base_has_just_begun_to_be_served(place: Place) -> None:
    event = {"session_id": "agent", "prompt": KNOWN, "cwd": str(place.root)}
    async with anyio.create_task_group() as tasks:
        engines = LocalServer(place.env, tasks)
        caller = Caller(env={}, places=places(place.root))
        request = question(places(place.root), f"hook.{PROMPT}", event, {}) | {"waits": False}
        assert await engines._answer(request, caller) == {"ok": False, "may_wait": True}
        bases.only(engines.engine_for(caller)).ready_at = 0.0
        assert "jwt-rotates" in json.dumps(await engines._answer(request, caller))
        tasks.cancel_scope.cancel()


async def test_one_that_was_away_at_the_first_question_is_served(tmp_path: Path) -> None:
    root = knowledge.make(tmp_path / "one")
    (root / ".vouch").rename(tmp_path / "away")
    async with anyio.create_task_group() as tasks:
        engines, caller = LocalServer({}, tasks), Caller(env={}, places=places(root))
        engine = engines.engine_for(caller)
        assert not engine.registry.collections
        (tmp_path / "away").rename(root / ".vouch")
        assert engines.engine_for(caller) is engine
        assert {*engine.registry.collections} == places(root)
        tasks.cancel_scope.cancel()


async def test_a_session_goes_on_where_the_window_answers_for_its_bases(tmp_path: Path) -> None:
    one, two = (knowledge.make(tmp_path / name) for name in ("one", "two"))
    window, told = Engine(env={}), list[Push]()
    window.registry.set_folders([one])
    async with anyio.create_task_group() as tasks:
        engines = LocalServer({}, tasks, window)
        watching = Caller(env={}, places=places(two))
        who = Subscriber(lambda: watching, told.append)
        tasks.start_soon(who.keep_told, engines.engines, engines.sessions)
        made = engines.engine_for(watching)
        made.observe("agent", None, KNOWN, watching)
        await bases.until(lambda: bool(told))
        window.registry.set_folders([one, two])
        assert engines.engine_for(watching) is made, "until the window has read it"
        async with following(window):
            await bases.until(lambda: engines.engine_for(watching) is window)
            await bases.until(lambda: len(engines.engines()) == 1)
            assert all(push.salience for push in told)
            rows = window.salience(window.registry.serving(watching), "agent")
            assert [row.entity.id for row in rows] == ["jwt"]
            window.sessions.end("agent")
            await bases.until(lambda: not told[-1].salience)
        tasks.cancel_scope.cancel()


async def test_a_subscriber_is_who_he_says_and_has_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pushing, "MAX_LOCAL_MESSAGE", 1000)
    here, there = socket.socketpair()
    with there:
        _, writer = await asyncio.open_unix_connection(sock=here)
        names = dict.fromkeys(places(Path("/kb")), "mine")
        params = {"all": True, "push": [], "names": names.items(), "viewer": ["one", None]}
        one = subscriber_for(Caller(), params, writer)
        assert one.caller() == Caller(names=names, viewer=Viewer("one", None))
        for number in range(10_000):
            one.tell(Push("agent", number))
        assert writer.is_closing()


def test_a_watch_sees_hooks_and_editors_though_it_was_there_first(place: Place) -> None:
    knowledge.make(place.root.parent / "other")
    with Client("watch", cwd=place.root.parent, env=place.env) as watch:
        stop = partial(run_command, "stop", cwd=place.root, env=place.env)

        def rows() -> list[list[str]]:
            return [line.split("\t") for line in watch.strays.decode().splitlines()]

        assert "jwt-" in place.hook(PROMPT, KNOWN, env=KEEP)
        told = ["agent", "jwt", "JWT", "project"]
        until(lambda: told in [[*row[:3], row[-1]] for row in rows()])
        typing = {"session_id": "typing"}
        with indexed_client(place.root, env=place.env, initializationOptions=typing) as editor:
            assert stop().stdout == "stopped\n"
            until(place.socket.exists)  # the editor holds it now
            editor.open("file:///notes.txt", "")
            editor.change("file:///notes.txt", "We ask Redis whether the JWT is known.")
            until(lambda: ["typing", "jwt"] in [row[:2] for row in rows()])
            assert "an editor's, which ends with it" in stop().stderr
            assert editor.request("vouch/status")["roots"]
            watch.process.send_signal(signal.SIGINT)
            watch.ended()
            assert ["typing"] not in rows()
