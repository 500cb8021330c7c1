"""What vouch's Stop hook and `ingest` write is said whole by a live process, and what is redacted
of it is gone from sentences and exchanges, in every answer and every file of ours.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.engine.captured_texts import ANSWER, GUIDE, KEYRING, KEYRING_QUESTION, QUESTION
from tests.engine.processes import holds, place, until
from tests.oracle import COMMAND, run_vouch
from tests.protocol.client import Client, indexed_client
from tests.workspace.places import repository

SECRET = "yaml` and README."
"""A claim's text: a part of one sentence of an answer."""
REST = "Each retry waits twice as long as the one before."
PROSE = "Look at relay/settings.yaml and at tools/build.py first.\n"
ASKED = (QUESTION, KEYRING_QUESTION, "which settings does the relay read, as in README.md?")


class Captured(NamedTuple):
    """A repository whose knowledge base vouch's own commands made, and where ours keep things."""

    root: Path
    cache: Path
    env: dict[str, str]

    def claims(self) -> dict[str, dict[str, Any]]:
        """Its claims by text."""
        files = (self.root / ".vouch" / "claims").iterdir()
        loaded = (yaml.safe_load(path.read_text(encoding="utf-8")) for path in files)
        return {row["text"]: row for row in loaded}

    def redact(self, *texts: str) -> None:
        claims = self.claims()
        for text in texts:
            run_vouch(self.root, "redact", claims[text]["id"])


def stop(root: Path, session: str, question: str, answer: str) -> None:
    """The Stop hook of an agent's session, as vouch registers it."""
    turns = [
        {"type": "user", "message": {"content": question}},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": answer}]}},
    ]
    transcript = root.parent / f"{session}.jsonl"
    transcript.write_text("\n".join(map(json.dumps, turns)), encoding="utf-8")
    event = {"session_id": session, "transcript_path": str(transcript), "cwd": str(root)}
    done = subprocess.run(
        [COMMAND, "capture", "answer"],
        cwd=root,
        input=json.dumps(event),
        check=True,
        capture_output=True,
        text=True,
    )
    assert json.loads(done.stdout)["captured"]


@pytest.fixture(scope="module")
def made(vouch_kb: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    assert vouch_kb == COMMAND
    files = {
        "relay/settings.yaml": "times: 3\n",
        "README.md": "# Relay\n",
        "tools/build.py": "print('wheels')\n",
        "docs/guide.rst": GUIDE,
    }
    root = repository(tmp_path_factory.mktemp("captured") / "kb", files)
    run_vouch(root, "init")
    stop(root, "s1", QUESTION, ANSWER)
    stop(root, "s2", KEYRING_QUESTION, KEYRING)
    run_vouch(root, "ingest", "docs/guide.rst")
    return root


@pytest.fixture
def captured(made: Path) -> Iterator[Captured]:
    with place() as (folder, env):
        root = Path(shutil.copytree(made, folder / "kb"))
        yield Captured(root, folder / "cache", env)


@pytest.fixture
def client(captured: Captured) -> Iterator[Client]:
    with indexed_client(captured.root, env=captured.env) as client:
        client.until("vouch/files", {"paths": ["README.md"]}, lambda a: not a["degraded"])
        client.open("untitled:notes", PROSE, "markdown")
        yield client


def live(client: Client) -> int:
    (root,) = client.request("vouch/status", {})["roots"]
    found = root["counts"]["claims"]
    assert isinstance(found, int)
    return found


def said(client: Client, captured: Captured) -> list[str]:
    """All that the server says of a few questions, of files and of each claim."""
    asked: list[tuple[str, dict[str, Any]]] = [
        (f"vouch/{operation}", {param: text})
        for text in ASKED
        for operation, param in (
            ("context", "task"),
            ("probe", "text"),
            ("search", "query"),
            ("explain", "text"),
            ("experts", "topic"),
        )
    ]
    asked.append(("vouch/files", {"paths": ["README.md", "relay/settings.yaml"]}))
    for column in (12, 40):
        position = {"line": 0, "character": column}
        document = {"textDocument": {"uri": "untitled:notes"}, "position": position}
        asked.append(("textDocument/hover", document))
    answers = [json.dumps(client.request(*prompt)) for prompt in asked]
    for claim in captured.claims().values():
        answer = client.answer(client.start("vouch/claim", {"id": claim["id"]}))
        answers.append(json.dumps(answer.get("result") or answer["error"]))
    return answers


@pytest.mark.parametrize("whole", [False, True], ids=["a part of a sentence", "an exchange"])
def test_what_is_redacted_is_gone_from_sentences_and_exchanges(
    captured: Captured, client: Client, whole: bool
) -> None:
    answered = [text for text in captured.claims() if text in " ".join(ANSWER.split())]
    assert SECRET in answered
    before = live(client)
    told = said(client, captured)
    assert any(SECRET in text for text in told)
    assert any(REST in text for text in told)
    until(lambda: holds(captured.cache, SECRET), "nothing was kept")
    redacted = answered if whole else [SECRET]
    captured.redact(*redacted)

    until(lambda: live(client) == before - len(redacted), "it was not noticed")
    told = said(client, captured)
    assert not any(SECRET in text or "README.md, before" in text for text in told)
    assert any(REST in text for text in told) != whole
    assert any("pip only asks keyring" in text for text in told)
    until(lambda: not holds(captured.cache, SECRET), "a file still holds it")
    if whole:
        until(lambda: not holds(captured.cache, REST), "a file still holds it")
    assert SECRET not in client.errors.decode()
