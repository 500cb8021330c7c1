"""What a hook says after an edit or a read: claims that are tied to what was read or changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import unified_diff
from typing import Any

import pytest

from tests.engine.processes import until
from tests.hook.conftest import Hook, Place
from tests.protocol import knowledge
from tests.protocol.client import Client, indexed_client
from tests.workspace.places import cite, git, write

pytestmark = pytest.mark.usefixtures("server")
CODE = "class RelayLoop:\n    pass\n"
RELAY = f"# One is up.\n# It restarts at night.\n{CODE}\n\ndef send_once():\n    return 1\n"


@pytest.fixture
def place(place: Place) -> Place:
    (place.base / "changed").touch()
    knowledge.config(place.root, "sidecar: {recall: {max_results: 10}}\n")
    write(place.root, {"src/relay.py": RELAY, "src/loop.py": "x = 1\n"})
    git(place.root, "init", "-q")
    git(place.root, "add", "-A", "src")
    content = b"One is up.\nIt restarts at night.\n"
    cite(place.root, "quotes", "It restarts.", "src/relay.py", content, quote=b"at night")
    cite(place.root, "names", "`RelayLoop` is slow.", "https://example.org")
    cite(place.root, "once", "`send_once` is called by nobody else.", "https://example.org/b")
    cite(place.root, "rule", "Every httpx client needs an explicit timeout.", "src/loop.py")
    return place


@pytest.fixture
def server(place: Place) -> Iterator[Client]:
    with indexed_client(place.root, env=place.env) as client:
        client.until("vouch/files", {"paths": ["src/relay.py"]}, lambda a: not a["degraded"])
        until(lambda: any((place.runtime / "vouch-sidecar").glob("*.sock")))
        yield client


def edited(place: Place, path: str, text: str, **fields: Any) -> dict[str, Any]:
    given = {"file_path": str(place.root / path), "new_string": text, **fields}
    return {"tool_name": "Edit", "tool_input": given}


def changed(place: Place, path: str, old: str, new: str) -> dict[str, Any]:
    """Change a file as a host does, which reports that afterwards."""
    before = (place.root / path).read_text("utf-8")
    after = before.replace(old, new)
    write(place.root, {path: after})
    hunks = list[dict[str, Any]]()
    for line in unified_diff(before.splitlines(), after.splitlines(), lineterm=""):
        if line.startswith("@@"):
            hunks.append({"newStart": int(re.findall(r"\d+", line)[-2]), "lines": []})
        elif hunks:
            hunks[-1]["lines"].append(line)
    event = edited(place, path, new, old_string=old)
    return event | {"tool_response": {"structuredPatch": hunks, "originalFile": before}}


def read(place: Place, path: str, **fields: Any) -> dict[str, Any]:
    given = {"file_path": str(place.root / path), **fields}
    return {"tool_name": "Read", "tool_input": given}


def held(text: str) -> list[str]:
    """Which of the claims on `src/relay.py` a text holds."""
    return [word for word in ("night", "RelayLoop", "send_once") if word in text]


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


def test_a_range_that_was_read_has_its_own_claims(place: Place, hook: Hook) -> None:
    said = hook("post-tool-use", **read(place, "src/relay.py", offset=7, limit=2)).text
    assert held(said) == ["send_once"]
    file = {"content": CODE, "startLine": 4, "numLines": 1}
    event = read(place, "src/relay.py") | {"tool_response": {"type": "text", "file": file}}
    said = hook("post-tool-use", **event).text  # the body of what the claim names
    assert held(said) == ["RelayLoop"]


def test_an_edit_has_the_claims_of_what_it_changes(place: Place, hook: Hook) -> None:
    said = hook("post-tool-use", **changed(place, "src/relay.py", "    pass", "    x = 1")).text
    assert held(said) == ["RelayLoop"]
    said = hook("post-tool-use", **changed(place, "src/relay.py", "return 1", "return 2")).text
    assert held(said) == ["send_once"]


def test_an_edit_after_one_that_nobody_reported_is_placed_by_its_text(
    place: Place, hook: Hook
) -> None:
    """Lines 3 and 4, which it changes, are lines 7 and 8 by then, which were those of another."""
    write(place.root, {"src/relay.py": "# More.\n" * 4 + RELAY})
    said = hook("post-tool-use", **changed(place, "src/relay.py", CODE, CODE + "    x = 1\n")).text
    assert held(said) == ["RelayLoop"]


def test_a_range_counts_in_every_file_that_claims_cite(
    place: Place, hook: Hook, server: Client
) -> None:
    """Of what is tied there, three lines at most."""
    path, words = "db/table.sql", ("amber", "birch", "cedar", "dogwood", "elm")
    lines = [f"The {word} counter takes {word} coins." for word in words]
    content = ("\n\n".join(lines) + "\n").encode()
    write(place.root, {path: content})
    for word, line in zip(words, lines, strict=True):
        cite(place.root, word, line, path, content, quote=line.encode())
    cite(place.root, "linked", "Coins are counted twice.", f"{path}#L2", b"elsewhere")
    git(place.root, "add", path)
    tied = {"paths": [path]}
    server.until("vouch/files", tied, lambda a: len(a["files"][0]["claims"]) == 6)
    server.until("vouch/files", tied, lambda a: not a["degraded"])
    said = hook("post-tool-use", **read(place, path, offset=9, limit=9)).text
    assert [word for word in (*words, "twice") if word in said] == ["elm"]
    said = hook("post-tool-use", session_id="b", **read(place, path)).text
    assert sum(line.startswith("- ") for line in said.splitlines()) == 3


def test_a_claim_whose_quote_an_edit_takes_away_is_told_first_and_marked(
    place: Place, hook: Hook
) -> None:
    """Also where it was told before, and once; then what the inserted text meets."""
    assert "(quote gone" not in hook("post-tool-use", **read(place, "src/relay.py")).text
    write(place.root, {"src/relay.py": RELAY.replace("at night", "at noon")})
    change = {"old_string": "It restarts at night."}
    new = "It restarts at noon, every httpx client needs a timeout"
    event = edited(place, "src/relay.py", new, **change)
    for session_id in ("agent", "b"):
        said = hook("post-tool-use", session_id=session_id, **event).text
        first, second = said.splitlines()[1:3]
        assert "(quote gone since, file changed on " in first
        assert "It restarts at night." in first
        assert "explicit timeout" in second
    assert hook("post-tool-use", **edited(place, "src/relay.py", "x", **change)).is_silent()


def test_a_quote_of_which_a_change_takes_a_part_is_told_first(
    place: Place, hook: Hook, server: Client
) -> None:
    content = b"One is up.\n# It restarts at night.\n"
    cite(place.root, "both", "Both hold.", "src/relay.py", content, quote=content[4:30])
    tied = {"paths": ["src/relay.py"]}
    server.until("vouch/files", tied, lambda a: "both" in str(a["files"]))
    new = "Every httpx client needs a timeout.\n"
    event = changed(place, "src/relay.py", "One is up.\n", new)
    assert "Both hold." in hook("post-tool-use", **event).text.splitlines()[1]


def test_an_edit_is_told_the_claim_that_what_it_inserts_meets(place: Place, hook: Hook) -> None:
    """Where most words of the claim stand there, and not where few do."""
    inserted = "client = httpx.AsyncClient(timeout=None)"
    said = hook("post-tool-use", **edited(place, "src/relay.py", inserted)).text
    assert "explicit timeout" in said.splitlines()[1]
    event = edited(place, "db/x.py", "timeout = 1")
    assert hook("post-tool-use", session_id="b", **event).is_silent()
