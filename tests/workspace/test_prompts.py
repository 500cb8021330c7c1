"""What is said of a prompt that names a file or an identifier of the workspace."""

from __future__ import annotations

from pathlib import Path

from tests.engine.bases import ask
from tests.workspace.places import cite, repository, settled

FILES = {
    "src/upload.py": "class Uploader:\n    pass\n",
    "src/parse.py": "def parse() -> None: ...\n",
}


def test_a_prompt_that_names_a_file_is_told_the_claims_tied_to_it(tmp_path: Path) -> None:
    root = repository(tmp_path / "kb", FILES)
    cite(root, "limit", "Retries end after three attempts.", "src/upload.py")
    cite(root, "other", "Blank lines are kept.", "src/parse.py")
    engine = settled(root, tmp_path)
    found = ask(engine, "context", task="I'm editing src/upload.py")
    assert [item["id"] for item in found["items"]] == ["limit"]
    assert found["items"][0]["phrase"] == "src/upload.py"
    assert ask(engine, "context", task="I'm editing src/other.py")["items"] == []
