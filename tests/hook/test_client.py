"""The hook as a process: exit code 0, an answer or no byte, in time, whoever holds the socket."""

import fcntl
import json
import os
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from vouch_sidecar.kb.discovery import find
from vouch_sidecar.kb.pauses import pause, resume
from vouch_sidecar.surfaces.hook.client import LAST_STEP, allowed
from vouch_sidecar.surfaces.local.user_socket import HOOK, connect, exchange, question

from tests.engine.bases import places
from tests.engine.processes import until
from tests.hook.conftest import FILE, KEEP, KNOWN, LIMIT, PROMPT, START, Place
from tests.protocol import knowledge
from tests.protocol.client import COMMAND, GREETINGS, ran, run_command
from tests.workspace.places import git


def test_a_paused_base_says_nothing(served: Place) -> None:
    pause(served.root, served.env, 3_600)
    for event in (PROMPT, START):
        assert served.hook(event, KNOWN, session_id="paused") == ""
    resume(served.root, served.env)
    for event in (PROMPT, START):
        assert "JWT" in served.hook(event, KNOWN, session_id="paused")


def test_where_two_are_of_one_tree_that_which_is_found_answers_unless_paused(served: Place) -> None:
    """As in a repository without one, below which linked working trees have one each."""
    house = served.base / "work" / "house"
    house.mkdir()
    git(house, "init", "-q")
    git(house, "commit", "-q", "--allow-empty", "-m", "first")
    first, second = house / "wt" / "a", house / "wt2" / "b"
    for tree in (first, second):
        git(house, "worktree", "add", "-q", str(tree))
        knowledge.make(tree)
    knowledge.claim(second, "jwt-expires", "JWT tokens expire after nine days.", "jwt")
    for paused, cwd, told in (
        *((second, house, "15 min"), (first, house, "")),
        *((first, second.parent, "nine days"), (second, second.parent, "")),
    ):
        pause(paused, served.env, 3_600)
        asked = "How long until JWT tokens expire?"
        said = served.hook(PROMPT, asked, session_id=f"{paused} {cwd}", cwd=str(cwd))
        assert told in said
        assert bool(told) is bool(said)
        resume(paused, served.env)


def test_the_knowledge_base_that_the_environment_names_is_the_one_asked(served: Place) -> None:
    other = knowledge.make(served.base / "other")
    knowledge.claim(other, "jwt-expires", "JWT tokens expire after nine days.", "jwt")
    asked = "How long until JWT tokens expire?"
    for env, told in (({"VOUCH_KB_PATH": str(other / ".vouch")}, "nine days"), ({}, "15 min")):
        assert told in served.hook(PROMPT, asked, session_id=f"by {told}", env=env)


@pytest.mark.parametrize(
    "raw",
    [
        b" ",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'["JWT"]',
        b'{"prompt": "%s"}' % (b"JWT " * 250_000),
        b'{"prompt": ["JWT"], "cwd": 3}',
        b'{"prompt": "JWT?", "cwd": "/"}',
        b'{"prompt": "JWT?", "cwd": "/nowhere\\udcff"}',
    ],
)
def test_what_is_no_event_has_no_answer(served: Place, raw: bytes) -> None:
    assert served.hook(PROMPT, raw=raw) == ""


@pytest.mark.parametrize("answer", [None, b"nonsense\n", b'{"ok": true\n', b"[1]\n", b"{}\n"])
def test_a_socket_that_answers_nonsense_or_hangs(place: Place, answer: bytes | None) -> None:
    with place.listener(answer):
        for limit in ("100", ""):
            assert place.hook(PROMPT, KNOWN, env={LIMIT: limit}) == ""


def test_an_answer_is_wanted_before_the_hook_ends(place: Place) -> None:
    """Which it does ten seconds after its start, so sooner than ten seconds after it asked."""
    with place.listener(b'{"ok":true,"result":"soon"}\n') as questions:
        env = {**place.env, LIMIT: "10000"}
        done = ran(COMMAND, "hook", PROMPT, cwd=place.root, said=TYPED, env=env)
    assert done.stdout == b'"soon"\n'
    ((moment, asked),) = questions
    assert json.loads(asked)["until"] <= moment + 10 - LAST_STEP


def test_a_prompt_has_two_seconds_where_its_base_has_just_begun_to_be_served(place: Place) -> None:
    answers = b'{"ok":false,"may_wait":true}\n', b'{"ok":true,"result":{"mine":1}}\n'

    def is_told() -> bool:
        """Also on a busy machine, on which it may end before it asks."""
        with place.listener(*answers) as questions:
            done = ran(COMMAND, "hook", PROMPT, cwd=place.root, said=TYPED, env=place.env)
        place.socket.unlink()
        ends = [json.loads(question)["until"] for _, question in questions]
        return done.stdout == b'{"mine":1}\n' and ends[1] - ends[0] > 1.0

    until(is_told)


def test_a_hook_without_more_time_is_told_what_was_found(served: Place) -> None:
    for seconds, lines in ((0, 1), (60, 2)):
        given = {"session_id": f"{seconds} s", "prompt": KNOWN, "cwd": str(served.root)}
        asked = question(
            places(served.root), f"{HOOK}{PROMPT}", given, {**served.env, LIMIT: "10000"}
        )
        connected = connect(served.env)
        assert connected is not None
        answered = exchange(connected, {**asked, "until": time.monotonic() + seconds}, 10)
        assert json.dumps(answered).count(" jwt-") == lines


def test_a_large_event_in_another_script_is_answered(served: Place) -> None:
    given = {"session_id": "large", "cwd": str(served.root), "prompt": KNOWN}
    raw = json.dumps({**given, "more": "ж" * (3 << 19)}, ensure_ascii=False).encode()
    assert "JWT" in served.hook(PROMPT, raw=raw)


def test_a_dead_socket_and_a_folder_that_is_a_link(place: Place) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(place.socket))  # and nobody listens
    assert place.hook(PROMPT, KNOWN) == ""
    place.socket.unlink()
    with place.listener(b'{"ok":true,"result":{"mine":1}}\n'):
        place.socket.parent.rename(place.base / "elsewhere")
        place.socket.parent.rmdir()
        (place.base / "run" / "vouch-sidecar").symlink_to(place.base / "elsewhere")
        assert place.hook(PROMPT, KNOWN) == ""


@pytest.mark.parametrize("streams", ["<&-", ">&-", "<&- >&- 2>&-", "< /dev/zero", "< hangs"])
def test_streams_that_are_closed_or_never_end(place: Place, streams: str) -> None:
    os.mkfifo(place.base / "hangs")
    command = f"exec 3<> hangs; '{COMMAND}' hook user-prompt-submit {streams}"
    done = ran("sh", "-c", command, cwd=place.base, env={**place.env, LIMIT: "300"})
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    ("event", "begins", "config", "set_to", "seconds"),
    [
        (PROMPT, True, "", "", 2),
        (FILE, True, "", "", 0.5),
        (PROMPT, False, "", "", 0.5),
        (START, False, "", "", 2),
        (PROMPT, True, "", "300", 0.3),
        (PROMPT, True, "sidecar:\n  recall:\n    timeout_ms: 300", "", 0.3),
        (PROMPT, True, "sidecar:\n  recall:\n    timeout_ms: 300", "400", 0.4),
    ],
)
def test_how_long_a_hook_may_take(
    root: Path, tmp_path: Path, event: str, begins: bool, config: str, set_to: str, seconds: float
) -> None:
    knowledge.config(root, config)
    for arguments in (["init", "-q"], ["commit", "-qm", "x", "--allow-empty"]):
        git(root, *arguments)
    git(root, "worktree", "add", "-q", str(tmp_path / "linked"))
    places = find(str(tmp_path / "linked"), {}).places
    assert [place.root for place in places] == [str(root)]
    assert allowed(event, places, {LIMIT: set_to}, begins=begins) == seconds


STARTS = """
import sys

if sys.orig_argv[-1] == "resident":
    with open(__file__ + ".starts", "a") as starts:
        starts.write("x")
    %s
"""


def planted(place: Place, code: str) -> tuple[dict[str, str], Path]:
    """The environment in which a resident runs this code first, and the file that counts starts."""
    path = place.base / "planted" / "sitecustomize.py"
    path.parent.mkdir()
    path.write_text(STARTS % code, "utf-8")
    starts = Path(f"{path}.starts")
    starts.touch()
    return {**KEEP, "PYTHONPATH": str(path.parent)}, starts


def mark(place: Place) -> Path:
    """The file that marks a start, until the process serves."""
    return place.socket.with_name("started")


def test_after_one_that_came_to_nothing_none_is_waited_for_within_a_minute(place: Place) -> None:
    env, starts = planted(place, "sys.exit(3)")
    assert place.hook(PROMPT, KNOWN, env=env) == ""
    assert starts.read_text("utf-8").startswith("x")
    for ago, is_told in ((30, False), (70, True)):
        os.utime(mark(place), (time.time() - ago,) * 2)
        assert bool(place.hook(PROMPT, KNOWN, env=KEEP)) is is_told
        until(lambda: not mark(place).exists())
        assert place.hook(PROMPT, KNOWN, env=KEEP, session_id="next")
        run_command("stop", cwd=place.root, env=place.env)
        mark(place).touch()


def test_where_one_that_ends_still_holds_the_socket_another_is_started(place: Place) -> None:
    env, starts = planted(place, "pass")
    lock = os.open(f"{place.socket}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(place.hook, PROMPT, KNOWN, env=env)
        try:
            until(lambda: starts.read_text("utf-8").startswith("xx") or asked.done())
        finally:
            os.close(lock)
        assert "jwt-rotates" in asked.result()


def test_a_process_that_ends_while_it_is_asked_is_no_answer(place: Place) -> None:
    with place.listener(b""):
        assert "jwt-rotates" in place.hook(PROMPT, KNOWN, env=KEEP)


def test_it_imports_the_standard_library_alone_and_little_of_it() -> None:
    code = (
        "import sys, vouch_sidecar.surfaces.entry, vouch_sidecar.surfaces.hook.client\n"
        "import vouch_sidecar.surfaces.local.user_socket\n"
        "roots = {name.partition('.')[0] for name in sys.modules}\n"
        "slow = {'contextlib', 'hashlib', 'pathlib', 'socket', 'subprocess', 'typing'}\n"
        "own = {'vouch_sidecar', '__main__'}\n"
        "print(*sorted(roots & slow | roots - sys.stdlib_module_names - own))\n"
    )
    sidecar = Path(__file__).parents[2] / "sidecar"
    command = [sys.executable, "-S", "-c", code]
    assert subprocess.check_output(command, text=True, cwd=sidecar) == "\n"


LACKING = """
import os, signal, socket, sys

pair, unix = socket.socketpair, socket.AF_UNIX
socket.socketpair = lambda *_: pair(unix)  # what the event loop wakes itself with
sys.modules["fcntl"] = None
del socket.AF_UNIX
del os.getuid, os.O_CLOEXEC, signal.SIGALRM, signal.setitimer

from vouch_sidecar.surfaces.entry import main

main()
"""
TYPED = json.dumps({"session_id": "s", "prompt": KNOWN}).encode()


@pytest.mark.parametrize(
    ("arguments", "given", "said"),
    [
        ("hook user-prompt-submit", TYPED, None),
        ("hook session-start", TYPED, None),
        *((command, *greeting) for command, greeting in GREETINGS.items()),
        ("experts jwt", b"", b"JWT"),
        ("doctor", b"", b"hooks say nothing on this system"),
    ],
)
def test_what_windows_lacks(place: Place, arguments: str, given: bytes, said: bytes | None) -> None:
    command = (sys.executable, "-c", LACKING, *arguments.split())
    done = ran(*command, cwd=place.root, said=given, env={**place.env, **KEEP})
    if said is None:
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    else:
        assert said in done.stdout
        assert b"Traceback" not in done.stderr
    assert not [*(place.base / "run").rglob("*.sock*")]
