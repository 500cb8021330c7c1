"""What is said of a prompt that names a file or an identifier of the workspace."""

from __future__ import annotations

import os
from pathlib import Path

from tests.engine.bases import ask, cached, engine_on
from tests.workspace.places import cite, repository, settled

FILES = {"src/upload.py": "class Uploader:\n    pass\n", "src/parse.py": "def parse(): ...\n"}


def test_a_prompt_that_names_a_file_is_told_the_claims_tied_to_it(tmp_path: Path) -> None:
    root = repository(tmp_path / "kb", FILES)
    cite(root, "limit", "Retries end after three attempts.", "src/upload.py")
    cite(root, "other", "Blank lines are kept.", "src/parse.py")
    engine = settled(root, tmp_path)
    found = ask(engine, "context", task="I'm editing src/upload.py")
    assert [item["id"] for item in found["items"]] == ["limit"]
    assert found["items"][0]["phrase"] == "src/upload.py"
    for alone in ("src/upload.py", "upload.py", "upload.py:1"):
        answer = ask(engine, "context", task=alone)
        assert [item["id"] for item in answer["items"]] == ["limit"], alone
    for other in ("I'm editing src/other.py", "other.py"):
        assert ask(engine, "context", task=other)["items"] == []


def test_a_document_is_asked_for_by_its_number(tmp_path: Path) -> None:
    files = {"docs/adr/0003-valves.md": "# Valves\n", "docs/adr/0004-units.md": "# Units\n"}
    root = repository(tmp_path / "kb", files)
    cite(root, "valves", "Both valves close on HTTP 500.", "docs/adr/0003-valves.md")
    cite(root, "units", "Pressures are kept in millibar.", "docs/adr/0004-units.md")
    engine = settled(root, tmp_path)

    def told(task: str) -> list[str]:
        return [item["id"] for item in ask(engine, "context", task=task)["items"]]

    for task in ("ADR-0003", "What is ADR-3?", "ADR 3", "What did ADR 0003 decide?"):
        assert told(task) == ["valves"]
    for task in ("RFC 8", "What did ADR-0005 decide?"):
        assert told(task) == []


def test_what_was_asked_before_ties_were_there_is_answered_with_them_later(tmp_path: Path) -> None:
    root = repository(tmp_path / "kb", FILES)
    cite(root, "limit", "Retries end after three attempts.", "src/upload.py")
    engine = engine_on(root, env={**cached(tmp_path), "PATH": os.environ["PATH"]})
    assert ask(engine, "context", task="I'm editing src/upload.py")["items"] == []
    engine.settle()
    assert ask(engine, "context", task="I'm editing src/upload.py")["items"]


def test_the_name_of_the_repository_tells_nothing(tmp_path: Path) -> None:
    asked = "Ledgerly retries"

    def held(folder: str) -> list[str]:
        root = repository(tmp_path / folder, FILES)
        cite(root, "limit", "Ledgerly retries three times.", "src/upload.py")
        engine = settled(root, tmp_path / f"of-{folder}")
        (one,) = ask(engine, "explain", text=f"please tell: {asked}")["texts"]
        return str(one["why"]).split("“")[1].split("”")[0].split()

    assert held("kb") == ["Ledgerly", "retries"]
    assert held("ledgerly") == ["retries"]
