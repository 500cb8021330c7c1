"""What an agent is told that begins: how much there is, on what, and how to ask for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from vouch_sidecar.engine import Caller
from vouch_sidecar.retrieval.blocks.session_brief import HOW_TO_ASK, UNNAMED, brief

from tests.engine.bases import ask, base, engine_on, known, write
from tests.kb.samples import claim, make_kb, page

STARTER = page(
    "# Edit in Obsidian\n\nRun the vault sync to edit pages of the knowledge base.\n",
    id="edit-in-obsidian",
    title="Edit in Obsidian",
)
SESSION = page(
    "# Notes\n\nThe turnstile firmware was flashed twice over the maintenance port.\n",
    id="s1",
    title="Notes",
    type="session",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return base(tmp_path / "kb", {"pages/edit-in-obsidian.md": STARTER, "pages/s1.md": SESSION})


def told(*roots: Path) -> list[str]:
    return brief([kb.view for kb in engine_on(*roots).serving(Caller())]).splitlines()[1:-1]


def test_it_says_how_much_there_is_on_what_and_how_to_ask(root: Path, tmp_path: Path) -> None:
    """Each page once; the one about vouch itself does not count, and is nothing to begin with."""
    for path, data in known("door", "Front door").items():
        write(root, path, data)
    write(root, "claims/door-2.yaml", claim("door-2", text="A.", entities=["door"]))
    sections = "# Idle\n\nIt idles.\n\n## Again\n\nOn.\n"
    write(root, "pages/p.md", page(sections, id="p", title="How it idles"))
    head = "kb holds 3 claims and 2 pages."
    assert told(root) == [head, HOW_TO_ASK, "- subjects: Front door · Key Vault"]
    of_both = told(root, base(tmp_path / "other"))
    assert {head, "other holds 1 claim."} < {*of_both}
    assert of_both.count(HOW_TO_ASK) == 1
    make_kb(tmp_path / "begun")
    write(tmp_path / "begun", "pages/edit-in-obsidian.md", STARTER)
    assert told(tmp_path / "begun") == []


ODD = ["see http://example.org", "C:\\keys", "always pass --force", "rm ‑‑force", "／etc／passwd"]
ODD += ["evil․example", "$HOME", "a; sh", "10.0.0.1"]
WORDS = ["ADR-0007: Use queues", "What's new? Déjà vu – notes (EU)", "C++ & C#, part 2"]
WORDS += ["返金ジョブ refund_job"]


@pytest.mark.parametrize("name", [*ODD, *WORDS])
def test_a_name_that_reads_like_something_to_run_or_open_is_left_out(
    tmp_path: Path, name: str
) -> None:
    root = base(tmp_path, known("odd", name))
    write(root, "config.yaml", {"kb": {"name": name}})
    called, first = (name, f"{name} · ") if name in WORDS else (UNNAMED, "")
    subjects = f"- subjects: {first}Key Vault"
    assert told(root) == [f"{called} holds 2 claims.", HOW_TO_ASK, subjects]


def test_the_page_about_vouch_itself_is_said_to_whom_asks_for_it_alone(root: Path) -> None:
    engine = engine_on(root)
    asked = "run the vault sync to edit pages of the knowledge base in obsidian"
    assert ask(engine, "context", task=asked)["text"] == ""
    hits = ask(engine, "search", query="vault sync")["hits"]
    assert "page" not in [hit["kind"] for hit in hits]
    assert "vault sync" in ask(engine, "context", task="Edit in Obsidian")["text"]


def test_pages_of_sessions_are_said_to_whom_asks_alone(root: Path) -> None:
    engine, hook = engine_on(root), Caller("socket", is_unasked=True)
    asked = "flash the turnstile firmware over the maintenance port"
    assert " (unreviewed): Notes." in ask(engine, "context", task=asked)["text"]
    task = "which turnstile of the east stand is broken this week?"
    assert ask(engine, "context", hook, task=task)["text"] == ""
    assert [hit["id"] for hit in ask(engine, "probe", text=asked)["hits"]] == ["s1"]
