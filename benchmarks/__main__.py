"""What people feel: `python -m benchmarks [--quick] [--against REF]`.

Measured at 10,000 and at 100,000 claims, beside the aims; or at 10,000 beside another commit. The
package of the working tree, and that of the commit, are installed beside each other, with the same
dependencies. Each serves a copy of the same knowledge base; they are asked by turns, so that a busy
moment falls on both.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from vouch_sidecar.retrieval.people.weights import WEIGHTS

from benchmarks.client import (
    Client,
    RefusedError,
    answers_as_saved,
    environment,
    is_finished,
    live_claims,
    unpacked,
)
from benchmarks.generate import LARGE, MEDIUM, Questions, Size, generated, questions_of

MARKED = 1.15
"""The ratio from which a cost is marked."""
QUESTIONS, CHANGES, COMMANDS, FIRST_PROMPTS = 60, 20, 15, 30
"""So many are asked, saved, run as processes, and at most sent until a session has its first line;
a third of the first where it is to be quick.
"""
IDLE_SHARE, IDLE_SECONDS = 0.05, 60.0
"""A server is idle when it takes less than this of a processor for a second."""
ENTRY = "from vouch_sidecar.surfaces.entry import main\nif __name__ == '__main__':\n    main()\n"
SETTINGS = {"VOUCH_SIDECAR_RECALL_TIMEOUT_MS": "10000", "VOUCH_SIDECAR_HOOK_RESIDENT": "false"}


class Row(NamedTuple):
    """The unit of a row, its size, and the aims at 10,000 and 100,000 claims."""

    unit: str = "ms"
    per: float = 1e-3
    aims: tuple[float | None, float | None] = (None, None)


ROWS = {
    "first start → complete": Row("s", 1.0, (4, 35)),
    "later start → complete": Row("s", 1.0, (0.4, 2)),
    "first prompt on an empty cache → a line": Row("s", 1.0),
    "file saved → fresh answer": Row(aims=(60, 100)),
    "experts": Row(aims=(15, 150)),
    "context, 200 characters": Row(aims=(10, 20)),
    "search": Row(aims=(15, 30)),
    "probe": Row(),
    "hover": Row(),
    "prompt": Row(),
    "salience": Row(),
    "command beside a sidecar": Row(),
    "hook beside a sidecar": Row(aims=(400, 400)),
    "memory after all questions": Row("MB", 1e6, (120, 250)),
}
FIRST, LATER, FIRST_PROMPT, SAVED, *_, COMMAND, HOOK, MEMORY = ROWS


class Version:
    """One installed version: its folder holds its environment, a knowledge base and its caches."""

    def __init__(self, ref: str | None, folder: Path, base: Path) -> None:
        unpacked(ref, folder / "package")
        self.root, self.command = folder / "project", folder / "venv" / "bin" / "vouch-sidecar"
        self.env = environment(folder / "own") | SETTINGS
        self.uri = (self.root / "notes.md").as_uri()
        self.samples = defaultdict[str, list[float]](list)
        """Seconds, or bytes, by row."""
        self.processor = defaultdict[str, list[float]](list)
        """Seconds of processor time that the server took."""
        shutil.copytree(base, self.root)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
        (site,) = (folder / "venv").glob("lib/python*/site-packages")
        ours = next(path for path in sys.path if path.endswith("site-packages"))
        package = folder / "package" / "sidecar"
        (site / "packages.pth").write_text(f"{package}\n{ours}\n", "utf-8")
        self.command.write_text(f"#!{folder / 'venv'}/bin/python\n{ENTRY}", "utf-8")
        self.command.chmod(0o755)
        compileall.compile_dir(package, quiet=2)

    @contextmanager
    def serving(self) -> Iterator[Client]:
        """A server that was asked to serve the knowledge base."""
        with Client(self.env, (self.command, "lsp"), self.root) as client:
            client.initialize(self.root)
            yield client

    def ask(self, row: str, client: Client, ask: Callable[[], object]) -> None:
        """Measure a question. What this version does not know is left out."""
        before, started = client.processor_time(), time.perf_counter()
        try:
            ask()
        except RefusedError as refused:
            if refused.code != -32601:
                raise
            return
        self.samples[row].append(time.perf_counter() - started)
        self.processor[row].append(client.processor_time() - before)

    def run(self, env: Mapping[str, str], *arguments: str, prompt: str = "") -> bytes:
        """What a command prints. The same prompt in the same session would be answered once."""
        event = {"session_id": prompt, "prompt": prompt, "cwd": str(self.root)}
        given, command = json.dumps(event).encode(), [str(self.command), *arguments]
        return subprocess.run(
            command, input=given, capture_output=True, env=env, cwd=self.root
        ).stdout


def wait_idle(clients: Sequence[Client]) -> None:
    """Wait until no server works in the background, for at most a minute."""
    until = time.monotonic() + IDLE_SECONDS
    while time.monotonic() < until:
        before = [client.processor_time() for client in clients]
        time.sleep(1.0)
        taken = (client.processor_time() - b for client, b in zip(clients, before, strict=True))
        if max(taken) < IDLE_SHARE:
            return


def starts(version: Version) -> None:
    """A start without a cache and two later ones; the files are in the system's memory."""
    for row in (FIRST, LATER, LATER):
        with version.serving() as client:
            version.ask(row, client, client.wait_until_complete)
            while not is_finished(version.root.parent / "own"):
                time.sleep(0.1)
            wait_idle([client])


def first_prompt(version: Version, prompts: Sequence[str]) -> None:
    """From the first prompt of a session, where no sidecar runs and nothing is cached, to the first
    line: hooks start a sidecar, and one prompt after the other is sent.
    """
    started, env = time.perf_counter(), environment(version.root.parent / "empty")
    for prompt in prompts[:FIRST_PROMPTS]:
        if version.run(env, "hook", "user-prompt-submit", prompt=prompt):
            break
    version.samples[FIRST_PROMPT].append(time.perf_counter() - started)
    version.run(env, "stop", "--all")


def served(versions: Sequence[Version], questions: Questions, number: int) -> None:
    """What is asked of servers, by turns; changes until answers reflect them; memory; commands."""
    with ExitStack() as stack:
        pairs = [(version, stack.enter_context(version.serving())) for version in versions]
        for version, client in pairs:
            client.wait_until_complete()
            opened = {"uri": version.uri, "languageId": "markdown", "version": 1}
            opened |= {"text": "\n".join(questions.prompts)}
            client.notify("textDocument/didOpen", {"textDocument": opened})
        wait_idle([client for _, client in pairs])
        for at in range(number):
            for version, client in pairs if at % 2 else pairs[::-1]:
                for row, method, params in asked(questions, at, version.uri):
                    version.ask(row, client, partial(client.request, method, params))
        paths = zip(*(live_claims(version.root, CHANGES) for version in versions), strict=True)
        for claims in paths:
            for (version, client), path in zip(pairs, claims, strict=True):
                version.ask(SAVED, client, partial(answers_as_saved, client, path))
        for version, client in pairs:
            version.samples[MEMORY].append(client.memory())
        for prompt in questions.prompts[:COMMANDS]:
            for version, client in pairs:
                run = partial(version.run, version.env)
                version.ask(COMMAND, client, partial(run, "experts", prompt))
                hook = partial(run, "hook", "user-prompt-submit", prompt=prompt)
                version.ask(HOOK, client, hook)


def asked(questions: Questions, at: int, uri: str) -> Iterator[tuple[str, str, object]]:
    """The questions of a round, none of which is asked twice: row, method and params."""
    prompt, topic = questions.prompts[at], questions.topics[at]
    for weight in WEIGHTS:
        yield "experts", "vouch/experts", {"topic": topic, "weight": weight}
    yield "context, 200 characters", "vouch/context", {"task": f"{prompt[:196]} c"}
    yield "search", "vouch/search", {"query": topic}
    yield "probe", "vouch/probe", {"text": f"{prompt[:196]} p"}
    place = {"position": {"line": at, "character": 22}}
    yield "hover", "textDocument/hover", {"textDocument": {"uri": uri}, **place}
    for text in questions.windows[at]:
        yield "prompt", "vouch/prompt", {"session_id": f"{at}", "text": text}
    yield "salience", "vouch/salience", {"session_id": f"{at}"}


def measured(size: Size, number: int, *refs: str | None) -> list[Version]:
    """Everything about versions of the package, None for that of the working tree."""
    base = generated(size)
    with TemporaryDirectory(prefix="v") as name:
        versions = [Version(ref, Path(name) / str(at), base) for at, ref in enumerate(refs)]
        for version in versions:
            starts(version)
            first_prompt(version, questions_of(base).prompts)
        served(versions, questions_of(base), number)
        return versions


def conditions() -> str:
    """What the figures hold for."""
    known = Path("/proc/cpuinfo").read_text().splitlines()
    model = (line.partition(":")[2].strip() for line in known if line.startswith("model name"))
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    empty = (time.perf_counter() - started) * 1000
    day, load = datetime.now(UTC).date().isoformat(), os.getloadavg()[0]
    return (
        f"{day}, {os.cpu_count()} cores of {next(model, platform.processor())}, load {load:.1f}, "
        f"an empty Python {empty:.0f} ms"
    )


def beside_aims(found: Mapping[Size, Version]) -> Iterator[str]:
    """95th percentiles, of commands medians. Bold: misses its aim."""
    yield _line("p95", *(f"aim; {size.claims:,} claims" for size in found))
    yield _line(*["---"] * (1 + len(found)))
    for title, row in ROWS.items():
        cells = []
        for version, aim in zip(found.values(), row.aims, strict=False):
            ranked = sorted(version.samples[title])
            p95 = ranked[-(-95 * len(ranked) // 100) - 1]
            value = (statistics.median(ranked) if title in (COMMAND, HOOK) else p95) / row.per
            shown = f"**{_figure(value)}**" if aim is not None and value > aim else _figure(value)
            cells.append(f"{shown} {row.unit}" if aim is None else f"{aim:g}; {shown} {row.unit}")
        yield _line(title, *cells)


def beside_commit(ref: str, before: Version, after: Version) -> Iterator[str]:
    """Medians, and their ratio. Bold: rose."""
    yield _line("median of", "", ref, "here", "ratio")
    yield _line(*["---"] * 5)
    for title, row in ROWS.items():
        both = [(row.unit, before.samples[title], after.samples[title])]
        both += [(f"{row.unit} CPU", before.processor[title], after.processor[title])]
        for unit, *samples in both if title not in (COMMAND, HOOK) else both[:1]:
            if all(samples):
                was, now = (statistics.median(one) / row.per for one in samples)
                ratio = f"**{now / was:.2f}**" if now / was > MARKED else f"{now / was:.2f}"
                yield _line(title, unit, _figure(was), _figure(now), ratio)


def _figure(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks")
    options.add_argument("--against", metavar="REF", help="compare with a commit")
    options.add_argument("--quick", action="store_true", help="10,000 claims, fewer questions")
    given = options.parse_args()
    number, sizes = (QUESTIONS // 3, [MEDIUM]) if given.quick else (QUESTIONS, [MEDIUM, LARGE])
    print(conditions(), end="\n\n")
    if given.against:
        versions = measured(MEDIUM, number, given.against, None)
        print("\n".join(beside_commit(given.against, *versions)))
    else:
        found = {size: measured(size, number, None)[0] for size in sizes}
        print("\n".join(beside_aims(found)))


if __name__ == "__main__":
    main()
