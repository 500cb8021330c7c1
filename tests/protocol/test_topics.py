"""Topics through a language server and a shell, of a repository whose claims declare no entity."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.operations.keyring_claims import TEXTS, WORDS
from tests.protocol.client import Client, hover, indexed_client
from tests.workspace.places import cite, commit_as, repository

PROSE = "Is the keyring broken?\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = repository(tmp_path / "repo", {})
    commit_as(root, "Ada Byron", {"src/auth.py": "def read_netrc():\n    pass\n"})
    others = {f"other-{word}": f"The {word} is painted." for word in WORDS}
    for claim_id, text in (TEXTS | others).items():
        cite(root, claim_id, text, "src/auth.py" if claim_id in TEXTS else "https://example.org")
    return root


@pytest.fixture
def client(root: Path) -> Iterator[Client]:
    with indexed_client(root) as client:
        client.until("vouch/status", {}, lambda answer: "topics" in answer["roots"][0])
        yield client


def test_hover_in_prose_says_where_it_was_found(client: Client) -> None:
    found = hover(client, PROSE, 0, 9)
    assert found["range"]["start"]["character"] == 7
    lines = found["contents"]["value"].splitlines()
    assert lines[0].strip() == "**keyring** · topic · 3 live claims"
    assert re.match(r"Ask \S.*\(1 commit\)", lines[1])
    assert lines[2].strip() == "Not declared: no English word"
    assert sum(line.startswith("- ") for line in lines) == 2
    assert "Entity:" not in found["contents"]["value"]
