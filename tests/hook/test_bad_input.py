"""Whatever comes in: nothing on stdout that is no answer, exit code 0, within the time limit."""

from __future__ import annotations

import socket
import subprocess

import pytest

from tests.hook.conftest import LIMIT, Hook, Place, hook_in
from tests.hook.sockets import listening, socket_of
from tests.protocol.client import COMMAND, environment

PROMPT = "user-prompt-submit"
KNOWN = "How do we rotate JWT tokens?"


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
        b'{"prompt": "JWT?", "cwd": "/"}',
        b'{"prompt": "JWT?", "cwd": "/nowhere\\udcff"}',
    ],
)
def test_no_event(served: Place, raw: bytes) -> None:
    assert hook_in(served)(PROMPT, raw=raw).is_silent()


def test_a_dead_socket(hook: Hook, place: Place) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(socket_of(place)))  # and nobody listens
    assert hook(PROMPT, prompt=KNOWN).is_silent()


@pytest.mark.parametrize("answer", [None, b"", b"nonsense\n", b'{"ok": true\n', b"[1]\n", b"{}\n"])
def test_a_socket_that_answers_nonsense_or_hangs(
    hook: Hook, place: Place, answer: bytes | None
) -> None:
    with listening(socket_of(place), answer):
        for limit in ("100", ""):
            assert hook(PROMPT, prompt=KNOWN, env={LIMIT: limit}).is_silent()


def test_a_folder_that_is_a_link_is_not_used(hook: Hook, place: Place) -> None:
    (place.base / "elsewhere").mkdir()
    (place.runtime / "vouch-sidecar").symlink_to(place.base / "elsewhere")
    with listening(socket_of(place), b'{"ok":true,"result":{"mine":1}}\n'):
        assert hook(PROMPT, prompt=KNOWN).is_silent()


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&- 2>&-"])
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
