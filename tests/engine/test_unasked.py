"""What is said unasked: of answers that vouch's own Stop hook keeps; to an agent that begins."""

from pathlib import Path

import pytest
import yaml
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.retrieval.blocks.session_brief import UNNAMED, brief

from tests.engine.bases import ask, base, engine_on, known, write
from tests.kb.samples import claim, dump, entity, make_kb, page, source
from tests.oracle import OracleKb
from tests.workspace.places import cite


def context(engine: Engine, task: str) -> str:
    """The block that a hook gives for a task."""
    return str(ask(engine, "context", Caller(is_unasked=True), task=task)["text"])


RETRIES = (
    "The relay retries a failed delivery three times, as set in `relay/settings.yaml` and "
    "README.md, before it moves the event to the dead letter queue."
)
ANSWER = """Here's what I found:

The relay retries a failed delivery three times, as set in `relay/settings.yaml` and README.md,
before it moves the event to the dead letter queue. Each retry waits twice as long as the one
before.

## Limits

- The queue keeps events for 14 days (see docs/queue.md. It was 7 once).
- Backoff is capped at 30 seconds, e.g. for the handheld app.

```python
retry = Retry(times=3, wait=2.0, cap=30.0)
```

Let me know if you want me to change the limits. Want me to open a pull request?"""
QUESTION = "How does the relay retry failed deliveries?"
FRAGMENTS = ("yaml` and README", "md. It was", "for the handheld app.")
UNSAID = ["Here's what I found", "Let me know", "pull request?", "Retry(times"]


def test_no_fragment_is_said_and_every_sentence_once(tmp_path: Path) -> None:
    captured = OracleKb(
        tmp_path / "captured",
        {"op": "config", "review": {"auto_approve_on_receipt": True}},
        {"op": "capture", "question": QUESTION, "answer": ANSWER},
        {"op": "entity", "name": "Dead Letter Queue", "entity_type": "system"},
    ).root
    engine = engine_on(captured)
    files = (captured / ".vouch" / "claims").iterdir()
    ids = {row["text"]: row["id"] for row in (yaml.safe_load(one.read_text()) for one in files)}
    for text in ids:
        blocks = context(engine, text) + context(engine, f"What about this: {text}")
        said = [line.partition(": ")[2] for line in blocks.splitlines() if line.startswith("- ")]
        said += [hit["snippet"] for hit in ask(engine, "search", query=text)["hits"]]
        said += [hit["text"] for hit in ask(engine, "probe", text=text)["hits"]]
        for line in said:
            assert not line.startswith(FRAGMENTS)
            assert not any(text in line for text in UNSAID)
    assert RETRIES in context(engine, QUESTION)
    answer = ask(engine, "context", task=QUESTION)
    assert answer["text"].count(RETRIES) == 1
    (line,) = (line for line in answer["text"].splitlines() if RETRIES in line)
    parts = {claim_id for text, claim_id in ids.items() if text in RETRIES}
    assert len(parts) == 3
    assert " (unreviewed): " in line
    assert parts <= {item["id"] for item in answer["items"]}


def test_of_many_that_answered_the_same_question_three_are_told(tmp_path: Path) -> None:
    question = "How long may a carriage wait at the northern quay?"
    root = base(tmp_path, {"config.yaml": dump({"sidecar": {"recall": {"max_results": 10}}})})
    for name in ("amber", "birch", "cedar", "dogwood", "elm"):
        said, asked = f"The {name} bell rings twelve times.", {"question": question}
        cite(root, name, said, "", said.encode(), quote=said.encode(), auto_approved=True)
        for path, data in source(said.encode(), type="message", metadata=asked).items():
            write(root, path, data)
    assert context(engine_on(root), question).count(" bell rings twelve times.") == 3


def test_a_name_alone_is_told_passages_each_sentence_once(tmp_path: Path) -> None:
    places = [f"what room {number:02} keeps" for number in range(12)]
    restarts = "Grafana needs a restart each May."
    content = f"Grafana reads {', '.join(places)}.\n\n{restarts}\n".encode()
    root = base(tmp_path, known("grafana", "Grafana"))
    for number, quote in enumerate([*places, restarts]):
        at, fields = f"c{number:02}", {"entities": ["grafana"], "auto_approved": True}
        cite(root, at, quote, "a.md", content, quote=quote.encode(), **fields)
    for said in ("Grafana", "what do we know about Grafana?"):
        assert restarts in context(engine_on(root), said)


OBSIDIAN = "# Edit in Obsidian\n\nRun the vault sync to edit pages of the knowledge base.\n"
STARTER = page(OBSIDIAN, id="edit-in-obsidian", title="Edit in Obsidian")
NOTES = "# Notes\n\nThe turnstile firmware was flashed twice over the maintenance port.\n"
SESSION = page(NOTES, id="s1", title="Notes", type="session")
BEGUN = {"pages/edit-in-obsidian.md": STARTER, "pages/s1.md": SESSION}


HOW_TO_ASK = "Asked in words."


def summary(*roots: Path) -> list[str]:
    served = engine_on(*roots).registry.serving(Caller())
    return brief([kb.view for kb in served], HOW_TO_ASK).splitlines()[1:-1]


def test_it_says_how_much_there_is_on_what_and_how_to_ask(tmp_path: Path) -> None:
    """Each page once; the one about vouch itself does not count, and is nothing to begin with."""
    sections = page("# Idle\n\nIt idles.\n\n## Again\n\nOn.\n", id="p", title="How it idles")
    second = {"claims/door-2.yaml": claim("door-2", text="A.", entities=["door"])}
    files = {**BEGUN, **known("door", "Front door"), **second, "pages/p.md": sections}
    root, head = base(tmp_path / "kb", files), "kb holds 3 claims and 2 pages."
    assert summary(root) == [head, HOW_TO_ASK, "- subjects: Front door · Key Vault"]
    assert ask(engine_on(root), "status")["roots"][0]["counts"]["pages"] == 2
    of_both = summary(root, base(tmp_path / "other"))
    assert {head, "other holds 1 claim."} < {*of_both}
    assert of_both.count(HOW_TO_ASK) == 1
    make_kb(tmp_path / "begun")
    write(tmp_path / "begun", "pages/edit-in-obsidian.md", STARTER)
    assert summary(tmp_path / "begun") == []
    named = entity("edit-in-obsidian", name="Edit in Obsidian", description="A habit of the team.")
    write(tmp_path / "begun", "entities/edit-in-obsidian.yaml", named)
    found = ask(engine_on(tmp_path / "begun"), "search", query="Edit in Obsidian")["hits"]
    assert [hit["kind"] for hit in found] == ["entity"]


ODD = ["see http://example.org", "C:\\keys", "always pass --force", "rm ‑‑force", "／etc／passwd"]
ODD += ["evil․example", "$HOME", "a; sh", "10.0.0.1"]
WORDS = ["ADR-0007: Use queues", "What's new? Déjà vu – notes (EU)", "C++ & C#, part 2"]
WORDS += ["返金ジョブ refund_job"]


@pytest.mark.parametrize("name", [*ODD, *WORDS])
def test_a_name_like_what_is_run_or_opened_is_left_out(tmp_path: Path, name: str) -> None:
    root = base(tmp_path, known("odd", name))
    write(root, "config.yaml", {"kb": {"name": name}})
    called, first = (name, f"{name} · ") if name in WORDS else (UNNAMED, "")
    subjects = f"- subjects: {first}Key Vault"
    assert summary(root) == [f"{called} holds 2 claims.", HOW_TO_ASK, subjects]


def test_pages_about_vouch_and_of_sessions_are_said_to_who_asks_for_them(tmp_path: Path) -> None:
    engine = engine_on(base(tmp_path, BEGUN))
    asked = "run the vault sync to edit pages of the knowledge base in obsidian"
    assert ask(engine, "context", task=asked)["text"] == ""
    assert "page" not in [hit["kind"] for hit in ask(engine, "search", query="vault sync")["hits"]]
    assert ask(engine, "context", task="Edit in Obsidian")["text"] == ""
    asked = "flash the turnstile firmware over the maintenance port"
    assert " (unreviewed): Notes." in ask(engine, "context", task=asked)["text"]
    assert context(engine, "which turnstile of the east stand is broken this week?") == ""
    assert [hit["id"] for hit in ask(engine, "probe", text=asked)["hits"]] == ["s1"]
