"""What a hook says after an edit or a read: claims that are tied to what was read or changed."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import count
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


def changed(place: Place, path: str, old: str, new: str) -> dict[str, Any]:
    """Change a file as a host does, which reports that afterwards."""
    before = (place.root / path).read_text("utf-8")
    after = before.replace(old, new)
    write(place.root, {path: after})
    was, now = before.splitlines(), after.splitlines()
    hunks = []
    for group in SequenceMatcher(None, was, now, autojunk=False).get_grouped_opcodes(3):
        (_, old_from, _, new_from, _), (*_, old_to, _, new_to) = group[0], group[-1]
        lines = []
        for tag, *span in group:
            if tag == "equal":
                lines += [f" {line}" for line in was[span[0] : span[1]]]
            else:
                lines += [f"-{line}" for line in was[span[0] : span[1]]]
                lines += [f"+{line}" for line in now[span[2] : span[3]]]
        hunks.append(
            {
                "oldStart": old_from + 1,
                "oldLines": old_to - old_from,
                "newStart": new_from + 1,
                "newLines": new_to - new_from,
                "lines": lines,
            }
        )
    event = edited(place, path, new, old_string=old)
    return event | {"tool_response": {"structuredPatch": hunks, "originalFile": before}}


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


def test_an_edit_has_the_claims_of_what_it_changes(place: Place, hook: Hook) -> None:
    said = hook("post-tool-use", **changed(place, "src/relay.py", "    pass", "    x = 1")).text
    assert "RelayLoop" in said
    assert "send_once" not in said
    assert "night" not in said
    said = hook("post-tool-use", **changed(place, "src/relay.py", "return 1", "return 2")).text
    assert "send_once" in said
    assert "RelayLoop" not in said
    assert "night" not in said


def test_an_edit_after_one_that_nobody_reported_is_placed_by_its_text(
    place: Place, hook: Hook
) -> None:
    """Lines 3 and 4, which it changes, are lines 7 and 8 by then, which were those of another."""
    write(place.root, {"src/relay.py": "# More.\n" * 4 + RELAY})
    said = hook("post-tool-use", **changed(place, "src/relay.py", CODE, CODE + "    x = 1\n")).text
    assert "RelayLoop" in said
    assert "send_once" not in said


def test_what_an_edit_moved_is_found_where_it_is_then(place: Place, hook: Hook) -> None:
    hook("post-tool-use", **changed(place, "src/relay.py", "    pass", "    x = 1\n" * 20))
    sessions = (f"s{number}" for number in count())
    event = read(place, "src/relay.py", offset=26, limit=3)

    def is_placed() -> bool:
        said = hook("post-tool-use", session_id=next(sessions), **event).text
        return "relay.py:27" in said and "RelayLoop" not in said

    until(is_placed)


def test_a_range_counts_in_every_file_that_claims_cite(
    place: Place, hook: Hook, server: Client
) -> None:
    path = "db/table.sql"
    lines = [f"The {word} counter takes {word} coins." for word in ("amber", "birch", "cedar")]
    content = ("\n\n".join(lines) + "\n").encode()
    write(place.root, {path: content})
    for line in lines:
        word = line.split()[1]
        cite(place.root, word, line, path, content, quote=line.encode())
    cite(place.root, "linked", "Coins are counted twice.", f"{path}#L2", b"elsewhere")
    git(place.root, "add", path)
    tied = {"paths": [path]}
    server.until("vouch/files", tied, lambda a: len(a["files"][0]["claims"]) == 4)
    server.until("vouch/files", tied, lambda a: not a["degraded"])
    said = hook("post-tool-use", **read(place, path, offset=4, limit=9)).text
    assert "cedar" in said
    assert not any(word in said for word in ("amber", "birch", "twice"))


def test_an_event_tells_three_lines_at_most(place: Place, hook: Hook, server: Client) -> None:
    for number in range(1, 6):
        cite(place.root, f"more-{number}", f"More is said, {number}.", f"src/loop.py#L{number}")
    tied = {"paths": ["src/loop.py"]}
    server.until("vouch/files", tied, lambda a: len(a["files"][0]["claims"]) == 6)
    event = read(place, "src/loop.py") | {"tool_response": {"file": {"content": "# JWT and Redis"}}}
    said = hook("post-tool-use", **event).text
    assert "More is said" in said
    assert sum(line.startswith("- ") for line in said.splitlines()) == 3


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
    """Where the folder is tied to the claim, and seldom where neither it nor the file is."""
    inserted = "client = httpx.AsyncClient(timeout=None)"
    said = hook("post-tool-use", **edited(place, "src/relay.py", inserted)).text
    assert "explicit timeout" in said.splitlines()[1]
    event = edited(place, "db/x.py", "timeout = 1")
    assert hook("post-tool-use", session_id="b", **event).is_silent()


def test_a_broken_quote_comes_before_what_the_inserted_lines_meet(place: Place, hook: Hook) -> None:
    write(place.root, {"src/relay.py": RELAY.replace("at night", "at noon")})
    new = "It restarts at noon, every httpx client needs a timeout"
    event = edited(place, "src/relay.py", new, old_string="# It restarts at night.")
    first, second = hook("post-tool-use", **event).text.splitlines()[1:3]
    assert "It restarts at night." in first
    assert "explicit timeout" in second
