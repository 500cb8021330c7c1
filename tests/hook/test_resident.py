"""The process that a hook starts answers it and the next hooks, and ends by itself."""

import json
import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from vouch_sidecar.kb.discovery import RESIDENT
from vouch_sidecar.surfaces.local.user_socket import connect, exchange, question, socket_path

from tests.engine.processes import until
from tests.hook.conftest import END, FILE, KEEP, KNOWN, LIMIT, PROMPT, Place
from tests.protocol import knowledge
from tests.protocol.client import environment, run_command
from tests.workspace.places import cite, commit_as, repository

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
OLDER = "import vouch_sidecar.version as own; own.__version__ = '0.0.1'"
IMPATIENT = "from vouch_sidecar.surfaces import socket_server as own; own.IDLE_SECONDS = 0.5"


def residents(place: Place) -> list[int]:
    """The processes that hooks left behind."""
    words = b"vouch_sidecar.surfaces.entry\0resident"
    every = place.processes()
    return [int(each.name) for each in every if words in (each / "cmdline").read_bytes()]


def left(place: Place, **env: str) -> int:
    """A prompt that has time to wait starts one, which answers it and stays."""
    assert place.hook(PROMPT, "JWT?", session_id="first", env=KEEP | env)
    until(lambda: len(residents(place)) == 1)  # one that begins beside another ends by itself
    return residents(place)[0]


def tampered(place: Place, line: str) -> subprocess.Popen[bytes]:
    code = f"{line}\nfrom vouch_sidecar.surfaces.entry import main\nmain()"
    words, out = [sys.executable, "-c", code, "resident"], subprocess.PIPE
    return subprocess.Popen(words, env=environment(place.env), stdout=out, stderr=out)


def test_only_what_can_use_it_starts_one_and_the_next_prompt_is_answered(place: Place) -> None:
    assert place.hook(END, env=KEEP) == ""
    assert place.hook(PROMPT, KNOWN, env={RESIDENT: " OFF "}) == ""
    assert not place.processes()
    assert not [*place.base.rglob("*.sock"), *place.base.glob("cache")]
    edited = {"file_path": str(place.root / "a.py"), "new_string": "# the JWT\n"}
    place.hook(FILE, tool_input=edited, env={**KEEP, LIMIT: "100"})
    until(lambda: place.hook(PROMPT, KNOWN))


def test_there_is_one_for_all_knowledge_bases(place: Place) -> None:
    with ThreadPoolExecutor(4) as pool:
        prompts = (f"What is JWT number {number}?" for number in range(8))
        [*pool.map(lambda text: place.hook(PROMPT, text, env=KEEP), prompts)]
    until(place.socket.exists)
    until(lambda: len(residents(place)) == 1)
    knowledge.make(place.root.parent / "other")
    said = place.hook(PROMPT, KNOWN, cwd=str(place.root.parent), env=KEEP, session_id="another")
    assert {"PRIMARY", "SUPPLEMENTAL"} <= set(said.split())


def test_who_asks_and_how_much_comes_with_each_prompt(place: Place) -> None:
    root = knowledge.make(place.base / "mine")
    mine = {"visibility": "private", "agent": "me"}
    knowledge.claim(root, "jwt-mine", "We rotate JWT tokens at dawn.", "jwt", scope=mine)
    own = {"VOUCH_AGENT": "me", "VOUCH_SIDECAR_RECALL_MAX_RESULTS": "1"}
    process = left(place, **own)
    assert b"VOUCH_" not in Path(f"/proc/{process}/environ").read_bytes()
    names = ("jwt-mine", "jwt-rotates", "jwt-expires")
    told = (["jwt-mine"], ["jwt-rotates", "jwt-expires"], [*names], ["jwt-mine"])
    for number, env in enumerate((own, {}, {"VOUCH_AGENT": "me"}, own)):
        said = place.hook(PROMPT, KNOWN, env=KEEP | env, session_id=f"s{number}", cwd=str(root))
        assert [name for name in names if name in said] == told[number]


def test_it_ends_when_nobody_asks_any_more(place: Place) -> None:
    with tampered(place, IMPATIENT) as process:
        assert process.communicate(timeout=60) == (b"", b"")
    assert process.returncode == 0
    assert not place.socket.exists()


def test_stop_ends_that_of_this_version_and_stop_all_of_every_one(place: Place) -> None:
    left(place)
    path = socket_path(place.env, "0.0.1")

    def answers() -> bool:
        connected = connect(place.env, path=path)
        asked = question([], "kb.status", {}, place.env)
        return connected is not None and exchange(connected, asked, 5) is not None

    with tampered(place, OLDER) as process:
        until(answers)
        run_command("stop", cwd=place.root, env=place.env)
        assert not residents(place)
        assert process.poll() is None
        done = run_command("stop", cwd=place.root, env=place.env)
        assert done.stderr == "no process of this version that a hook left behind runs\n"
        dead = Path(socket_path(place.env, "0.0.0"))
        dead.touch()
        done = run_command("stop", "--all", cwd=place.base, env=place.env)
        assert (done.stdout, done.stderr) == ("version 0.0.1: stopped\n", "")
        assert process.wait(60) == 0
    assert [*place.base.rglob("*.sock")] == [dead]
    assert "no process" in run_command("stop", "--all", cwd=place.base, env=place.env).stderr


def test_stop_understands_processes_that_say_that_they_end(place: Place) -> None:
    for answer, said in ((b'{"ok":true}', "stopped"), (b'{"ok":false}', "editor")):
        with place.listener(answer):
            done = run_command("stop", cwd=place.base, env=place.env, code=None)
            assert said in done.stdout + done.stderr
        place.socket.unlink()


def test_stop_has_ended_one_though_another_holds_the_socket_at_once(place: Place) -> None:
    first, second = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)

    def give_way() -> None:
        with first.accept()[0]:
            place.socket.unlink()
            second.bind(str(place.socket))
            second.listen()

    with first, second, ThreadPoolExecutor(1) as pool:
        first.bind(str(place.socket))
        first.listen()
        pool.submit(give_way)
        assert run_command("stop", cwd=place.base, env=place.env).stdout == "stopped\n"


def test_stop_has_not_ended_one_that_only_closes_the_connection(place: Place) -> None:
    with socket.socket(socket.AF_UNIX) as listener, ThreadPoolExecutor(1) as pool:
        listener.bind(str(place.socket))
        listener.listen()
        pool.submit(lambda: listener.accept()[0].close())
        assert "does not end" in run_command("stop", cwd=place.base, env=place.env, code=1).stderr


def test_the_shell_beside_a_new_one_is_answered_in_whole(place: Place) -> None:
    os.kill(left(place), signal.SIGKILL)
    until(lambda: not residents(place))
    root = repository(place.base / "relay", {".gitignore": "x\n"})
    knowledge.make(root)
    cite(root, "night", "The relay restarts at night.", "src/relay.py")
    commit_as(root, "Ada Byron", {"src/relay.py": "x = 1\n"})
    left(place)
    asked = run_command("experts", "relay", "--json", cwd=root, env=place.env)
    found = json.loads(asked.stdout)
    assert (found["degraded"], asked.stderr) == ([], "")
    assert [row["name"] for row in found["by_commits"]] == ["Ada Byron"]
