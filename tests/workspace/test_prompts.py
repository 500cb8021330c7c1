"""What is said of a prompt that names a file or an identifier of the workspace."""

from __future__ import annotations

import os
from pathlib import Path

from vouch_sidecar.engine import Engine

from tests.engine.bases import ask, cached, engine_on, settle
from tests.workspace.places import cite, repository, settled

FILES = {
    "src/upload.py": "class Uploader:\n    pass\n",
    "src/parse.py": "def parse(): ...\n",
    "docs/adr/0003-valves.md": "# Valves\n",
    "docs/adr/0004-units.md": "# Units\n",
}


def told(engine: Engine, task: str) -> str:
    return " ".join(item["id"] for item in ask(engine, "context", task=task)["items"])


def test_a_prompt_that_names_a_file_is_told_the_claims_tied_to_it(tmp_path: Path) -> None:
    """A document also by its number; all of it as soon as ties are there."""
    root = repository(tmp_path / "kb", FILES)
    cite(root, "limit", "Retries end after three attempts.", "src/upload.py")
    cite(root, "other", "Blank lines are kept.", "src/parse.py")
    cite(root, "valves", "Both valves close on HTTP 500.", "docs/adr/0003-valves.md")
    cite(root, "units", "Pressures are kept in millibar.", "docs/adr/0004-units.md")
    engine = engine_on(root, env={**cached(tmp_path), "PATH": os.environ["PATH"]})
    assert told(engine, "I'm editing src/upload.py") == ""
    settle(engine)
    for task, wanted in {
        **dict.fromkeys(("I'm editing src/upload.py", "src/upload.py"), "limit"),
        **dict.fromkeys(("upload.py", "upload.py:1"), "limit"),
        **dict.fromkeys(("I'm editing src/other.py", "other.py"), ""),
        **dict.fromkeys(("ADR-0003", "What is ADR-3?", "ADR 3"), "valves"),
        "What did ADR 0003 decide?": "valves",
        **dict.fromkeys(("RFC 8", "What did ADR-0005 decide?"), ""),
    }.items():
        assert told(engine, task) == wanted, task
    assert "unmatched" not in ask(engine, "experts", topic="ADR-3")
    (item, *_) = ask(engine, "context", task="I'm editing src/upload.py")["items"]
    assert item["phrase"] == "src/upload.py"


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
