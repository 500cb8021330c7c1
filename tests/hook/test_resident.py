"""The process that a hook starts answers it and the next hooks, and ends by itself."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from vouch_sidecar.kb.discovery import RESIDENT
from vouch_sidecar.surfaces.local.user_socket import connect, exchange, question, socket_path

from tests.engine.processes import until
from tests.hook.conftest import LIMIT, Hook, Place, processes_of
from tests.hook.sockets import socket_of
from tests.protocol import knowledge
from tests.protocol.client import environment, indexed_client, run_command
from tests.workspace.places import cite, commit_as, repository

PROMPT = "How do we rotate JWT tokens, zanzibar?"
KEEP = {RESIDENT: "true"}
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
SHORT = {**KEEP, LIMIT: "100"}
"""Too short for a process to start."""
OLDER = """
import vouch_sidecar.version

vouch_sidecar.version.__version__ = "0.0.1"
from vouch_sidecar.surfaces.resident import main

main()
"""
RUN = """
from vouch_sidecar.surfaces import resident
from vouch_sidecar.surfaces import socket_server

socket_server.IDLE_SECONDS = 0.5
resident.main()
"""


def residents(place: Place) -> list[int]:
    """The processes that hooks left behind."""
    found = []
    for process in processes_of(place.base):
        if b"surfaces.resident" in (process / "cmdline").read_bytes():
            found.append(int(process.name))
    return found


def answers(place: Place, path: str) -> bool:
    """Whether the process that holds a socket has started."""
    connected = connect(place.env, path=path)
    asked = question([], "kb.status", {}, place.env)
    return connected is not None and exchange(connected, asked, 5) is not None


def left(hook: Hook, place: Place, **env: str) -> int:
    """A prompt that has time to wait starts one, which answers it and stays."""
    assert hook("user-prompt-submit", prompt="JWT?", session_id="first", env=KEEP | env).out
    processes: list[int] = []

    def is_alone() -> bool:  # one that begins beside another ends by itself
        processes[:] = residents(place)
        return len(processes) == 1

    until(is_alone)
    return processes[0]


@LINUX
def test_who_can_not_wait_is_silent_and_the_next_prompt_is_answered(
    hook: Hook, place: Place
) -> None:
    file = {"file_path": str(place.root / "a.py"), "new_string": "# the JWT\n"}
    assert hook("post-tool-use", tool_input=file, env=SHORT).is_silent()
    until(lambda: bool(hook("user-prompt-submit", prompt=PROMPT, env=KEEP).out))


@LINUX
def test_the_end_of_a_session_starts_none(hook: Hook, place: Place) -> None:
    assert hook("session-end", env=KEEP).is_silent()
    assert not processes_of(place.base)
    assert not list(place.runtime.rglob("*.sock"))


@LINUX
@pytest.mark.parametrize("first", ["editor", "residents"])
def test_several_knowledge_bases_have_one_that_answers_for_all(
    hook: Hook, place: Place, first: str
) -> None:
    with ExitStack() as stack:
        other = knowledge.make(place.base / "other")
        stack.callback(shutil.rmtree, other)
        if first == "editor":
            stack.enter_context(indexed_client(place.root, env=place.env))
            until(lambda: Path(socket_of(place)).exists())
        else:
            left(hook, place)
            theirs = {"session_id": "other", "cwd": str(other)}
            assert hook("user-prompt-submit", prompt="JWT?", env=KEEP, **theirs).out
        said = hook("user-prompt-submit", prompt=PROMPT, cwd=str(place.base), env=KEEP).text
    assert {"PRIMARY", "SUPPLEMENTAL"} <= set(said.split())


@LINUX
def test_there_is_one(hook: Hook, place: Place) -> None:
    with ThreadPoolExecutor(4) as pool:
        prompts = (f"What is JWT number {number}?" for number in range(8))
        [*pool.map(lambda text: hook("user-prompt-submit", prompt=text, env=KEEP), prompts)]
    until(lambda: Path(socket_of(place)).exists())
    until(lambda: len(residents(place)) == 1)


@LINUX
def test_who_asks_and_how_much_comes_with_each_prompt(hook: Hook, place: Place) -> None:
    (place.base / "changed").touch()
    mine = "scope: {visibility: private, agent: me}\n"
    knowledge.claim(place.root, "jwt-mine", "We rotate JWT tokens at dawn.", "jwt", more=mine)
    own = {"VOUCH_AGENT": "me", "VOUCH_SIDECAR_RECALL_MAX_RESULTS": "1"}
    process = left(hook, place, **own)
    assert b"VOUCH_" not in Path(f"/proc/{process}/environ").read_bytes()
    said = [
        hook("user-prompt-submit", prompt=PROMPT, session_id=f"s{number}", env=KEEP | env).text
        for number, env in enumerate((own, {}, {"VOUCH_AGENT": "me"}, own))
    ]
    names = ("jwt-mine", "jwt-rotates", "jwt-expires")
    told = [[name for name in names if name in text] for text in said]
    assert told == [["jwt-mine"], ["jwt-rotates", "jwt-expires"], [*names], ["jwt-mine"]]


@LINUX
def test_it_ends_when_nobody_asks_any_more(place: Place) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        env=environment(place.env),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not Path(socket_of(place)).exists()


@LINUX
def test_beside_an_editor_it_goes_on_and_the_editor_is_told(hook: Hook, place: Place) -> None:
    (process,) = {left(hook, place)}
    with indexed_client(place.root, env=place.env) as client:
        since = len(client.received)
        assert hook("user-prompt-submit", prompt=PROMPT, env=KEEP).out
        client.wait(lambda m: m.get("params", {}).get("session_id") == "agent", since)
        assert residents(place) == [process]
        os.kill(process, signal.SIGTERM)
        until(lambda: not residents(place))
        until(lambda: Path(socket_of(place)).exists())  # the editor holds it now
        later = {"session_id": "later", "prompt": "What about a JWT?"}
        until(lambda: bool(hook("user-prompt-submit", **later).out))
        assert client.request("vouch/salience", {"session_id": "later"})["salience"]
    assert not residents(place)


@LINUX
def test_stop_ends_that_of_this_version_and_stop_all_of_every_one(hook: Hook, place: Place) -> None:
    left(hook, place)
    older = place.base / "older.py"
    older.write_text(OLDER, "utf-8")
    with subprocess.Popen([sys.executable, older], env=environment(place.env)) as process:
        until(lambda: answers(place, socket_path(place.env, "0.0.1")))
        run_command("stop", cwd=place.root, env=place.env)
        assert not residents(place)
        assert process.poll() is None
        dead = Path(socket_path(place.env, "0.0.0"))
        dead.touch()
        done = run_command("stop", "--all", cwd=place.base, env=place.env)
        assert (done.stdout, done.stderr) == ("version 0.0.1: stopped\n", "")
        assert process.wait(10) == 0
    assert not [*place.runtime.rglob("*.sock")]
    assert "no process" in run_command("stop", "--all", cwd=place.base, env=place.env).stderr


@LINUX
def test_stop_leaves_an_editor_its_process(place: Place) -> None:
    with indexed_client(place.root, env=place.env) as client:
        until(lambda: Path(socket_of(place)).exists())
        done = run_command("stop", cwd=place.root, env=place.env)
        assert "an editor's, which ends with it" in done.stderr
        assert client.request("vouch/status")["roots"]
        assert Path(socket_of(place)).exists()


def test_the_user_may_want_none(hook: Hook, place: Place) -> None:
    env = {RESIDENT: " OFF "}
    assert hook("user-prompt-submit", prompt=PROMPT, env=env).is_silent()
    assert not processes_of(place.base)
    assert not place.cache.exists()


@LINUX
def test_the_shell_that_asks_what_a_hook_has_just_started_is_answered_in_whole(
    hook: Hook, place: Place
) -> None:
    (place.base / "changed").touch()
    cite(place.root, "night", "The relay restarts at night.", "src/relay.py")
    repository(place.root, {".gitignore": "x\n"})
    commit_as(place.root, "Ada Byron", {"src/relay.py": "x = 1\n"})
    left(hook, place)
    asked = run_command("experts", "relay", "--json", cwd=place.root, env=place.env)
    found = json.loads(asked.stdout)
    assert found["degraded"] == []
    assert [row["name"] for row in found["by_commits"]] == ["Ada Byron"]
    assert asked.stderr in ("", b"")


@LINUX
def test_it_may_be_killed(hook: Hook, place: Place) -> None:
    os.kill(left(hook, place), signal.SIGKILL)
    until(lambda: not residents(place))
    assert hook("user-prompt-submit", prompt=PROMPT, env=KEEP).out
