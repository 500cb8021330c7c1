"""The skill says what the lines of blocks say."""

from __future__ import annotations

import re

import pytest
from vouch_sidecar.surfaces.install.skill import SKILL_TEXT

from tests.engine.bases import ask
from tests.workspace.places import cite, git, repository, settled, write

MARKS = re.findall(r'"([^"`]+)"', SKILL_TEXT.partition("- A line marked")[2].replace("\n  ", " "))


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Blocks with claims of which something is gone, that are old, contested, or replace others."""
    home = tmp_path_factory.mktemp("skill")
    notes = b"# Notes\n\nUploads of zebras stop after three retries.\n"
    code = "class ZebraLoop:\n    pass\n"
    root = repository(home / "repo", {"docs/notes.md": notes, "src/loop.py": code}, commit=True)
    quote = b"Uploads of zebras stop after three retries."
    cite(root, "quoted", quote.decode(), "docs/notes.md", notes, quote=quote)
    cite(root, "named", "`ZebraLoop` gives up on wombats.", "https://example.org/a")
    at = "2020-01-01T00:00:00Z"
    cite(root, "old", "Numbats sleep here.", "https://example.org/b", created_at=at, updated_at=at)
    cite(root, "contested", "Quokkas own the cellar.", "https://example.org/c", status="contested")
    settled(root, home)
    write(root, {"docs/notes.md": "# Notes\n", "src/loop.py": "class WombatLoop:\n    pass\n"})
    git(root, "commit", "-qam", "after")
    engine = settled(root, home)
    asked = (
        "zebras' uploads stop after three retries",
        "ZebraLoop gives up on wombats",
        "numbats sleep here",
        "quokkas own the cellar",
    )
    once = {"session_id": "s", "repeat": False}
    said = [ask(engine, "context", task=task, **once)["text"] for task in asked]
    web = "https://example.org/c"
    cite(root, "contested", "Quokkas own the cellar.", web, status="superseded")
    cite(root, "newer", "Quokkas rent the cellar.", web, supersedes=["contested"])
    engine.read()
    again = ask(engine, "context", task="quokkas rent the cellar", **once)["text"]
    return "\n".join((*said, again))


def test_each_mark_of_the_skill_is_one_of_a_block(blocks: str) -> None:
    assert len(MARKS) == 5
    assert [mark for mark in MARKS if mark not in blocks] == []


def test_each_mark_of_a_block_is_one_of_the_skill(blocks: str) -> None:
    """But for what says more: where, and when."""
    marks = re.findall(r"^- [^:\n]*? \(([^)]+)\): ", blocks, re.MULTILINE)
    assert len(marks) == 5
    assert [said for said in marks if not any(mark in said for mark in MARKS)] == []
