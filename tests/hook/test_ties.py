"""What a hook says after an edit or a read: claims that are tied to what was read or changed."""

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
RELAY = f"# One is up.\n# It restarts at night.\n{CODE}\n\ndef send_once():\n    return 1\n"


@pytest.fixture
def place(place: Place) -> Place:
    (place.base / "changed").touch()
    files = {"src/relay.py": RELAY, "CHANGELOG.md": "x", "src/loop.py": "x = 1\n"}
    write(place.root, {**files, "src/see.py": "# See src/relay.py\nuses_scheme = 1\n"})
    git(place.root, "init", "-q")
    git(place.root, "add", "-A", "src", "CHANGELOG.md")
    content = b"One is up.\nIt restarts at night.\n"
    cite(place.root, "quotes", "It restarts.", "src/relay.py", content, quote=b"at night")
    cite(place.root, "names", "`RelayLoop` is slow.", "https://example.org")
    cite(place.root, "once", "`send_once` is called by nobody else.", "https://example.org/b")
    cite(place.root, "held", "Nobody knows `uses_scheme_here`.", "https://example.org/c")
    timeout = "Every httpx client needs an explicit timeout."
    cite(place.root, "rule", timeout, "src/loop.py")
    cite(place.root, "news", "It is new.", "CHANGELOG.md")
    return place


@pytest.fixture
def server(place: Place) -> Iterator[Client]:
    with indexed_client(place.root, env=place.env) as client:
        client.until("vouch/files", {"paths": ["src/relay.py"]}, lambda a: not a["degraded"])
        until(lambda: any((place.runtime / "vouch-sidecar").glob("*.sock")))
        yield client


def edited(place: Place, path: str, text: str = "nothing", **fields: Any) -> dict[str, Any]:
    given = {"file_path": str(place.root / path), "new_string": text, **fields}
    return {"tool_name": "Edit", "tool_input": given}


def read(place: Place, path: str, **fields: Any) -> dict[str, Any]:
    given = {"file_path": str(place.root / path), **fields}
    return {"tool_name": "Read", "tool_input": given}


def test_a_file_s_claims_are_told_once_a_session(place: Place, hook: Hook) -> None:
    said = hook("post-tool-use", **read(place, "src/relay.py")).text
    order = ["“src/relay.py:2” 0.9 quotes: It", "“src/relay.py:3” 0.6 names: ", "relay.py:7”"]
    places = [said.find(text) for text in order]
    assert places == sorted(places), said
    assert places[0] > 0, said
    assert hook("post-tool-use", **edited(place, "src/relay.py", "another")).is_silent()
    assert hook("post-tool-use", session_id="b", **read(place, "src/relay.py")).out
    hook("session-start", source="compact")
    assert hook("post-tool-use", **edited(place, "src/relay.py", "third")).out


def test_what_has_no_claim_is_silent(place: Place, hook: Hook) -> None:
    for path in ("src/see.py", "CHANGELOG.md", "../x.py", "src/gone.py"):
        assert hook("post-tool-use", **read(place, path)).is_silent()


def test_a_range_that_was_read_has_its_own_claims(place: Place, hook: Hook) -> None:
    said = hook("post-tool-use", **read(place, "src/relay.py", offset=7, limit=2)).text
    assert "send_once" in said
    assert "RelayLoop" not in said
    assert "night" not in said
    file = {"content": CODE, "startLine": 4, "numLines": 1}
    event = read(place, "src/relay.py") | {"tool_response": {"type": "text", "file": file}}
    said = hook("post-tool-use", **event).text  # the body of what the claim names
    assert "RelayLoop" in said
    assert "night" not in said


def test_lines_of_a_file_that_changed_since_tell_no_place(place: Place, hook: Hook) -> None:
    write(place.root, {"src/relay.py": "# More.\n" * 20 + RELAY})
    said = hook("post-tool-use", **read(place, "src/relay.py", offset=1, limit=2)).text
    assert "RelayLoop" in said


def test_an_edit_has_the_claims_of_what_it_changes(place: Place, hook: Hook) -> None:
    change = {"old_string": "def send_once():", "replace_all": False}
    said = hook(
        "post-tool-use", **edited(place, "src/relay.py", "def send_twice():", **change)
    ).text
    assert "send_once" in said
    assert "RelayLoop" not in said
    patch = [{"oldStart": 4, "oldLines": 1, "newStart": 4, "newLines": 1, "lines": ["+    x = 1"]}]
    event = edited(place, "src/relay.py", "    x = 1")
    event["tool_response"] = {"structuredPatch": patch, "originalFile": RELAY}
    said = hook("post-tool-use", **event).text
    assert "RelayLoop" in said
    assert "night" not in said


def test_a_claim_whose_quote_an_edit_takes_away_is_told_first_and_marked(
    place: Place, hook: Hook
) -> None:
    """Also where it was told before, and once."""
    assert "(quote gone" not in hook("post-tool-use", **read(place, "src/relay.py")).text
    write(place.root, {"src/relay.py": RELAY.replace("at night", "at noon")})
    change = {"old_string": "It restarts at night."}
    event = edited(place, "src/relay.py", "It restarts at noon, see `RelayLoop`.", **change)
    for session_id in ("agent", "b"):
        said = hook("post-tool-use", session_id=session_id, **event).text
        (line,) = (line for line in said.splitlines() if "It restarts at night." in line)
        assert "(quote gone since, file changed on " in line
        assert said.splitlines()[1] == line
    assert hook("post-tool-use", **edited(place, "src/relay.py", "x", **change)).is_silent()


def test_an_edit_that_moves_a_quote_has_the_claims_at_its_lines(place: Place, hook: Hook) -> None:
    write(place.root, {"src/relay.py": "# More.\n" * 20 + RELAY})
    patch = [{"newStart": 20, "newLines": 3, "lines": ["+# More."]}]
    event = edited(place, "src/relay.py", "# More.\n" * 20)
    event["tool_response"] = {"structuredPatch": patch}
    said = hook("post-tool-use", **event).text
    assert "“src/relay.py:22” 0.9 quotes: It restarts at night." in said
    assert "RelayLoop" not in said


def test_inserted_lines_are_judged_against_the_claims_of_the_folder(
    place: Place, hook: Hook
) -> None:
    new = "client = httpx.Client(timeout=None)  # no explicit timeout\n"
    said = hook("post-tool-use", **edited(place, "src/see.py", new)).text
    assert "explicit timeout" in said
    assert hook("post-tool-use", **edited(place, "docs/other.py", new)).is_silent()
    before = {"old_string": new}
    same = edited(place, "src/see.py", new, **before)
    assert hook("post-tool-use", session_id="c", **same).is_silent()


def test_names_in_the_text_are_told_behind(place: Place, hook: Hook) -> None:
    said = hook("post-tool-use", **edited(place, "src/loop.py", "# see JWT here")).text
    assert said.index("explicit timeout") < said.index("JWT")
    assert said.count("<vouch") == 1
