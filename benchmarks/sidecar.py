"""What the sidecar takes, through a real LSP connection."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.client import Client, connected
from benchmarks.generate import Questions
from benchmarks.timing import Figure, timed

__all__ = ["WEIGHTS", "Answers", "Measured", "measure"]

WEIGHTS = ("count", "recency", "citation")
SETTLE = 0.02
"""The debounce after a change on disk, which is not counted."""
CHECKED = 6
"""Every so many topics, an answer is kept for comparison."""
Row = dict[str, Any]
Answers = dict[tuple[str, str], list[Row]]


@dataclass(slots=True)
class Measured:
    """Figures by name, and some answers of `experts` by topic and weight, linking `declared`."""

    figures: dict[str, Figure] = field(default_factory=dict)
    answers: Answers = field(default_factory=dict)


def measure(root: Path, cache: Path, questions: Questions, quick: bool) -> Measured:
    """Everything about one knowledge base. `cache` is an empty folder."""
    measured = Measured()
    _read_once(root)
    measured.figures |= _starts(root, cache, 2 if quick else 3)
    with connected(root, cache) as client:
        client.wait_for("complete", True)
        measured.figures["memory after the start"] = Figure.of([client.memory()])
        client.settle()
        asking = _Asking(client, questions, 2 if quick else 3)
        measured.figures["empty request"] = asking.nothing()
        measured.figures["experts"] = asking.experts()
        measured.answers = asking.answers()
        measured.figures["salience"] = asking.salience()
        measured.figures["probe"] = asking.about_prompts("vouch/probe", "text")
        measured.figures["context"] = asking.about_prompts("vouch/context", "task")
        measured.figures["keystroke"] = asking.keystroke()
        measured.figures["saved"] = saved(client, root, 10 if quick else 30)
        measured.figures["memory"] = Figure.of([client.memory()])
        measured.figures["memory at most"] = Figure.of([client.memory("VmHWM")])
    return measured


def _read_once(root: Path) -> None:
    """Have the system hold the files in memory: a cold start is one without a cache of ours."""
    for path in (root / ".vouch").rglob("*"):
        if path.is_file():
            path.read_bytes()


def _starts(root: Path, cache: Path, warm: int) -> dict[str, Figure]:
    """Process start to `initialize` answered, and from there to the first complete answer."""
    initialized = []
    complete = []
    for _ in range(1 + warm):
        started = time.perf_counter()
        with connected(root, cache) as client:
            answered = time.perf_counter()
            initialized.append(answered - started)
            client.wait_for("complete", True)
            complete.append(time.perf_counter() - answered)
            _let_cache_be_written(cache)
    cold, *warmed = complete
    return {
        "process start": Figure.of(initialized),
        "cold start": Figure.of([cold]),
        "warm start": Figure.of(warmed),
    }


def _let_cache_be_written(cache: Path, patience: float = 60.0) -> None:
    """Wait until nothing is written any more."""
    before: object = None
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        files = sorted((str(p), p.stat().st_size) for p in cache.rglob("*") if p.is_file())
        if files and files == before:
            return
        before = files
        time.sleep(1.0)


@dataclass(slots=True)
class _Asking:
    client: Client
    questions: Questions
    repeats: int

    def nothing(self) -> Figure:
        params = {"session_id": "nobody"}
        return Figure.of(
            timed(lambda: self.client.request("vouch/sessionEnd", params)) for _ in range(2_000)
        )

    def experts(self) -> Figure:
        """Every topic with every weight."""
        samples = []
        for _ in range(self.repeats):
            for topic in self.questions.topics:
                for weight in WEIGHTS:
                    params = {"topic": topic, "weight": weight}
                    samples.append(self._ask("vouch/experts", params))
        return Figure.of(samples)

    def answers(self) -> Answers:
        """Answers to be compared; not measured."""
        found: Answers = {}
        for topic in self.questions.topics[::CHECKED]:
            for weight in ("count", "citation"):
                params = {"topic": topic, "weight": weight, "linking": "declared"}
                found[topic, weight] = self.client.request("vouch/experts", params)["experts"]
        return found

    def _ask(self, method: str, params: dict[str, str]) -> float:
        return timed(lambda: self.client.request(method, params))

    def salience(self) -> Figure:
        """The ranking after a new text in a window of eight."""
        samples = []
        for number, window in enumerate(self.questions.windows):
            session = f"window-{number}"
            for text in window[:-1]:
                self.client.notify("vouch/prompt", {"session_id": session, "text": text})
            self.client.request("vouch/salience", {"session_id": session})
            self.client.notify("vouch/prompt", {"session_id": session, "text": window[-1]})
            samples.append(self._ask("vouch/salience", {"session_id": session}))
            self.client.request("vouch/sessionEnd", {"session_id": session})
        return Figure.of(samples)

    def about_prompts(self, method: str, name: str) -> Figure:
        """Each prompt with a word of its own, so that nothing is remembered."""
        samples = []
        for turn in range(self.repeats):
            for prompt in self.questions.prompts:
                params = {name: f"{prompt[:196]} z{turn}{method[6]}"}
                samples.append(self._ask(method, params))
        return Figure.of(samples)

    def keystroke(self) -> Figure:
        """A line of a 10 KB document changes, until the ranking reflects it."""
        lines = self.questions.document[:10_000].splitlines()
        document = {"uri": "file:///nowhere/notes.txt", "languageId": "plaintext", "version": 1}
        self.client.notify(
            "textDocument/didOpen", {"textDocument": document | {"text": "\n".join(lines)}}
        )
        samples = []
        for turn in range(200):
            lines[turn % len(lines)] += "x"
            change = {
                "textDocument": {"uri": document["uri"], "version": turn + 2},
                "contentChanges": [{"text": "\n".join(lines)}],
            }
            started = time.perf_counter()
            self.client.notify("textDocument/didChange", change)
            self.client.request("vouch/salience", {})
            samples.append(time.perf_counter() - started)
        return Figure.of(samples)


def saved(client: Client, root: Path, times: int) -> Figure:
    """A claim's file is written and reported, until an answer reflects it."""
    samples = []
    path = root / ".vouch" / "claims" / "claim-000001.yaml"
    original = path.read_bytes()
    try:
        for turn in range(times):
            now = client.wait_for("generation", 0)["generation"]
            text = original.replace(b'text: "', b'text: "Edited %d times. ' % turn, 1)
            path.write_bytes(text)
            started = time.perf_counter()
            client.notify("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})
            client.wait_for("generation", now + 1)
            samples.append(time.perf_counter() - started - SETTLE)
            time.sleep(0.25)  # the next save is another one
    finally:
        path.write_bytes(original)
    return Figure.of(samples)
