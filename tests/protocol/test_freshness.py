"""What changes on disk is served and told without being asked for, unless a pause forbids it."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.protocol import knowledge
from tests.protocol.client import ABLE, Client, Editor, hover, run_command
from tests.protocol.conftest import Serve, Start

STATUS, PUBLISHED = "vouch/didChangeStatus", "textDocument/publishDiagnostics"


def test_health_and_problems_are_told_on_change(serve: Serve, root: Path) -> None:
    """And a question reflects what was saved before it."""
    client = serve(root)
    first = client.wait(lambda m: m.get("method") == STATUS and m["params"]["quiescent"])["params"]
    assert set(first) == {"health", "quiescent", "message", "generation"}
    assert first["health"] == "ok"
    broken = knowledge.write(root, "claims/broken.yaml", "id: broken\ntext: [unclosed\n")
    told = client.wait(lambda m: m.get("method") == STATUS and m["params"]["health"] != "ok")
    assert told["params"]["health"] == "warning"
    assert "broken.yaml" in told["params"]["message"]
    (found,) = published(client, broken.as_uri(), 1)
    assert (found["severity"], found["source"]) == (1, "vouch")
    assert found["range"]["start"]["line"] >= 1
    since = len(client.received)
    client.open(broken.as_uri(), knowledge.claim_text("broken", "It is well.", "jwt"), "yaml")
    published(client, broken.as_uri(), 0, since)
    client.close(broken.as_uri())
    published(client, broken.as_uri(), 1, since)
    since = len(client.received)
    knowledge.claim(root, "broken", "JWT is well again.", "jwt")
    published(client, broken.as_uri(), 0, since)
    client.save(knowledge.claim(root, "new", "JWT is signed with ES256.", "jwt").as_uri())
    answer = client.request("vouch/experts", {"topic": "jwt"})
    assert answer["experts"][0]["claim_count"] == 4 or "index_building" in answer["degraded"]


def test_progress_of_a_long_first_index(start: Start, root: Path, tmp_path: Path) -> None:
    (held := tmp_path / "held").touch()
    client = start(env={"HELD_WHILE": str(held)})
    client.initialize(root, capabilities={"window": {"workDoneProgress": True}})
    created = client.wait(lambda m: m.get("method") == "window/workDoneProgress/create")
    token = created["params"]["token"]
    early = client.request("vouch/experts", {"topic": "jwt"})
    assert (early["complete"], early["degraded"]) == (False, ["index_building"])
    held.unlink()
    client.wait(lambda m: m.get("params", {}).get("value", {}).get("kind") == "end")
    shown = [m["params"] for m in client.received if m.get("method") == "$/progress"]
    kinds = [(row["token"], row["value"]["kind"]) for row in shown]
    assert kinds == [(token, "begin"), (token, "end")]
    client.indexed()
    client.until("vouch/entity", {"id": "jwt"}, lambda found: found["claim_count"] == 2)


def test_a_paused_base_is_silent_beside_another(serve: Serve, root: Path, tmp_path: Path) -> None:
    other = knowledge.make(tmp_path / "other")
    editor = Editor(serve(tmp_path))
    uris = [editor.open(each / ".vouch/claims/jwt-expires.yaml") for each in (root, other)]
    run_command("pause", "--root", other)
    hovers = [editor.at(uri, knowledge.SOURCE, "textDocument/hover") for uri in uris]
    assert [each is not None for each in hovers] == [True, False]
    assert editor.at(uris[1], knowledge.SOURCE, "textDocument/definition")


def paused(client: Client) -> object:
    return client.request("vouch/status")["roots"][0]["paused_until"]


def test_a_pause_silences_pushes_and_hover(client: Client, root: Path) -> None:
    client.notify("vouch/prompt", {"session_id": "agent", "text": "How long do JWT tokens live?"})
    client.pushed("agent", ["jwt"])
    since = len(client.received)
    answer = client.request("vouch/pause", {"seconds": 3600})
    ends = datetime.fromisoformat(answer["paused_until"])
    assert 3500 < (ends - datetime.now(UTC)).total_seconds() <= 3600
    assert paused(client) == answer["paused_until"]
    client.pushed("agent", [], since)
    client.notify("vouch/prompt", {"session_id": "agent", "text": "Where does Redis keep it?"})
    assert hover(client, "JWT\n", 0, 1) is None
    assert client.request("vouch/search", {"query": "tokens"})["hits"], "what is asked is answered"
    assert client.request("vouch/pause", {"seconds": 0}) == {"paused_until": None}
    assert hover(client, "JWT\n", 0, 1) is not None
    client.pushed("agent", ["jwt"], since)
    since = len(client.received)
    assert "paused until 2" in run_command("pause", "--root", root, "--minutes", "60").stdout
    client.pushed("agent", [], since)
    assert run_command("pause", "--root", root).stdout.endswith("vouch-sidecar resume`\n")
    assert paused(client) == "2100-01-01T00:00:00+00:00"
    since = len(client.received)
    run_command("resume", "--root", root)
    client.pushed("agent", ["jwt"], since)


def published(client: Client, uri: str, count: int, since: int = 0) -> list[Any]:
    """The diagnostics of a file, once there are so many."""

    def wanted(message: Any) -> bool:
        is_of_file = message.get("method") == PUBLISHED and message["params"]["uri"] == uri
        return is_of_file and len(message["params"]["diagnostics"]) == count

    found: list[Any] = client.wait(wanted, since)["params"]["diagnostics"]
    return found


@pytest.mark.parametrize(
    ("units", "is_open", "column"), [("utf-8", True, 30), (None, True, 24), ("utf-8", False, 0)]
)
def test_columns_are_in_the_units_of_the_client(
    start: Start, root: Path, units: str | None, is_open: bool, column: int
) -> None:
    path = root / ".vouch" / "claims" / "x.yaml"
    text = f'{{id: x, text: "🚀🚀🚀", confidence: 7, evidence: [{knowledge.SOURCE}]}}\n'
    path.write_text(text, "utf-8")
    client = start()
    general = {} if units is None else {"general": {"positionEncodings": [units]}}
    client.initialize(root, capabilities=general)
    uri = path.as_uri()
    if is_open:
        client.open(uri, text, "yaml")
    client.indexed()
    (found,) = published(client, uri, 1)
    assert found["range"]["start"] == {"line": 0, "character": column}


def test_a_large_content_of_an_open_source_is_left_to_the_shell(start: Start, root: Path) -> None:
    """Every keystroke would wait until it is read."""
    path = f"sources/{knowledge.SOURCE}/meta.yaml"
    text, uri = (root / ".vouch" / path).read_text("utf-8"), (root / ".vouch" / path).as_uri()
    client = start()
    for size, count in ((5, 1), (5 << 20, 0)):
        knowledge.write(root, f"sources/{knowledge.SOURCE}/content", "x" * size)
        if not client.received:
            client.initialize(root)
            client.open(uri, text, "yaml")
        since = len(client.received)
        client.change(uri, f"{text}\n", size)
        published(client, uri, count, 0 if count else since)
    assert "content-changed" in run_command("check", "--root", root, code=None).stdout


def test_what_is_wrong_on_disk_is_told_of_the_open_text(start: Start, root: Path) -> None:
    def is_of_text(message: Any) -> bool:
        given = message["params"]["diagnostics"] if message.get("method") == PUBLISHED else []
        return any(one["range"]["start"]["line"] >= 3 for one in given)

    again, client = knowledge.claim_text("jwt-expires", "It."), start()
    wrong = {
        "claims/again.yaml": (again, "another file has the same id and counts"),
        "config.yaml": ("kb: [\n", "until it can be read, the defaults count"),
    }
    uris = {path: knowledge.write(root, path, held).as_uri() for path, (held, _) in wrong.items()}
    client.initialize(root)
    for path, (held, said) in wrong.items():
        client.wait(lambda message, said=said: said in str(message))  # type: ignore[misc]
        since = len(client.received)
        client.open(uris[path], f"\n\n\n{held.splitlines()[0]}: [", "yaml")
        assert said in str(client.wait(is_of_text, since))


def test_checks_across_files_are_made_for_what_is_open(serve: Serve, root: Path) -> None:
    path = knowledge.claim(root, "both", "JWT needs Redis.", "jwt", "gone")
    client = serve(root, capabilities=ABLE)
    client.open((root / f".vouch/sources/{knowledge.SOURCE}/content").as_uri(), "From: Ada\n")
    assert not any(m.get("method") == PUBLISHED for m in client.received)
    client.open(path.as_uri(), path.read_text("utf-8"), "yaml")
    (dangling,) = published(client, path.as_uri(), 1)
    assert sum(m.get("method") == PUBLISHED for m in client.received) == 1, "no other file"
    assert (dangling["code"], dangling["severity"]) == ("dangling-entity", 2)
    page, _, heading = dangling["codeDescription"]["href"].partition("#")
    assert f"## {heading}\n" in Path(page.removeprefix("file://")).read_text("utf-8")
    since = len(client.received)
    client.change(path.as_uri(), path.read_text("utf-8").replace("stable", "archived"))
    published(client, path.as_uri(), 0, since)
    client.change(path.as_uri(), path.read_text("utf-8"))
    published(client, path.as_uri(), 1, since)
    since = len(client.received)
    knowledge.entity(root, "gone", "Gone again")
    client.save((root / ".vouch" / "entities" / "gone.yaml").as_uri())
    published(client, path.as_uri(), 0, since)
    since = len(client.received)
    client.change(path.as_uri(), "id: [")
    published(client, path.as_uri(), 1, since)
    client.close(path.as_uri())
    published(client, path.as_uri(), 0, since)
