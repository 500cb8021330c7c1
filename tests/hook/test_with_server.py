"""Hooks that a running language server answers: real processes, a real socket, a real client."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.kb.pauses import pause, resume

from tests.hook.conftest import Hook, Place, hook_in, project, serving
from tests.protocol import knowledge
from tests.protocol.client import Client

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


def pushed(server: Client, since: int) -> Any:
    """The next push of the session."""
    return server.wait(
        lambda m: (
            m.get("method") == "vouch/didChangeSalience" and m["params"]["session_id"] == "agent"
        ),
        since,
    )["params"]


def test_a_prompt_is_answered_and_shows_up_in_the_editor(server: Client, hook: Hook) -> None:
    since = len(server.received)
    answered = hook("user-prompt-submit", prompt=PROMPT)
    assert " jwt-rotates: Refresh tokens for JWT rotate on every use." in answered.text
    assert (answered.code, answered.err) == (0, b"")
    push = pushed(server, since)
    for part in ("salience", "fresh"):
        assert [row["entity_id"] for row in push[part]] == ["jwt"]
    since = len(server.received)
    assert hook("session-end").is_silent()
    assert pushed(server, since)["salience"] == []


def test_what_was_said_is_not_said_again_in_the_session(hook: Hook) -> None:
    assert hook("user-prompt-submit", prompt="How long does a JWT live?").out
    assert hook("user-prompt-submit", prompt="And how else is a JWT used?").is_silent()
    assert hook("user-prompt-submit", prompt="What about a JWT?", session_id="other").out


def test_what_changed_is_said_again(server: Client, hook: Hook, place: Place) -> None:
    path = place.root / ".vouch" / "claims" / "jwt-expires.yaml"
    before = path.read_bytes()
    assert hook("user-prompt-submit", prompt="How long does a JWT live?").out
    knowledge.claim(place.root, "jwt-expires", "JWT access tokens live for an hour.", "jwt")
    assert hook("post-tool-use", **edit(path, "x")).is_silent()
    shown = {"id": "jwt-expires"}
    server.until("vouch/claim", shown, lambda answer: "hour" in answer["claim"]["text"])
    again = hook("user-prompt-submit", prompt="And now, how long does a JWT live?").text
    assert "live for an hour" in again
    assert "rotate" not in again
    path.write_bytes(before)
    server.until("vouch/claim", shown, lambda answer: "15" in answer["claim"]["text"])


@pytest.mark.parametrize(
    ("event", "source"),
    [("session-start", "compact"), ("session-start", "clear"), ("session-end", None)],
)
def test_what_the_agent_forgot_is_said_again_at_once(
    hook: Hook, event: str, source: str | None
) -> None:
    """Of a prompt that names something, and of one that full text answers; twice in a minute."""
    assert hook("user-prompt-submit", prompt=PROMPT, session_id="other").out
    for prompt in 2 * (PROMPT, "Do refresh tokens rotate on every use?"):
        first = hook("user-prompt-submit", prompt=prompt).out
        assert first
        hook(event, source=source)
        assert hook("user-prompt-submit", prompt=prompt).out == first
        hook(event, source=source)
    assert hook("user-prompt-submit", prompt=PROMPT, session_id="other").is_silent()


def test_the_same_event_twice_at_the_same_moment(hook: Hook) -> None:
    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(lambda _: hook("user-prompt-submit", prompt=PROMPT).out, range(4)))
    assert sum(map(bool, said)) == 1


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


def test_a_paused_base_says_nothing(hook: Hook, place: Place) -> None:
    pause(place.root, place.env, 3_600)
    for source in ("startup", "compact"):
        assert hook("session-start", source=source).is_silent()
    assert hook("user-prompt-submit", prompt=PROMPT).is_silent()
    resume(place.root, place.env)
    assert hook("user-prompt-submit", prompt=PROMPT).out


def test_a_session_begins_with_a_brief(hook: Hook) -> None:
    text = hook("session-start", source="startup").text
    assert "project holds 3 claims." in text
    assert "- subjects: JWT" in text
    assert len(text) <= 300


def edit(path: Path, text: str) -> dict[str, object]:
    return {"tool_name": "Edit", "tool_input": {"file_path": str(path), "new_string": text}}


def read(path: Path) -> dict[str, object]:
    return {"tool_name": "Read", "tool_input": {"file_path": str(path)}}


def test_what_was_edited_or_read_names(hook: Hook, place: Place) -> None:
    path = place.root / "auth.py"
    said = hook("post-tool-use", **edit(path, "x = 1\n# a JWT is checked here\n")).text
    assert " jwt-expires" in said
    assert hook("post-tool-use", **edit(path, "# the JWT is checked there\n")).is_silent()
    response = {"file": {"content": "import os\n# sessions go to Redis\n"}}
    said = hook("post-tool-use", **read(place.root / "store.py"), tool_response=response).text
    assert "redis-holds" in said


def test_what_the_event_does_not_hold_is_not_read(hook: Hook, place: Place) -> None:
    outside = place.base / "secret.txt"
    outside.write_text("JWT and Redis\n", "utf-8")
    link, here = place.root / "link.txt", place.root / "here.txt"
    link.symlink_to(outside)
    here.write_text("JWT and Redis\n", "utf-8")
    claim = place.root / ".vouch" / "claims" / "jwt-expires.yaml"
    for path in (outside, link, Path("../secret.txt"), claim, place.root, here):
        assert hook("post-tool-use", **read(path)).is_silent()


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
