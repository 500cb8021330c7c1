"""The process: where its project is, bad input, its end, and who else may answer."""

import json
import re
from collections.abc import Set
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.kb.discovery import BaseInTree
from vouch_sidecar.surfaces.projects import HOST_VARIABLES, Projects

from tests.engine.bases import places
from tests.hook.conftest import Place
from tests.mcp.conftest import Host, content_of, host, text_of
from tests.protocol import knowledge
from tests.protocol.client import BEGINS, INITIALIZE, Client

NONE = "Nothing was looked up: no knowledge base found"
KNOWN = "expire after 15 minutes"


def test_the_project_is_where_somebody_says(place: Place, tmp_path: Path) -> None:
    root, home, other = place.root, tmp_path / "home", str(tmp_path / "home" / "other")
    home.mkdir()

    def found(*folders: str, is_chosen: bool = False) -> Set[BaseInTree]:
        return {*Projects({}, home, is_chosen=is_chosen).asked({}, folders).places}

    assert not found()
    assert found(other, root.as_uri()) == places(root)
    assert not found(str(root), is_chosen=True)
    for variable in HOST_VARIABLES:
        for folders in (str(root), f"{home},{root}", f"{home.as_uri()}, {root.as_uri()}"):
            projects = Projects({variable: folders}, home, is_chosen=False)
            assert projects.asked({}).places == [*places(root)]
    projects = Projects({}, home, is_chosen=False)
    for named in (root, root / ".vouch", root.as_uri(), f"{root}/", root / "src" / "a.py"):
        assert projects.asked({"root": str(named)}).places == [*places(root)]


@pytest.mark.parametrize(
    ("args", "is_offered", "said"),
    [
        ([], True, f"(?s)(?!{NONE}).*{KNOWN}"),
        (["--root", "/gone"], True, f"{NONE} from /gone"),
        (["--root", "${workspaceFolder}"], False, f"{NONE} from .*workspaceFolder"),
    ],
)
def test_whose_roots_count(place: Place, args: list[str], is_offered: bool, said: str) -> None:
    with host(Path("/"), place.env, *args, offers=place.root if is_offered else None) as mcp:
        for result in (mcp.call("claim", id="jwt-expires"), mcp.call("search", query="JWT")):
            assert re.match(said, text_of(result))
            assert ("`root`" in text_of(result)) is said.startswith(NONE)
            assert result.isError is (not is_offered)


def test_a_call_names_its_root(mcp: Host, place: Place, tmp_path: Path) -> None:
    other = knowledge.make(tmp_path / "other")
    knowledge.claim(other, "elsewhere", "JWT tokens are green.", "jwt")
    for named, is_there in ((other, True), (place.root, False), (".", False), ("${x}", False)):
        found = mcp.call("search", query="tokens green", root=str(named))
        assert ("green" in text_of(found)) == is_there
        assert content_of(found)["hits"]
    none = tmp_path / "none"
    for folder in (str(none), none.as_uri(), "src", "file://[x"):
        found = mcp.call("search", query="tokens green", root=folder)
        assert text_of(found).startswith(f"{NONE} from the `root` of this call.")
        assert content_of(found)["hits"] == []


def test_bad_lines_cost_nothing_but_themselves(place: Place) -> None:
    """A lone surrogate, which JSON allows, has an answer. The process ends well, and by itself."""
    call = {"name": "kb_search", "arguments": {"query": "JWT \ud800"}}
    bad = [b"nonsense", b"\xff\xfe", b"[]", b"{}", b"[" * 5000, b"purple" * 9]
    lines = [
        INITIALIZE,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "\udfff"}},
        {"jsonrpc": "2.0", "id": "\ud800 😀", "method": "tools/list"},
    ]
    sent = [*bad, *(json.dumps(line).encode() for line in lines)]
    with Client("mcp", cwd=place.root, env=place.env) as client:
        client.send_bytes(b"".join(line + b"\n" for line in sent))
        said = client.last_words()
    assert b"purple" not in said
    answers = {message["id"]: message for message in map(json.loads, said.splitlines())}
    assert answers[1]["result"]["serverInfo"]["name"] == "vouch-sidecar"
    assert answers[2]["result"]["structuredContent"]["hits"]
    assert "error" in answers[3]
    assert answers["\ufffd 😀"]["result"]["tools"]


def test_roots_that_are_no_files_cost_no_answer(place: Place) -> None:
    call = {"name": "kb_claim", "arguments": {"id": "jwt-expires"}}
    roots = {"roots": [{"uri": "vscode-remote://ssh/project"}]}
    with Client("mcp", cwd=place.root, env=place.env) as client:

        def send(**message: object) -> None:
            client.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

        send(id=1, method="initialize", params=BEGINS | {"capabilities": {"roots": {}}})
        client.line()
        send(method="notifications/initialized")
        send(id=2, method="tools/call", params=call)
        asked = json.loads(client.line())
        assert asked["method"] == "roots/list"
        send(id=asked["id"], result=roots)
        answer = json.loads(client.line())
    assert answer["result"]["structuredContent"]["claim"]["id"] == "jwt-expires"


def test_a_session_lives_in_the_editor_and_ends_with_it(place: Place) -> None:
    """What it was given may be said once more then. A holder that ends costs no answer."""
    task = "Is Redis the right place for the sessions?"
    given: dict[str, Any] = {"task": task, "session_id": "agent", "repeat": False}
    with host(place.root, place.env) as mcp, place.editor() as editor:

        def is_given() -> bool:
            return "Redis holds the sessions." in text_of(mcp.call("context", **given))

        assert is_given()
        editor.pushed("agent", ["redis"])
        assert not is_given()
        editor.process.kill()
        assert content_of(mcp.call("salience", session_id="agent"))["salience"] == []
        assert is_given()
        assert not is_given()
        place.socket.unlink(missing_ok=True)
        with place.listener(b""):
            assert KNOWN in text_of(mcp.call("claim", id="jwt-expires"))
