"""Two versions side by side: `python -m benchmarks.against REF [--quick]`.

The package of a commit and that of the working tree are installed beside each other, with the same
dependencies. Each serves a copy of the same knowledge base; they are asked by turns, so that a busy
moment falls on both. The table has medians, and the ratio of the working tree's to the commit's.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.client import (
    Client,
    RefusedError,
    answers_as_saved,
    environment,
    live_claims,
    unpacked,
)
from benchmarks.generate import MEDIUM, Questions, generated, questions_of

MARKED = 1.15
"""The ratio from which a cost is marked."""
QUESTIONS, CHANGES, COMMANDS = 60, 100, 8
IDLE_SHARE, IDLE_SECONDS = 0.05, 60.0
"""A server is idle when it takes less than this of a processor for a second."""
ENTRY = "from vouch_sidecar.surfaces.entry import main\nif __name__ == '__main__':\n    main()\n"
SETTINGS = {"VOUCH_SIDECAR_RECALL_TIMEOUT_MS": "10000", "VOUCH_SIDECAR_HOOK_RESIDENT": "false"}
PER_UNIT = {"ms": 1e-3, "ms CPU": 1e-3, "MB": 1e6}


class Version:
    """One installed version: its folder holds its environment, a knowledge base and its caches."""

    def __init__(self, package: Path, folder: Path, base: Path) -> None:
        self.root, self.own = folder / "project", folder / "own"
        self.command = folder / "venv" / "bin" / "vouch-sidecar"
        self.samples = defaultdict[tuple[str, str], list[float]](list)
        shutil.copytree(base, self.root)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
        (site,) = (folder / "venv").glob("lib/python*/site-packages")
        ours = next(path for path in sys.path if path.endswith("site-packages"))
        (site / "packages.pth").write_text(f"{package}\n{ours}\n", "utf-8")
        self.command.write_text(f"#!{folder / 'venv'}/bin/python\n{ENTRY}", "utf-8")
        self.command.chmod(0o755)
        compileall.compile_dir(package, quiet=2)
        self.forget()

    def forget(self) -> None:
        """The next start is a cold one."""
        shutil.rmtree(self.own, ignore_errors=True)
        self.env = environment(self.own) | SETTINGS

    @contextmanager
    def serving(self) -> Iterator[Client]:
        """A server that was asked to serve the knowledge base."""
        client = Client(self.env, (self.command, "lsp"), cwd=self.root)
        try:
            client.initialize(self.root)
            client.notify("initialized", {})
            yield client
        finally:
            client.close()

    def ask(self, row: str, client: Client, ask: Callable[[Client], object]) -> None:
        """Measure a question. What this version does not know is left out."""
        before, started = client.processor_time(), time.perf_counter()
        try:
            ask(client)
        except RefusedError as refused:
            if refused.error["code"] != -32601:
                raise
            return
        self.samples[row, "ms"].append(time.perf_counter() - started)
        self.samples[row, "ms CPU"].append(client.processor_time() - before)

    def run(self, row: str, arguments: Sequence[str], event: Mapping[str, str]) -> None:
        """Measure a command as a whole process."""
        started, command = time.perf_counter(), [str(self.command), *arguments]
        given = json.dumps(event).encode()
        subprocess.run(command, input=given, capture_output=True, env=self.env, cwd=self.root)
        self.samples[row, "ms"].append(time.perf_counter() - started)


def wait_idle(clients: Sequence[Client]) -> None:
    """Wait until no server works in the background, for at most a minute."""
    until = time.monotonic() + IDLE_SECONDS
    while time.monotonic() < until:
        before = [client.processor_time() for client in clients]
        time.sleep(1.0)
        taken = (client.processor_time() - b for client, b in zip(clients, before, strict=True))
        if max(taken) < IDLE_SHARE:
            return


def starts(versions: Sequence[Version]) -> None:
    """Cold and warm starts, one server at a time; the system holds the files in memory."""
    for version in versions:
        for row in ("cold start", "warm start", "warm start"):
            started = time.perf_counter()
            with version.serving() as client:
                client.wait_for("complete", True)
                version.samples[row, "ms"].append(time.perf_counter() - started)
                version.samples[row, "ms CPU"].append(client.processor_time())
                time.sleep(2.0)  # a base is finished a while after the last change
                wait_idle([client])


def served(versions: Sequence[Version], questions: Questions, number: int) -> None:
    """What is asked of servers, by turns; changes until answers reflect them; memory; commands."""
    with ExitStack() as stack:
        pairs = [(version, stack.enter_context(version.serving())) for version in versions]
        for version, client in pairs:
            client.wait_for("complete", True)
            uri = (version.root / "notes.md").as_uri()
            opened = {"uri": uri, "languageId": "markdown", "version": 1}
            document = opened | {"text": "\n".join(questions.prompts)}
            client.notify("textDocument/didOpen", {"textDocument": document})
        wait_idle([client for _, client in pairs])
        for at in range(number):
            for version, client in pairs if at % 2 else pairs[::-1]:
                for row, method, params in asked(questions, at, version.root):
                    version.ask(row, client, lambda c, m=method, p=params: c.request(m, p))  # type: ignore[misc]
        for claims in zip(
            *(live_claims(version.root, number) for version in versions), strict=True
        ):
            for (version, client), path in zip(pairs, claims, strict=True):
                version.ask("saved to fresh", client, partial(answers_as_saved, path=path))
        for version, client in pairs:
            version.samples["memory", "MB"].append(client.memory())
        for prompt in questions.prompts[:COMMANDS]:
            for version in versions:
                event = {"session_id": prompt, "prompt": prompt, "cwd": str(version.root)}
                version.run("command", ["experts", prompt], {})
                version.run("hook", ["hook", "user-prompt-submit"], event)


def asked(questions: Questions, at: int, root: Path) -> Iterator[tuple[str, str, object]]:
    """The questions of a round, none of which is asked twice: row, method and params."""
    prompt, topic = questions.prompts[at], questions.topics[at]
    yield "experts", "vouch/experts", {"topic": topic}
    yield "probe", "vouch/probe", {"text": f"{prompt[:196]} p"}
    yield "context", "vouch/context", {"task": f"{prompt[:196]} c"}
    yield "search", "vouch/search", {"query": topic}
    for text in questions.windows[at]:
        yield "prompt", "vouch/prompt", {"session_id": f"{at}", "text": text}
    yield "salience", "vouch/salience", {"session_id": f"{at}"}
    place = {"line": at, "character": 22}
    uri = {"uri": (root / "notes.md").as_uri()}
    yield "hover", "textDocument/hover", {"textDocument": uri, "position": place}


def rows(before: Version, after: Version) -> Iterator[str]:
    """Lines of the table: medians, and their ratio."""
    for (row, unit), samples in after.samples.items():
        now, per = statistics.median(samples), PER_UNIT[unit]
        was = statistics.median(before.samples.get((row, unit), [float("nan")]))
        ratio = f"{now / was:.2f}"
        shown = f"**{ratio}**" if now / was > MARKED else ratio
        yield f"| {row} | {unit} | {was / per:.3g} | {now / per:.3g} | {shown} |"


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.against", description=__doc__)
    options.add_argument("ref", metavar="REF", help="the commit to compare with")
    options.add_argument("--quick", action="store_true", help="fewer questions: two minutes")
    given = options.parse_args()
    with TemporaryDirectory(prefix="v") as name:
        versions, base = [], generated(MEDIUM)
        for side, ref in (("before", given.ref), ("here", None)):
            unpacked(ref, Path(name) / side / "package")
            package = Path(name) / side / "package" / "sidecar"
            versions.append(Version(package, Path(name) / side, base))
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
        starts(versions)
        served(versions, questions_of(base), QUESTIONS // 3 if given.quick else QUESTIONS)
        print(f"| median of | | {given.ref} | here | ratio |\n|{' --- |' * 5}")
        print("\n".join(rows(*versions)))


if __name__ == "__main__":
    main()
