"""What a hook says after an edit or a read: claims that cite, quote or name the file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.engine.processes import until
from tests.hook.conftest import Hook, Place
from tests.protocol.client import Client, indexed_client
from tests.workspace.places import cite, git, write

pytestmark = pytest.mark.usefixtures("server")
CODE = "class RelayLoop:\n    pass\n"


@pytest.fixture
def place(place: Place) -> Place:
    (place.base / "changed").touch()
    relay = f"# One is up.\n# It restarts at night.\n{CODE}"
    write(place.root, {"src/relay.py": relay, "CHANGELOG.md": "x", "src/loop.py": CODE})
    git(place.root, "init", "-q")
    git(place.root, "add", "-A", "src", "CHANGELOG.md")
    content = b"One is up.\nIt restarts at night.\n"
    cite(place.root, "quotes", "It restarts.", "src/relay.py", content, quote=b"at night")
    cite(place.root, "names", "`RelayLoop` is slow.", "https://example.org")
    cite(place.root, "news", "It is new.", "CHANGELOG.md")
    return place


@pytest.fixture
def server(place: Place) -> Iterator[Client]:
    with indexed_client(place.root, env=place.env) as client:
        client.until("vouch/files", {"paths": ["src/relay.py"]}, lambda a: not a["degraded"])
        until(lambda: any((place.runtime / "vouch-sidecar").glob("*.sock")))
        yield client


def edited(place: Place, path: str, text: str = "nothing") -> dict[str, Any]:
    file = str(place.root / path)
    return {"tool_name": "Edit", "tool_input": {"file_path": file, "new_string": text}}


def test_a_file_s_claims_are_told_once_a_session(place: Place, hook: Hook) -> None:
    said = hook("post-tool-use", **edited(place, "src/relay.py")).text
    assert "“src/relay.py:2” 0.9 quotes: It restarts at night." in said
    assert "RelayLoop" not in said
    assert hook("post-tool-use", **edited(place, "src/relay.py", "another")).is_silent()
    assert hook("post-tool-use", session_id="b", **edited(place, "src/relay.py")).out
    hook("session-start", source="compact")
    assert hook("post-tool-use", **edited(place, "src/relay.py", "third")).out


def test_what_only_defines_a_name_is_silent(place: Place, hook: Hook) -> None:
    for path in ("src/loop.py", "CHANGELOG.md", "../x.py", "src/gone.py"):
        assert hook("post-tool-use", **edited(place, path)).is_silent()


def test_a_large_file_has_claims_as_well(place: Place, hook: Hook) -> None:
    (place.root / "src" / "relay.py").write_text("x = 1\n" * 100_000, "utf-8")
    event = {"tool_name": "Read", "tool_input": {"file_path": "src/relay.py"}}
    assert "It restarts at night." in hook("post-tool-use", **event).text


def test_names_in_the_text_are_told_behind(place: Place, hook: Hook) -> None:
    said = hook("post-tool-use", **edited(place, "src/relay.py", "# see JWT here")).text
    assert said.index("It restarts at night.") < said.index("JWT")
    assert said.count("<vouch") == 1
