"""What is worked out of a repository, through a language server: claims tied to files, topics."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kb.samples import entity, put
from tests.operations.conftest import TEXTS, WORDS
from tests.protocol.client import Client, at, hover, indexed_client
from tests.workspace.places import cite, commit_as, repository

CODE = "class RelayLoop:\n    def restart_all(self):\n        return self\n"
HOVER = "textDocument/hover"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = repository(tmp_path_factory.mktemp("ties") / "repo", {"src/relay.py": CODE})
    commit_as(root, "Ada Byron", {"src/auth.py": "def read_netrc():\n    pass\n"})
    cite(root, "names", "`RelayLoop.restart_all` is slow.", "https://example.org/a")
    cite(root, "cites", "It restarts at night.", "/home/dev/src/relay.py")
    others = {f"other-{word}": f"The {word} is painted." for word in WORDS}
    cite(root, "desk", "The Night Desk is staffed.", "src/auth.py")
    for entity_id, name, kind in (("desk", "Night Desk", "system"), ("ada", "Ada Byron", "person")):
        put(root / ".vouch", f"entities/{entity_id}.yaml", entity(entity_id, name=name, type=kind))
    owner = b"id: owner\nsource: desk\nrelation: owned_by\ntarget: ada\n"
    put(root / ".vouch", "relations/owner.yaml", owner)
    for claim_id, text in (TEXTS | others).items():
        cite(root, claim_id, text, "src/auth.py" if claim_id in TEXTS else "https://example.org")
    return root


@pytest.fixture(scope="module")
def client(root: Path) -> Iterator[Client]:
    with indexed_client(root) as client:
        client.until("vouch/status", {}, lambda answer: "topics" in answer["roots"][0])
        client.until("vouch/files", {"paths": ["src/relay.py"]}, lambda a: not a["degraded"])
        yield client


def test_hover_on_an_identifier_and_on_a_path(client: Client, root: Path) -> None:
    uri = (root / "src" / "relay.py").as_uri()
    client.open(uri, CODE, "python")
    why, _, said = client.request(HOVER, at(uri, 1, 10))["contents"]["value"].splitlines()
    assert "is slow." in said
    assert why.startswith("Claim on src/relay.py: names ")
    assert "defined at L2" in why
    assert client.request(HOVER, at(uri, 2, 12)) is None
    prose = "Look at src/relay.py first, not at src/gone.py.\n"
    found = hover(client, prose, 0, 12)
    assert (found["range"]["start"]["character"], found["range"]["end"]["character"]) == (8, 20)
    assert "It restarts at night." in found["contents"]["value"]
    assert "1 more claim" in found["contents"]["value"]
    assert hover(client, prose, 0, 40) is None


def test_the_open_document_counts_as_it_stands_in_the_editor(client: Client, root: Path) -> None:
    uri = (root / "src" / "relay.py").as_uri()
    client.open(uri, "\n\n" + CODE, "python")
    (file,) = client.request("vouch/files", {"uri": uri})["files"]
    assert [(row["id"], row["line"]) for row in file["claims"]] == [("cites", None), ("names", 4)]


def test_hover_in_prose_says_where_a_topic_was_found(client: Client) -> None:
    found = hover(client, "Is the keyring broken?\n", 0, 9)
    assert found["range"]["start"]["character"] == 7
    lines = found["contents"]["value"].splitlines()
    assert lines[0].strip() == "**keyring** · topic · 3 live claims"
    assert re.match(r"Ask \S.*\(1 commit\)", lines[1])
    desk = hover(client, "Call the Night Desk.\n", 0, 10, "untitled:desk")["contents"]["value"]
    assert desk.splitlines()[1].strip() == "Ask Ada Byron (owner)"
    assert lines[2].strip() == "Not declared: no English word"
    assert sum(line.startswith("- ") for line in lines) == 2
    assert "Entity:" not in found["contents"]["value"]
