"""Hooks that a running language server answers: real processes, a real socket, a real client."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from vouch_sidecar.kb.pauses import pause, resume

from tests.hook.conftest import LIMIT, Hook, Place, hook_in, project, serving
from tests.protocol import knowledge
from tests.protocol.client import COMMAND, Client, environment

pytestmark = pytest.mark.usefixtures("server")
PROMPT = "How do we rotate JWT tokens, zanzibar?"


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with project() as made:
        before = knowledge.digest(made.root)
        yield made
        assert knowledge.digest(made.root) == before


@pytest.fixture(scope="module")
def server(place: Place) -> Iterator[Client]:
    with serving(place) as client:
        yield client


@pytest.fixture(autouse=True)
def hook(place: Place) -> Iterator[Hook]:
    """The sessions end with each test."""
    run = hook_in(place)
    yield run
    for session_id in ("agent", "other"):
        run("session-end", session_id=session_id)


def test_a_prompt_is_answered_and_shows_up_in_the_editor(server: Client, hook: Hook) -> None:
    since = len(server.received)
    answered = hook("user-prompt-submit", prompt=PROMPT)
    assert " jwt-rotates: Refresh tokens for JWT rotate on every use." in answered.text
    assert (answered.code, answered.err) == (0, b"")
    pushed = server.wait(
        lambda m: (
            m.get("method") == "vouch/didChangeSalience" and m["params"]["session_id"] == "agent"
        ),
        since,
    )
    assert [row["entity_id"] for row in pushed["params"]["salience"]] == ["jwt"]
    assert [row["entity_id"] for row in pushed["params"]["fresh"]] == ["jwt"]


def test_what_was_said_is_not_said_again_in_the_session(hook: Hook) -> None:
    assert hook("user-prompt-submit", prompt="How long does a JWT live?").out
    assert hook("user-prompt-submit", prompt="And how else is a JWT used?").is_silent()
    assert hook("user-prompt-submit", prompt="What about a JWT?", session_id="other").out


def test_what_changed_is_said_again(server: Client, hook: Hook, place: Place) -> None:
    path = place.root / ".vouch" / "claims" / "jwt-expires.yaml"
    before = path.read_bytes()
    assert hook("user-prompt-submit", prompt="How long does a JWT live?").out
    knowledge.claim(place.root, "jwt-expires", "JWT access tokens live for an hour.", "jwt")
    event = {"tool_name": "Write", "tool_input": {"file_path": str(path), "content": "x"}}
    assert hook("post-tool-use", **event).is_silent()
    server.until(
        "vouch/claim",
        {"id": "jwt-expires"},
        lambda answer: "hour" in answer["claim"]["text"],
    )
    again = hook("user-prompt-submit", prompt="And now, how long does a JWT live?").text
    assert "live for an hour" in again
    assert "rotate" not in again
    path.write_bytes(before)
    server.until("vouch/claim", {"id": "jwt-expires"}, lambda a: "15" in a["claim"]["text"])


@pytest.mark.parametrize(
    "forgets", [("session-start", "compact"), ("session-start", "clear"), ("session-end", None)]
)
def test_what_the_agent_forgot_is_said_again_at_once(
    hook: Hook, forgets: tuple[str, str | None]
) -> None:
    """Of a prompt that names something, and of one that full text answers; twice in a minute."""
    event, source = forgets
    other = hook("user-prompt-submit", prompt=PROMPT, session_id="other").out
    for _ in range(2):
        for prompt in (PROMPT, "Do refresh tokens rotate on every use?"):
            first = hook("user-prompt-submit", prompt=prompt).out
            assert first
            hook(event, source=source)
            assert hook("user-prompt-submit", prompt=prompt).out == first
            hook(event, source=source)
    assert other
    assert hook("user-prompt-submit", prompt=PROMPT, session_id="other").is_silent()


def test_the_same_event_twice_at_the_same_moment(place: Place) -> None:
    payload = {"session_id": "agent", "prompt": PROMPT, "cwd": str(place.root)}
    started = [
        subprocess.Popen(
            [COMMAND, "hook", "user-prompt-submit"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment({**place.env, LIMIT: "10000"}),
        )
        for _ in range(4)
    ]
    for process in started:
        assert process.stdin is not None
        process.stdin.write(json.dumps(payload).encode())
        process.stdin.close()
    said = []
    for process in started:
        assert process.stdout is not None
        with process.stdout:
            said.append(process.stdout.read())
        assert process.wait(10) == 0
    assert sum(1 for out in said if out) == 1


def test_it_imports_the_standard_library_alone() -> None:
    """And the module that takes the sockets before it imports the engine."""
    code = (
        "import sys\n"
        "import vouch_sidecar.surfaces.entry, vouch_sidecar.surfaces.hook.client\n"
        "import vouch_sidecar.surfaces.resident\n"
        "roots = {name.partition('.')[0] for name in sys.modules}\n"
        "print(*sorted(roots - sys.stdlib_module_names - {'vouch_sidecar', '__main__'}))\n"
        "print(*sorted(n for n in sys.modules if n.startswith('vouch_sidecar.')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2] / "sidecar",
    )
    foreign, own = done.stdout.splitlines()
    assert foreign == ""
    below = {f"vouch_sidecar.kb{name}" for name in ("", ".discovery", ".pauses", ".runtime_folder")}
    assert {name for name in own.split() if "surfaces" not in name} == {
        *below,
        "vouch_sidecar.version",
    }


@pytest.mark.parametrize("source", ["startup", "compact"])
def test_a_paused_base_says_nothing(hook: Hook, place: Place, source: str) -> None:
    pause(place.root, place.env, 3_600)
    assert hook("session-start", source=source).is_silent()
    assert hook("user-prompt-submit", prompt=PROMPT).is_silent()
    resume(place.root, place.env)
    assert hook("user-prompt-submit", prompt=PROMPT).out


def test_a_session_begins_with_a_brief(hook: Hook) -> None:
    text = hook("session-start", source="startup").text
    assert "project holds 3 claims." in text
    assert "- subjects: JWT" in text
    assert len(text) <= 300


def test_a_session_ends_in_silence_and_in_the_editor(server: Client, hook: Hook) -> None:
    since = len(server.received)
    assert hook("user-prompt-submit", prompt=PROMPT).out
    server.wait(lambda m: m.get("params", {}).get("session_id") == "agent", since)
    since = len(server.received)
    assert hook("session-end").is_silent()
    pushed = server.wait(
        lambda m: (
            m.get("method") == "vouch/didChangeSalience" and m["params"]["session_id"] == "agent"
        ),
        since,
    )
    assert pushed["params"]["salience"] == []


def edit(path: Path, text: str) -> dict[str, object]:
    return {"tool_name": "Edit", "tool_input": {"file_path": str(path), "new_string": text}}


def test_what_an_edit_names(hook: Hook, place: Place) -> None:
    path = place.root / "auth.py"
    said = hook("post-tool-use", **edit(path, "x = 1\n# a JWT is checked here\n")).text
    assert " jwt-expires" in said
    again = edit(path, "y = 2\n# the JWT is checked there\n")
    assert hook("post-tool-use", **again).is_silent()


def test_what_a_file_that_was_read_names(hook: Hook, place: Place) -> None:
    path = place.root / "store.py"
    response = {"file": {"content": "import os\n# sessions go to Redis\n"}}
    read = {"tool_name": "Read", "tool_input": {"file_path": str(path)}}
    assert "redis-holds" in hook("post-tool-use", **read, tool_response=response).text
    path.write_text("# every JWT, and more\n", "utf-8")
    assert hook("post-tool-use", **read).is_silent()  # what the event does not say is not read


def test_files_elsewhere_are_not_read(hook: Hook, place: Place) -> None:
    outside = place.base / "secret.txt"
    outside.write_text("JWT and Redis\n", "utf-8")
    (place.root / "link.txt").symlink_to(outside)
    claim = place.root / ".vouch" / "claims" / "jwt-expires.yaml"
    for path in (outside, place.root / "link.txt", Path("../secret.txt"), claim, place.root):
        event = {"tool_name": "Read", "tool_input": {"file_path": str(path)}}
        assert hook("post-tool-use", **event).is_silent()
    large = place.root / "large.txt"
    large.write_text("JWT and Redis\n" * 20_000, "utf-8")
    event = {"tool_name": "Read", "tool_input": {"file_path": str(large)}}
    assert hook("post-tool-use", **event).is_silent()


def test_the_knowledge_base_that_the_environment_names_is_the_one_asked(
    place: Place, hook: Hook
) -> None:
    subprocess.run(["git", "init", "-q", place.root], check=True)
    other = knowledge.make(place.base / "other")
    knowledge.claim(other, "jwt-expires", "JWT tokens expire after nine days.", "jwt")
    asked = "How long until JWT tokens expire?"
    named = {"VOUCH_KB_PATH": str(other / ".vouch")}
    assert b"nine days" in hook("user-prompt-submit", prompt=asked, env=named).out
    assert b"15 minutes" in hook("user-prompt-submit", prompt=asked, session_id="b").out
