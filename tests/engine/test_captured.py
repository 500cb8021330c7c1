"""Knowledge bases that vouch's own Stop hook and `ingest` write: whole sentences, exchanges, and
what is retired beside them.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.kb.access import Viewer

from tests.conftest import MakeKb
from tests.engine.bases import ask, cached, engine_on, write
from tests.engine.captured_texts import ANSWER, GUIDE, KEYRING, KEYRING_QUESTION, QUESTION, RETRIES
from tests.engine.processes import holds

FRAGMENTS = ("yaml` and README", "md. It was", "for the handheld app.", "py decides")
UNSAID = (
    "Here's what I found",
    "Let me know",
    "pull request?",
    "Retry(times",
    "Release guide: Rel",
)

HOOK = Caller(is_unasked=True)
QUIET = re.compile(r'"(?:generation|probe_time_ms)": [\d.]+')


@pytest.fixture(scope="module")
def captured(make_kb: MakeKb) -> Path:
    return make_kb(
        {"op": "config", "review": {"auto_approve_on_receipt": True}},
        {"op": "capture", "question": QUESTION, "answer": ANSWER},
        {"op": "capture", "question": KEYRING_QUESTION, "answer": KEYRING, "session": "s2"},
        {"op": "ingest", "content": GUIDE, "title": "guide.rst"},
        {"op": "entity", "name": "Dead Letter Queue", "entity_type": "system"},
        name="captured",
    ).root


@pytest.fixture
def root(captured: Path, tmp_path: Path) -> Path:
    """A copy of it that may be changed."""
    return Path(shutil.copytree(captured, tmp_path / "captured"))


def context(engine: Engine, task: str, **params: Any) -> str:
    """The block that a hook gives for a task."""
    return str(ask(engine, "context", HOOK, task=task, **params)["text"])


def claims(root: Path) -> dict[str, dict[str, Any]]:
    """The claims of a knowledge base, by text."""
    loaded = (yaml.safe_load(p.read_text()) for p in (root / ".vouch/claims").iterdir())
    return {row["text"]: row for row in loaded}


def change(root: Path, said: str, /, **fields: object) -> None:
    """Change the claim that says this."""
    (claim,) = (claim for text, claim in claims(root).items() if said in text)
    write(root, f"claims/{claim['id']}.yaml", {**claim, **fields})


def everything(engine: Engine, root: Path, *texts: str, agent: str | None = None) -> str:
    """What all operations say about some texts and every artifact."""
    caller = Caller(viewer=Viewer(agent=agent))
    said = [
        ask(engine, operation, caller, **{param: text})
        for text in texts
        for operation, param in (
            ("context", "task"),
            ("probe", "text"),
            ("search", "query"),
            ("explain", "text"),
            ("experts", "topic"),
        )
    ]
    said.append(ask(engine, "entity", caller, id="dead-letter-queue"))
    for claim in claims(root).values():
        if claim["status"] == "working" and claim["scope"]["visibility"] != "private":
            said.append(ask(engine, "claim", caller, id=claim["id"]))
    return json.dumps(said)


def test_vouch_makes_fragments(captured: Path) -> None:
    texts = "\n".join(claims(captured))
    for one in (*FRAGMENTS[::2], *UNSAID[:4]):
        assert one in texts


def test_no_fragment_is_said_and_every_sentence_once(captured: Path) -> None:
    engine = engine_on(captured)
    for text in claims(captured):
        for said in (context(engine, text), context(engine, f"What about this: {text}")):
            lines = [line for line in said.splitlines() if line.startswith("- ")]
            assert not any(f": {fragment}" in line for line in lines for fragment in FRAGMENTS)
            assert not any(text in line for line in lines for text in UNSAID)
        for hit in ask(engine, "search", query=text)["hits"]:
            assert not hit["snippet"].startswith(FRAGMENTS)
            assert not any(text in hit["snippet"] for text in UNSAID)
        for hit in ask(engine, "probe", text=text)["hits"]:
            assert not hit["text"].startswith(FRAGMENTS)
            assert not any(text in hit["text"] for text in UNSAID)
    answer = ask(engine, "context", task=QUESTION)
    assert answer["text"].count(RETRIES) == 1
    (line,) = (line for line in answer["text"].splitlines() if RETRIES in line)
    parts = [claim["id"] for text, claim in claims(captured).items() if text in RETRIES]
    assert len(parts) == 3
    assert " +2 (unreviewed): " in line
    assert set(parts) <= {item["id"] for item in answer["items"]}


def test_what_was_captured_is_said_to_whom_asks_and_to_nobody_else(captured: Path) -> None:
    engine = engine_on(captured)
    for text in ("is there a dead queue?", "what moves to a letter?"):
        assert context(engine, text) == ""
    assert RETRIES in context(engine, "how are failed deliveries retried by the relay?")


@pytest.mark.parametrize(
    "prompt",
    [
        "which relay is painted green and yellow in the corner?",
    ],
)
def test_what_only_shares_the_subject_of_a_question_opens_no_exchange(
    captured: Path, prompt: str
) -> None:
    assert context(engine_on(captured), prompt) == ""


def test_a_sentence_of_an_answer_holds_a_word_of_the_prompt(captured: Path) -> None:
    said = context(engine_on(captured), QUESTION)
    assert RETRIES in said
    assert "Backoff is capped" not in said


def test_an_approved_sentence_of_an_exchange_holds_a_word_of_the_prompt(root: Path) -> None:
    for text in claims(root):
        change(root, text, auto_approved=False, approved_by="ada")
    said = context(engine_on(root), "are the failed deliveries of the relay logged?")
    assert "Backoff is capped" not in said
    assert "The queue keeps events" not in said


def test_the_heading_above_is_said_with_a_sentence(captured: Path) -> None:
    engine = engine_on(captured)
    hits = ask(engine, "probe", text="Is the backoff of the relay capped for the handheld app?")
    texts = [hit["text"] for hit in hits["hits"]]
    assert "Limits: Backoff is capped at 30 seconds, e.g. for the handheld app." in texts
    tagged = "When is the commit tagged in CHANGES.md?"
    said = [hit["text"] for hit in ask(engine, "probe", text=tagged)["hits"]]
    assert said[0].startswith("Release guide: Tag the commit in CHANGES.md and push it before")


def test_every_exchange_is_found_by_its_question(captured: Path) -> None:
    engine = engine_on(captured)
    for question, first in ((QUESTION, RETRIES), (KEYRING_QUESTION, "pip only asks keyring")):
        assert first in context(engine, question)
        hits = ask(engine, "search", query=question)["hits"]
        assert hits[0]["kind"] == "source"
        assert hits[0]["title"] == question
        assert [hit["id"] for hit in hits].count(hits[0]["id"]) == 1
    assert "pip only asks keyring" in context(engine, "keyring passwords of index urls?")
    hits = ask(engine, "search", query="relay retries backoff queue")["hits"]
    assert [hit["title"] for hit in hits].count(QUESTION) == 1
    assert {hit["kind"] for hit in hits} == {"source", "entity"}
    hits = ask(engine, "search", query="relay retries backoff queue", kinds=["claim"])["hits"]
    assert len({hit["snippet"] for hit in hits}) == len(hits) > 2


def test_a_claim_gives_its_own_text_and_the_sentence(captured: Path) -> None:
    engine = engine_on(captured)
    (claim,) = (claim for text, claim in claims(captured).items() if text == "yaml` and README.")
    found = ask(engine, "claim", id=claim["id"])["claim"]
    assert (found["text"], found["sentence"]) == ("yaml` and README.", RETRIES)
    assert (found["said"], len(found["said_with"])) == (RETRIES, 2)


def test_experts_count_the_texts_of_claims(captured: Path) -> None:
    rows = ask(engine_on(captured), "experts", topic="dead letter queue")["experts"]
    assert [(row["entity_id"], row["claim_count"]) for row in rows] == [("dead-letter-queue", 1)]
    assert ask(engine_on(captured), "experts", topic="retries three times")["experts"] == []


@pytest.mark.parametrize("status", ["redacted", "superseded", "archived", "private"])
def test_a_receipt_beside_one_that_is_withheld_shows_nothing_of_it(root: Path, status: str) -> None:
    secret = "yaml` and README."
    caches = cached(root.parent)
    engine = engine_on(root, env=caches)
    asked = (QUESTION, "which settings does the relay read before the dead letter queue")
    assert RETRIES in everything(engine, root, *asked)
    (collection,) = engine.collections.values()
    collection.reader.keep_up(whole=True)
    assert holds(root.parent / "cache", secret)
    if status == "private":
        change(root, secret, scope={"visibility": "private", "agent": "ada"})
    else:
        change(root, secret, status=status, text="masked" if status == "redacted" else secret)
    engine.load()
    said = everything(engine, root, *asked)
    assert secret not in said
    assert "yaml-and-readme" not in said
    assert "README.md, before" not in said
    assert "Each retry waits twice" in said
    collection.reader.keep_up(whole=True)
    if status == "private":
        assert RETRIES in everything(engine, root, *asked, agent="ada")
    else:
        assert not holds(root.parent / "cache", secret)
    again = engine_on(root, env=caches)
    assert QUIET.sub("", everything(again, root, *asked)) == QUIET.sub("", said)


@pytest.mark.parametrize("cited", ["source", "bare"])
@pytest.mark.parametrize("status", ["redacted", "private", "superseded"])
def test_a_secret_without_exact_bytes_closes_the_exchange(
    root: Path, status: str, cited: str
) -> None:
    secret = "yaml` and README."
    caches = cached(root.parent)
    engine = engine_on(root, env=caches)
    asked = ("retries of a failed delivery", "which settings does the relay read")
    everybodys = everything(engine, root, *asked)
    assert RETRIES in everybodys
    assert QUESTION in everybodys
    (collection,) = engine.collections.values()
    collection.reader.keep_up(whole=True)
    (claim,) = (claim for text, claim in claims(root).items() if text == secret)
    (evidence,) = claim["evidence"]
    quoted = yaml.safe_load((root / f".vouch/evidence/{evidence}.yaml").read_text())
    bare = {**quoted, "byte_start": None, "byte_end": None, "quote": None}
    (root / f".vouch/evidence/{evidence}.yaml").unlink()
    write(root, "evidence/bare.yaml", {**bare, "id": "bare"})
    fields: dict[str, object] = {"status": status, "text": "masked"}
    if status == "private":
        fields = {"scope": {"visibility": "private", "agent": "ada"}}
    ids = {"source": quoted["source_id"], "bare": "bare"}
    change(root, secret, evidence=[ids[cited]], **fields)
    engine.load()
    said = everything(engine, root, *asked)
    is_closed = status != "superseded"
    assert (RETRIES not in said) is is_closed
    assert QUESTION in said, "a title is no text of the source"
    assert "Each retry waits twice" in said, "a receipt of its own"
    if status == "private":
        assert RETRIES in everything(engine, root, *asked, agent="ada")
    collection.reader.keep_up(whole=True)
    again = engine_on(root, env=caches)
    assert QUIET.sub("", everything(again, root, *asked)) == QUIET.sub("", said)
    change(root, "masked" if status != "private" else secret, status="archived")
    again.load()
    assert (RETRIES not in everything(again, root, *asked)) is (status == "private")


@pytest.mark.parametrize("way", ["source", "content", "tampered", "private"])
def test_sentences_go_with_their_source(root: Path, way: str) -> None:
    engine = engine_on(root)
    assert RETRIES in context(engine, QUESTION)
    (claim,) = (claim for text, claim in claims(root).items() if text == "yaml` and README.")
    evidence = yaml.safe_load((root / f".vouch/evidence/{claim['evidence'][0]}.yaml").read_text())
    folder = root / ".vouch/sources" / evidence["source_id"]
    meta, content = folder / "meta.yaml", folder / "content"
    if way == "source":
        meta.unlink()
    elif way == "content":
        content.unlink()
    elif way == "tampered":
        content.write_text(content.read_text() + "!")
    else:
        loaded = yaml.safe_load(meta.read_text())
        loaded["scope"] = {"visibility": "private", "agent": "ada"}
        write(root, meta.relative_to(root / ".vouch").as_posix(), loaded)
    engine.load()
    said = everything(engine, root, QUESTION)
    assert RETRIES not in said
    assert "(see docs/queue.md. It" not in said
    if way in ("source", "private"):
        assert QUESTION not in json.dumps(ask(engine, "search", query=QUESTION)["hits"])


@pytest.mark.parametrize("key_facts", [True, False])
def test_a_line_out_of_an_exchange_says_its_date(root: Path, key_facts: bool) -> None:
    for text in claims(root):
        change(root, text, last_confirmed_at="2026-03-04T05:06:07Z")
    config = yaml.safe_load((root / ".vouch/config.yaml").read_text())
    config["sidecar"] = {"recall": {"include_key_facts": key_facts}}
    write(root, "config.yaml", config)
    engine = engine_on(root)
    (line,) = (line for line in context(engine, QUESTION).splitlines() if RETRIES in line)
    assert line.endswith("2026-03-04]")
    assert ("1 source" in line) is key_facts


@pytest.mark.parametrize("max_chars", [230, 260, 400])
def test_a_line_out_of_an_exchange_says_its_date_in_little_room(
    captured: Path, max_chars: int
) -> None:
    said = context(engine_on(captured), QUESTION, max_chars=max_chars)
    lines = [line for line in said.splitlines() if line.startswith("- ")]
    assert lines
    assert all(re.search(r"\d{4}-\d\d-\d\d\]$", line) for line in lines)


def test_a_passage_is_said_to_whom_asks_for_a_name_alone(make_kb: MakeKb) -> None:
    drain = "Drain Relay before you restart it: what its buffer holds is lost."
    root = make_kb(
        {"op": "config", "review": {"auto_approve_on_receipt": True}},
        {"op": "entity", "name": "Relay", "entity_type": "system"},
        {"op": "ingest", "content": drain, "title": "relay.md"},
        name="passages",
    ).root
    for path in (root / ".vouch/claims").iterdir():
        claim = yaml.safe_load(path.read_text())
        write(root, f"claims/{path.name}", {**claim, "entities": ["relay"]})
    engine = engine_on(root)
    other = "what budget has Relay in production?"
    assert context(engine, other) == ""
    for text in ("Relay", "what do we know about Relay?"):
        assert drain in context(engine, text)
    change(root, drain, auto_approved=False)
    assert drain in context(engine_on(root), other)
