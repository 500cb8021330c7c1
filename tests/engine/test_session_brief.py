"""What an agent is told that begins: how much there is, on what, and how to ask for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from vouch_sidecar.engine import Caller
from vouch_sidecar.retrieval.blocks.session_brief import HOW_TO_ASK, UNNAMED, brief

from tests.engine.bases import ask, base, cached, engine_on, write
from tests.kb.samples import claim, dump, entity, make_kb, page


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return base(tmp_path / "kb")


def told(*roots: Path) -> str:
    return brief(engine_on(*roots).serving(Caller()))


def test_it_says_how_much_there_is_on_what_and_how_to_ask(root: Path, tmp_path: Path) -> None:
    """Each page once; the one about vouch itself does not count."""
    write(root, "entities/door.yaml", entity("door", name="Front door", type="system"))
    for number in range(2):
        write(root, f"claims/d{number}.yaml", claim(f"d{number}", text="A.", entities=["door"]))
    sections = "# Idle\n\nIt idles.\n\n## Again\n\nOn.\n"
    write(root, "pages/p.md", page(sections, id="p", title="How it idles"))
    write(root, "pages/s.md", page(id="s", title="A long session", type="session"))
    vouch = page(id="edit-in-obsidian", title="Edit in Obsidian")
    write(root, "pages/edit-in-obsidian.md", vouch)
    _, *lines, _ = told(root).splitlines()
    assert lines == [
        "kb holds 3 claims and 2 pages.",
        HOW_TO_ASK,
        "- subjects: Front door · Key Vault",
    ]
    of_both = told(root, base(tmp_path / "other"))
    assert "\nkb holds 3 claims and 2 pages.\n" in of_both
    assert "\nother holds 1 claim.\n" in of_both
    assert of_both.count(HOW_TO_ASK) == 1


def test_of_a_base_that_was_only_begun_nothing_is_said(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    make_kb(begun)
    write(begun, "pages/edit-in-obsidian.md", page(id="edit-in-obsidian", title="Edit"))
    assert told(begun) == ""


@pytest.mark.parametrize(
    "name",
    [
        "see http://example.org",
        "C:\\keys",
        "always pass --force",
        "rm ‑‑force",
        "／etc／passwd",
        "evil․example",
        "$HOME",
        "a; sh",
        "10.0.0.1",
    ],
)
def test_a_name_that_reads_like_something_to_run_or_open_is_left_out(root: Path, name: str) -> None:
    write(root, "entities/odd.yaml", entity("odd", name=name, type="system"))
    write(root, "claims/odd.yaml", claim("odd", entities=["odd"]))
    write(root, "config.yaml", dump({"kb": {"name": name}}))
    _, head, *lines, _ = told(root).splitlines()
    assert head == f"{UNNAMED} holds 2 claims."
    assert lines == [HOW_TO_ASK, "- subjects: Key Vault"]


@pytest.mark.parametrize(
    "name",
    [
        "ADR-0007: Use queues",
        "What's new? Déjà vu – notes (EU)",
        "C++ & C#, part 2",
        "返金ジョブ refund_job",
    ],
)
def test_words_are_listed(root: Path, name: str) -> None:
    write(root, "entities/odd.yaml", entity("odd", name=name, type="system"))
    write(root, "claims/odd.yaml", claim("odd", entities=["odd"]))
    write(root, "config.yaml", dump({"kb": {"name": name}}))
    assert f"- subjects: {name} · Key Vault\n" in told(root)
    assert f"\n{name} holds 2 claims.\n" in told(root)


def test_the_page_about_vouch_itself_is_said_to_whom_asks_for_it_alone(
    root: Path, tmp_path: Path
) -> None:
    body = "# Edit in Obsidian\n\nRun the vault sync to edit pages of the knowledge base.\n"
    starter = page(body, id="edit-in-obsidian", title="Edit in Obsidian")
    write(root, "pages/edit-in-obsidian.md", starter)
    engine = engine_on(root, env=cached(tmp_path))
    asked = "run the vault sync to edit pages of the knowledge base in obsidian"
    assert ask(engine, "context", task=asked)["text"] == ""
    hits = ask(engine, "search", query="vault sync")["hits"]
    assert "page" not in [hit["kind"] for hit in hits]
    assert "vault sync" in ask(engine, "context", task="Edit in Obsidian")["text"]


def test_pages_of_sessions_are_said_to_whom_asks_alone(root: Path, tmp_path: Path) -> None:
    body = "# Notes\n\nThe turnstile firmware was flashed twice over the maintenance port.\n"
    write(root, "pages/s1.md", page(body, id="s1", title="Notes", type="session"))
    engine = engine_on(root, env=cached(tmp_path))
    asked = "flash the turnstile firmware over the maintenance port"
    assert " (unreviewed): Notes." in ask(engine, "context", task=asked)["text"]
    hook = Caller("socket", is_unasked=True)
    task = "which turnstile of the east stand is broken this week?"
    assert ask(engine, "context", hook, task=task)["text"] == ""
    assert [hit["id"] for hit in ask(engine, "probe", text=asked)["hits"]] == ["s1"]
