"""What people feel, at 10,000 and at 100,000 claims: `python -m benchmarks [--quick]`."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.client import (
    COMMAND,
    Client,
    answers_as_saved,
    connected,
    environment,
    is_finished,
    live_claims,
)
from benchmarks.generate import LARGE, MEDIUM, Questions, Size, generated, questions_of

ARTIFACTS = Path(__file__).resolve().parent.parent / "artifacts" / "bench.json"
SAVES, LATER_STARTS, HOOKS = 20, 3, 15
PAUSE = 0.25
"""Seconds after a save: the next one is another one."""
FIRST_PROMPTS = 30
"""Of a session that begins where no sidecar runs and no cache is: this many are asked at most."""
WEIGHTS = ("count", "recency", "citation", "evidence")
Samples = dict[str, list[float]]
"""Seconds by row, and bytes."""


class Row(NamedTuple):
    """What is measured, its unit, the aims at 10,000 and 100,000 claims, and what counts: the 95th
    percentile or the median.
    """

    title: str
    aims: tuple[float | None, float | None]
    unit: str = "ms"
    is_median: bool = False


ROWS = (
    Row("first start → complete", (4, 35), "s"),
    Row("later start → complete", (0.4, 2), "s"),
    Row("first prompt on an empty cache → a line", (None, None), "s"),
    Row("file saved → fresh answer", (60, 100)),
    Row("experts", (15, 150)),
    Row("context, 200 characters", (10, 20)),
    Row("search", (15, 30)),
    Row("hover", (None, None)),
    Row("hook beside a sidecar (median)", (400, 400), is_median=True),
    Row("memory after all questions", (120, 250), "MB"),
)
PER_UNIT = {"ms": 1e-3, "s": 1.0, "MB": 1e6}


def measured(root: Path, folder: Path) -> Samples:
    """Everything about one knowledge base. `folder` is for caches, empty."""
    questions = questions_of(root)
    found: Samples = {row.title: [] for row in ROWS} | _starts(root, folder / "starts")
    found[ROWS[2].title] = [first_prompt(root, folder / "empty", questions)]
    with connected(root, folder / "starts") as client:
        client.wait_for("complete", True)
        time.sleep(2)  # folders are looked through once more to begin watching them
        for title, method, params in asked(root, client, questions):
            found[title] += [timed(partial(client.request, method, each)) for each in params]
        found["memory after all questions"] = [client.memory()]
        found["file saved → fresh answer"] = list(_saved(client, root))
        found["hook beside a sidecar (median)"] = list(_hooks(client, root, folder, questions))
    return found


def _starts(root: Path, folder: Path) -> Samples:
    """From `initialize` to the first complete answer; the system holds the files in memory."""
    for path in (root / ".vouch").rglob("*"):
        if path.is_file():
            path.read_bytes()
    taken = []
    for _ in range(1 + LATER_STARTS):
        with connected(root, folder) as client:
            taken.append(timed(partial(client.wait_for, "complete", True)))
            while not is_finished(folder):
                time.sleep(0.1)
    return {"first start → complete": taken[:1], "later start → complete": taken[1:]}


def asked(
    root: Path, client: Client, questions: Questions
) -> Iterator[tuple[str, str, Iterable[object]]]:
    """Each question once, so that none is answered from what was remembered of it."""
    uri, prompts = (root / "notes.md").as_uri(), questions.prompts
    opened = {"uri": uri, "languageId": "markdown", "version": 1, "text": "\n".join(prompts)}
    client.notify("textDocument/didOpen", {"textDocument": opened})
    topics = [{"topic": topic, "weight": w} for w in WEIGHTS for topic in questions.topics]
    yield "experts", "vouch/experts", topics
    yield "context, 200 characters", "vouch/context", [{"task": text} for text in prompts]
    yield "search", "vouch/search", [{"query": topic} for topic in questions.topics]
    places = [{"line": line, "character": 22} for line in range(len(prompts))]
    document = {"uri": uri}
    hovers = [{"textDocument": document, "position": place} for place in places]
    yield "hover", "textDocument/hover", hovers


def _saved(client: Client, root: Path) -> Iterator[float]:
    """A claim is written and reported, until answers reflect it; then it is put back."""
    for path in live_claims(root, SAVES):
        before = path.read_bytes()
        yield timed(partial(answers_as_saved, client, path))
        path.write_bytes(before)
        time.sleep(PAUSE)


def _hooks(client: Client, root: Path, folder: Path, questions: Questions) -> Iterator[float]:
    """A hook as a whole process, of prompts that are told something."""
    texts = (t for t in questions.prompts if client.request("vouch/context", {"task": t})["text"])
    for _, text in zip(range(HOOKS), texts, strict=False):
        yield timed(partial(_hook, root, environment(folder / "starts"), text))


def first_prompt(root: Path, folder: Path, questions: Questions) -> float:
    """From the first prompt of a session, where no sidecar runs and nothing is cached, to the first
    line: hooks start a sidecar, and one prompt after the other is sent.
    """
    env = environment(folder)
    started = time.perf_counter()
    try:
        while not any(_hook(root, env, text) for text in questions.prompts[:FIRST_PROMPTS]):
            pass
        return time.perf_counter() - started
    finally:
        subprocess.run([COMMAND, "stop", "--all"], env=env, cwd=root, capture_output=True)


def _hook(root: Path, env: Mapping[str, str], prompt: str) -> bytes:
    """What a hook says. The same prompt in the same session would be answered once."""
    event = json.dumps({"session_id": prompt, "prompt": prompt, "cwd": str(root)}).encode()
    command = [str(COMMAND), "hook", "user-prompt-submit"]
    return subprocess.run(command, input=event, capture_output=True, env=env, cwd=root).stdout


def timed(work: Callable[[], object]) -> float:
    """Seconds that a call takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def conditions() -> dict[str, object]:
    """What the figures hold for."""
    known = Path("/proc/cpuinfo").read_text().splitlines()
    model = (line.partition(":")[2].strip() for line in known if line.startswith("model name"))
    python = timed(partial(subprocess.run, [sys.executable, "-c", "pass"], check=True))
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "cpu": next(model, platform.processor()),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        "an empty Python, ms": round(python * 1000),
    }


def lines(results: Mapping[Size, Samples]) -> Iterator[str]:
    """A row for each thing that is measured. Bold: misses its aim."""
    sizes = (MEDIUM, LARGE)
    heads = ["p95", *(f"aim at {size.claims:,}" for size in sizes)]
    heads += [f"{size.claims:,} claims" for size in results]
    yield from (_line(heads), _line(["---"] * len(heads)))
    for row in ROWS:
        cells = [
            _cell(row, samples[row.title], row.aims[sizes.index(s)])
            for s, samples in results.items()
        ]
        aims = ["" if aim is None else f"{aim:g} {row.unit}" for aim in row.aims]
        yield _line([row.title, *aims, *cells])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(row: Row, samples: Sequence[float], aim: float | None) -> str:
    ranked = sorted(samples)
    p95 = ranked[-(-95 * len(ranked) // 100) - 1]
    value = (statistics.median(ranked) if row.is_median else p95) / PER_UNIT[row.unit]
    shown = f"{value:.0f}" if value >= 10 else f"{value:.2g}"
    return f"**{shown}**" if aim is not None and value > aim else shown


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    options.add_argument("--quick", action="store_true", help="10,000 claims only: a minute")
    held = conditions()
    results: dict[Size, Samples] = {}
    for size in (MEDIUM,) if options.parse_args().quick else (MEDIUM, LARGE):
        with TemporaryDirectory(prefix="v") as folder:
            results[size] = measured(generated(size), Path(folder))
    ARTIFACTS.parent.mkdir(exist_ok=True)
    known = {"conditions": held, "seconds or bytes": {s.claims: r for s, r in results.items()}}
    ARTIFACTS.write_text(json.dumps(known, indent=1), "utf-8")
    print(", ".join(f"{name} {value}" for name, value in held.items()), end="\n\n")
    print("\n".join(lines(results)))


if __name__ == "__main__":
    main()
