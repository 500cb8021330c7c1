"""Many edits on one server: memory and latency must end where they began."""

from __future__ import annotations

from pathlib import Path

from benchmarks.client import Client, connected
from benchmarks.generate import Questions
from benchmarks.timing import Figure, timed

__all__ = ["measure"]

PER_SAVE = 50
"""Edits in a document for each claim that is written."""
WARM_UP = 0.2
"""Share of the edits after which the beginning is measured: by then all that is made once is."""


def measure(root: Path, cache: Path, questions: Questions, edits: int) -> dict[str, Figure]:
    """Figures by name, after the warm-up and at the end."""
    found: dict[str, Figure] = {}
    with connected(root, cache) as client:
        client.wait_for("complete", True)
        uri = "file:///nowhere/soak.txt"
        document = {"uri": uri, "languageId": "plaintext", "version": 0, "text": ""}
        client.notify("textDocument/didOpen", {"textDocument": document})
        path = root / ".vouch" / "claims" / "claim-000002.yaml"
        original = path.read_bytes()
        texts = [text for window in questions.windows for text in window]
        try:
            for number in range(edits):
                text = f"{texts[number % len(texts)]} {number}"
                change = {
                    "textDocument": {"uri": uri, "version": number + 1},
                    "contentChanges": [{"text": text}],
                }
                client.notify("textDocument/didChange", change)
                if number % PER_SAVE == 0:
                    now = client.wait_for("generation", 0)["generation"]
                    new = original.replace(b'text: "', b'text: "Edit %d. ' % number, 1)
                    path.write_bytes(new)
                    client.notify("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})
                    client.wait_for("generation", now + 1)
                if number == int(edits * WARM_UP):
                    found["memory, begin"] = Figure.of([client.memory()])
                    found["salience, begin"] = _latency(client, questions)
            found["memory, end"] = Figure.of([client.memory()])
            found["salience, end"] = _latency(client, questions)
        finally:
            path.write_bytes(original)
    return found


def _latency(client: Client, questions: Questions) -> Figure:
    samples = []
    for window in questions.windows[:50]:
        client.notify("vouch/prompt", {"session_id": "soak", "text": window[0]})
        samples.append(timed(lambda: client.request("vouch/salience", {"session_id": "soak"})))
    return Figure.of(samples)
