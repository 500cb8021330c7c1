"""Whatever comes in: nothing on stdout that is no answer, exit code 0, within the time limit."""

from __future__ import annotations

import socket
import subprocess

import pytest

from tests.hook.conftest import Hook, Place, hook_in
from tests.hook.sockets import listening, socket_of
from tests.protocol.client import COMMAND, environment

PROMPT = "user-prompt-submit"
KNOWN = "How do we rotate JWT tokens?"


@pytest.fixture
def served_hook(served: Place) -> Hook:
    return hook_in(served)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'["JWT"]',
        b'{"prompt": 7}',
        b'{"prompt": "%s"}' % (b"JWT " * 250_000),
        b'{"prompt": ["JWT"], "cwd": 3}',
    ],
)
def test_no_event(served_hook: Hook, raw: bytes) -> None:
    assert served_hook(PROMPT, raw=raw).is_silent()


def test_a_folder_without_a_knowledge_base(served_hook: Hook, served: Place) -> None:
    (served.base / "elsewhere").mkdir()
    assert served_hook(PROMPT, prompt=KNOWN, cwd=str(served.base / "elsewhere")).is_silent()
    assert served_hook(PROMPT, prompt=KNOWN, cwd=str(served.base / "nowhere\udcff")).is_silent()


def test_a_dead_socket(hook: Hook, place: Place) -> None:
    path = socket_of(place)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(path))  # and nobody listens
    assert hook(PROMPT, prompt=KNOWN).is_silent()


@pytest.mark.parametrize("answer", [b"", b"nonsense\n", b'{"ok": true\n', b"[1]\n", b"{}\n"])
def test_a_socket_that_answers_nonsense(hook: Hook, place: Place, answer: bytes) -> None:
    with listening(socket_of(place), answer):
        assert hook(PROMPT, prompt=KNOWN).is_silent()


def test_a_folder_that_is_a_link_is_not_used(hook: Hook, place: Place) -> None:
    elsewhere = place.base / "elsewhere"
    elsewhere.mkdir()
    (place.runtime / "vouch-sidecar").symlink_to(elsewhere)
    with listening(socket_of(place), b'{"ok":true,"result":{"mine":1}}\n'):
        assert hook(PROMPT, prompt=KNOWN).is_silent()


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed(place: Place, closed: str) -> None:
    done = subprocess.run(
        f"'{COMMAND}' hook user-prompt-submit {closed}",
        shell=True,
        input=b"{}",
        capture_output=True,
        env=environment(place.env),
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_input_that_never_ends(place: Place) -> None:
    with subprocess.Popen(
        [COMMAND, "hook", "user-prompt-submit"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(place.env),
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b'{"prompt": "JWT')
        process.stdin.flush()
        assert process.wait(30) == 0
        assert process.stdout is not None
        assert process.stdout.read() == b""
