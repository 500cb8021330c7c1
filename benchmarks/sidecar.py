"""What the sidecar takes, through a language server over stdio as an editor has it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from vouch_sidecar.kb.records import Entity
from vouch_sidecar.kb.store import Store
from vouch_sidecar.names.matcher import Names

from benchmarks.client import Client, connected, is_finished
from benchmarks.editing import answers_as_saved, edit, lent
from benchmarks.generate import Questions
from benchmarks.timing import Figure, Figures, timed

LATER_STARTS = 3
SAVES = 20
DAY = 1_000
"""Saves of a working day of several people."""
PAUSE = 0.25
"""Seconds after a save: the next one is another one."""


def measure(root: Path, folder: Path, questions: Questions) -> Figures:
    """Everything that is asked about one knowledge base. `folder` is for caches, empty."""
    found = _starts(root, folder)
    with connected(root, folder) as client:
        client.wait_for("complete", True)
        time.sleep(2)  # folders are looked through once more to begin watching them
        found["memory at first"] = Figure.of([client.memory()])
        found |= _asked(client, questions)
        for name, field in (("memory", "VmRSS"), ("shared", "RssFile")):
            found[name] = Figure.of([client.memory(field)])
        found["saved"] = _saved(client, root)
        found["peak"] = Figure.of([client.memory("VmHWM")])
    return found


def _starts(root: Path, folder: Path) -> Figures:
    """From `initialize` to the first complete answer; the system holds the files in memory."""
    for path in (root / ".vouch").rglob("*"):
        if path.is_file():
            path.read_bytes()
    taken = []
    for _ in range(1 + LATER_STARTS):
        started = time.perf_counter()
        with connected(root, folder) as client:
            initialized = time.perf_counter()
            client.wait_for("complete", True)
            taken.append((initialized - started, time.perf_counter() - initialized))
            while not is_finished(folder):
                time.sleep(0.1)
    complete = [seconds for _, seconds in taken]
    return {
        "process": Figure.of(seconds for seconds, _ in taken),
        "first start": Figure.of(complete[:1]),
        "later start": Figure.of(complete[1:]),
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
        "salience": Figure.of(_salience(client, questions.windows)),
        "probe": asked("vouch/probe", ({"text": f"{text[:198]} p"} for text in prompts)),
        "context": asked("vouch/context", ({"task": f"{text[:198]} c"} for text in prompts)),
        "search": asked("vouch/search", ({"query": topic} for topic in topics)),
    }


def _each(topics: Iterable[str], weights: Iterable[str]) -> list[dict[str, object]]:
    return [{"topic": topic, "weight": weight} for weight in weights for topic in topics]


def _salience(client: Client, windows: Iterable[list[str]]) -> Iterable[float]:
    """The ranking after a new text came into a window of eight."""
    for number, window in enumerate(windows):
        session = {"session_id": f"window-{number}"}
        for text in window:
            client.request("vouch/salience", session)
            client.notify("vouch/prompt", {**session, "text": text})
        yield timed(lambda s=session: client.request("vouch/salience", s))  # type: ignore[misc]
        client.request("vouch/sessionEnd", session)


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


def day(root: Path, folder: Path, questions: Questions) -> Figure:
    """Memory after many claims were saved, each followed by a question: hours in a minute."""
    with connected(root, folder) as client, lent(root, DAY) as paths:
        client.wait_for("complete", True)
        for number, path in enumerate(paths):
            _save(client, path)
            prompt = questions.prompts[number % len(questions.prompts)]
            client.request("vouch/context", {"task": f"{prompt[:190]} {number}"})
        time.sleep(3)  # a new base may be under way
        return Figure.of([client.memory()])


def names(root: Path, questions: Questions) -> Figure:
    """All names in a document of 100 KB, in process: no request takes as much at once."""
    paths = [f"entities/{path.name}" for path in (root / ".vouch" / "entities").iterdir()]
    records = Store(root / ".vouch").reconcile(paths).records.values()
    found = Names.of(artifact for artifact in records if isinstance(artifact, Entity))
    found.find(questions.document)
    return Figure.of(timed(lambda: found.find(questions.document)) for _ in range(20))
