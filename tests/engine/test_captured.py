"""Knowledge bases that vouch's own Stop hook writes: whole sentences and exchanges."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from vouch_sidecar.engine import Caller, Engine

from tests.conftest import MakeKb
from tests.engine.bases import ask, engine_on, write
from tests.kb.samples import entity
from tests.workspace.places import cite

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
KEYRING = """pip only asks keyring when the index URL has a username, because some backends show a
prompt. The option `--keyring-provider` in cli/cmdoptions.py decides which backend is used.

[the documentation of it](https://pip.example/keyring)"""
KEYRING_QUESTION = "why are keyring passwords not fetched for index urls without a username"
FRAGMENTS = ("yaml` and README", "md. It was", "for the handheld app.", "py decides")
UNSAID = ["Here's what I found", "Let me know", "pull request?", "Retry(times"]


@pytest.fixture(scope="module")
def captured(make_kb: MakeKb) -> Path:
    return make_kb(
        {"op": "config", "review": {"auto_approve_on_receipt": True}},
        {"op": "capture", "question": QUESTION, "answer": ANSWER},
        {"op": "capture", "question": KEYRING_QUESTION, "answer": KEYRING, "session": "s2"},
        {"op": "entity", "name": "Dead Letter Queue", "entity_type": "system"},
        name="captured",
    ).root


def context(engine: Engine, task: str) -> str:
    """The block that a hook gives for a task."""
    return str(ask(engine, "context", Caller(is_unasked=True), task=task)["text"])


def test_no_fragment_is_said_and_every_sentence_once(captured: Path) -> None:
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
    answer = ask(engine, "context", task=QUESTION)
    assert answer["text"].count(RETRIES) == 1
    (line,) = (line for line in answer["text"].splitlines() if RETRIES in line)
    parts = {claim_id for text, claim_id in ids.items() if text in RETRIES}
    assert len(parts) == 3
    assert " +2 (unreviewed): " in line
    assert parts <= {item["id"] for item in answer["items"]}


def test_a_name_alone_is_told_passages_each_sentence_once(tmp_path: Path) -> None:
    places = [f"what room {number:02} keeps" for number in range(12)]
    restarts = "Grafana needs a restart each May."
    content = f"Grafana reads {', '.join(places)}.\n\n{restarts}\n".encode()
    for number, quote in enumerate([*places, restarts]):
        at, fields = f"c{number:02}", {"entities": ["grafana"], "auto_approved": True}
        cite(tmp_path, at, quote, "a.md", content, quote=quote.encode(), **fields)
    write(tmp_path, "entities/grafana.yaml", entity("grafana", name="Grafana"))
    for said in ("Grafana", "what do we know about Grafana?"):
        assert restarts in context(engine_on(tmp_path), said)


def test_every_exchange_is_found_by_who_asks_its_question_alone(captured: Path) -> None:
    engine = engine_on(captured)
    assert context(engine, "is there a dead queue?") == ""
    assert RETRIES in context(engine, "how are failed deliveries retried by the relay?")
    for question, first in ((QUESTION, RETRIES), (KEYRING_QUESTION, "pip only asks keyring")):
        assert first in context(engine, question)
        titles = [hit["title"] for hit in ask(engine, "search", query=question)["hits"]]
        assert titles.count(question) == 1
    assert "pip only asks keyring" in context(engine, "keyring passwords of index urls?")
    hits = ask(engine, "search", query="relay retries backoff queue", kinds=["claim"])["hits"]
    assert len({hit["snippet"] for hit in hits}) == len(hits) > 2
