"""The process that a hook leaves behind answers the next hooks, and ends by itself."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from vouch_sidecar.index.base_cache import MANIFEST
from vouch_sidecar.kb.discovery import RESIDENT
from vouch_sidecar.surfaces.local.address import socket_path
from vouch_sidecar.surfaces.local.ownership import hold

from tests.engine.processes import until
from tests.hook.conftest import Hook, Place, processes_of
from tests.hook.test_bad_input import socket_of
from tests.protocol import knowledge
from tests.protocol.client import environment, indexed_client, run_command
from tests.workspace.places import cite, commit_as, repository

PROMPT = "How do we rotate JWT tokens, zanzibar?"
KEEP = {RESIDENT: "true"}
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
RUN = """
import os, sys
from pathlib import Path
from vouch_sidecar.surfaces import resident

resident.IDLE_SECONDS = 0.5
resident.run_resident([Path(sys.argv[1])], os.environ)
"""


def residents(place: Place) -> list[int]:
    """The processes that hooks left behind."""
    found = []
    for process in processes_of(place.base):
        if b"resident" in (process / "cmdline").read_bytes().split(b"\0"):
            found.append(int(process.name))
    return found


def left(hook: Hook, place: Place, **env: str) -> int:
    """A hook without an answer leaves one, which answers from then on."""
    assert hook("user-prompt-submit", prompt="JWT?", session_id="first", env=KEEP | env).is_silent()
    until(lambda: Path(socket_of(place)).exists())
    until(lambda: len(residents(place)) == 1)  # one that begins beside another ends by itself
    (process,) = residents(place)
    return process


@LINUX
def test_later_prompts_are_answered_by_what_the_first_left(hook: Hook, place: Place) -> None:
    left(hook, place)
    said = hook("user-prompt-submit", prompt=PROMPT, env=KEEP).text
    assert " jwt-rotates: Refresh tokens for JWT rotate on every use." in said
    again = hook("user-prompt-submit", prompt="And how else do we rotate JWT?", env=KEEP)
    assert "jwt-rotates" not in again.out.decode(), "it has no memory of the session"
    assert len(residents(place)) == 1


@LINUX
def test_also_where_the_cache_is_warm(hook: Hook, place: Place) -> None:
    run_command("warm", "--root", place.root, env=place.env)
    assert "jwt-rotates" in hook("user-prompt-submit", prompt=PROMPT, env=KEEP).text
    until(lambda: Path(socket_of(place)).exists())


@LINUX
def test_there_is_one_a_knowledge_base(hook: Hook, place: Place) -> None:
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
        [sys.executable, "-c", RUN, place.root],
        env=environment(place.env),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not Path(socket_of(place)).exists()


@LINUX
def test_it_ends_with_the_knowledge_base(hook: Hook, place: Place) -> None:
    (place.base / "changed").touch()
    left(hook, place)
    shutil.rmtree(place.root / ".vouch")
    until(lambda: not residents(place))
    assert not Path(socket_of(place)).exists()


@LINUX
def test_it_leaves_the_knowledge_base_to_an_editor(hook: Hook, place: Place) -> None:
    left(hook, place)
    with indexed_client(place.root, env=place.env) as client:
        until(lambda: not residents(place))
        until(lambda: Path(socket_of(place)).exists())
        since = len(client.received)
        assert hook("user-prompt-submit", prompt=PROMPT, env=KEEP).out
        client.wait(lambda m: m.get("method") == "vouch/didChangeSalience", since)
    assert not residents(place)


@LINUX
def test_stop_ends_it_at_once_and_leaves_nothing_of_it(hook: Hook, place: Place) -> None:
    left(hook, place)
    done = run_command("stop", cwd=place.root, env=place.env)
    assert done.stdout == f"{place.root}: stopped\n"
    assert not residents(place)
    assert not [*place.runtime.iterdir()]
    done = run_command("stop", cwd=place.root, env=place.env)
    assert (done.stdout, "no process" in done.stderr) == ("", True)


@LINUX
def test_stop_all_ends_those_of_every_knowledge_base(hook: Hook, place: Place) -> None:
    left(hook, place)
    other = knowledge.make(place.base / "project" / "other" / "one")
    assert hook("user-prompt-submit", prompt="JWT?", cwd=str(other), env=KEEP).is_silent()
    until(lambda: Path(socket_path(other, place.env)).exists())
    done = run_command("stop", "--all", cwd=place.base, env=place.env)
    assert {*done.stdout.splitlines()} == {f"{root}: stopped" for root in (place.root, other)}
    assert not residents(place)
    assert not [*place.runtime.iterdir()]
    shutil.rmtree(other.parent)


@LINUX
def test_stop_leaves_an_editor_its_process(place: Place) -> None:
    with indexed_client(place.root, env=place.env) as client:
        until(lambda: Path(socket_of(place)).exists())
        done = run_command("stop", cwd=place.root, env=place.env)
        assert "ends with it" in done.stderr
        assert client.request("vouch/status")["roots"]
        assert Path(socket_of(place)).exists()


@LINUX
def test_a_lock_that_is_removed_while_another_takes_it_is_taken_anew(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, real = Path(f"{socket_of(place)}.lock"), fcntl.flock

    def removed_first(lock: int, how: int) -> None:
        monkeypatch.setattr(fcntl, "flock", real)
        path.unlink()
        real(lock, how)

    monkeypatch.setattr(fcntl, "flock", removed_first)
    held = hold(place.root, place.env, "lock")
    assert held is not None
    assert hold(place.root, place.env, "lock") is None
    os.close(held)


@LINUX
def test_it_may_be_killed(hook: Hook, place: Place) -> None:
    os.kill(left(hook, place), signal.SIGKILL)
    until(lambda: not residents(place))
    hook("user-prompt-submit", prompt=PROMPT, env=KEEP)
    until(lambda: len(residents(place)) == 1)


@pytest.mark.parametrize("said", ["false", "0", " OFF "])
def test_the_user_may_want_none(hook: Hook, place: Place, said: str) -> None:
    env = {RESIDENT: said}
    assert hook("user-prompt-submit", prompt=PROMPT, env=env).is_silent()
    until(lambda: any(place.cache.rglob(MANIFEST)) and not processes_of(place.base))
    assert "jwt-rotates" in hook("user-prompt-submit", prompt=PROMPT, env=env).text
    assert not Path(socket_of(place)).exists()
    assert not residents(place)


@LINUX
def test_the_doctor_says_what_runs(hook: Hook, place: Place) -> None:
    def doctor(**env: str) -> str:
        whole = {**place.env, **env}
        return run_command("doctor", "--root", place.root, env=whole, code=None).stdout

    process = left(hook, place)
    said = doctor()
    assert f"process {process}," in said
    assert "a hook left it, it ends after 2 idle hours" in said
    os.kill(process, signal.SIGTERM)
    until(lambda: not residents(place))
    assert "none: hooks work alone, as VOUCH_SIDECAR_HOOK_RESIDENT says" in doctor()
    assert "none: the next hook leaves one, which ends after 2 idle" in doctor(**KEEP)


def test_it_is_no_setting() -> None:
    from vouch_sidecar.kb.settings import load_settings

    assert load_settings(None, {}, {RESIDENT: "false"})[1] == ()


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
    assert [one["name"] for one in found["by_commits"]] == ["Ada Byron"]
    assert asked.stderr in ("", b"")
