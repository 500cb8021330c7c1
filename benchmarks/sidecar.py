"""What the sidecar takes, through a language server over stdio as an editor has it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from benchmarks.client import Client, connected, is_finished
from benchmarks.editing import answers_as_saved, edit, lent
from benchmarks.generate import Questions
from benchmarks.timing import Figure, Figures, timed

LATER_STARTS = 3
SAVES = 20
PAUSE = 0.25
"""Seconds after a save: the next one is another one."""


def measure(root: Path, folder: Path, questions: Questions) -> Figures:
    """Everything that is asked about one knowledge base. `folder` is for caches, empty."""
    found = _starts(root, folder)
    with connected(root, folder) as client:
        client.wait_for("complete", True)
        time.sleep(2)  # folders are looked through once more to begin watching them
        found |= _asked(client, questions)
        found["memory"] = Figure.of([client.memory()])
        found["saved"] = _saved(client, root)
    return found


def _starts(root: Path, folder: Path) -> Figures:
    """From `initialize` to the first complete answer; the system holds the files in memory."""
    for path in (root / ".vouch").rglob("*"):
        if path.is_file():
            path.read_bytes()
    taken = []
    for _ in range(1 + LATER_STARTS):
        with connected(root, folder) as client:
            taken.append(timed(lambda asked=client: asked.wait_for("complete", True)))  # type: ignore[misc]
            while not is_finished(folder):
                time.sleep(0.1)
    return {
        "first start": Figure.of(taken[:1]),
        "later start": Figure.of(taken[1:]),
    }


def _asked(client: Client, questions: Questions) -> Figures:
    """Each question once: none is answered from what was remembered of it."""

    def asked(method: str, params: Iterable[Mapping[str, object]]) -> Figure:
        return Figure.of(timed(lambda p=param: client.request(method, p)) for param in params)  # type: ignore[misc]

    topics, prompts = questions.topics, questions.prompts
    weights = ("count", "recency", "citation")
    return {
        "experts": asked("vouch/experts", _each(topics, weights)),
        "evidence": asked("vouch/experts", _each(topics, ["evidence"])),
        "context": asked("vouch/context", ({"task": f"{text[:198]} c"} for text in prompts)),
        "search": asked("vouch/search", ({"query": topic} for topic in topics)),
    }


def _each(topics: Iterable[str], weights: Iterable[str]) -> list[dict[str, object]]:
    return [{"topic": topic, "weight": weight} for weight in weights for topic in topics]


def _saved(client: Client, root: Path) -> Figure:
    """A claim is written and reported, until answers reflect it."""
    samples = []
    with lent(root, SAVES) as paths:
        for path in paths:
            samples.append(_save(client, path))
            time.sleep(PAUSE)
    return Figure.of(samples)


def _save(client: Client, path: Path) -> float:
    edit([path], "Edited now.")
    return timed(lambda: answers_as_saved(client, path, "Edited now."))
