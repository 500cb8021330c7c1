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
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import captured
from benchmarks.captured import path_of, write_files
from benchmarks.client import Client, RefusedError, environment
from benchmarks.editing import HIDDEN, answers_as_saved
from benchmarks.generate import Questions, Size, generated, questions_of

ROOT = Path(__file__).resolve().parent.parent
MARKED = 1.15
"""The ratio from which a cost is marked."""
CLAIMS, FILES = 10_000, 500
"""Of a generated knowledge base, and of the repository around it."""
FIRST, FIRST_SECONDS = "first half minute: ", 30.0
CHANGES, CHANGE_SECONDS = 300, 60.0
IDLE_SHARE, IDLE_SECONDS = 0.05, 60.0
"""A server is idle when it takes less than this of a processor for a second."""
TIME_LIMIT = "VOUCH_SIDECAR_RECALL_TIMEOUT_MS"
SETTINGS = {TIME_LIMIT: "10000", "VOUCH_SIDECAR_HOOK_RESIDENT": "false"}
_TEXT, EDITED = re.compile(rb'(text"?: ")'), "Edited now."
_PER_UNIT = {"ms": 1e-3, "ms CPU": 1e-3, "MB": 1e6}

Samples = defaultdict[tuple[str, str], list[float]]
"""Seconds or bytes by the row's title and unit."""


class Version:
    """One installed version: its folder holds its environment, a knowledge base and its caches."""

    def __init__(self, package: Path, folder: Path) -> None:
        self.folder, self.root, self.own = folder, folder / "project", folder / "own"
        self.command = folder / "venv" / "bin" / "vouch-sidecar"
        self.env = environment(folder) | SETTINGS
        self.samples: Samples = defaultdict(list)
        made = folder / "venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", made], check=True)
        (site,) = made.glob("lib/python*/site-packages")
        ours = next(path for path in sys.path if path.endswith("site-packages"))
        (site / "packages.pth").write_text(f"{package}\n{ours}\n", "utf-8")
        entry = (
            "from vouch_sidecar.surfaces.entry import main\nif __name__ == '__main__':\n    main()"
        )
        self.command.write_text(f"#!{made}/bin/python\n{entry}\n", "utf-8")
        self.command.chmod(0o755)
        compileall.compile_dir(package, quiet=2)

    def take(self, base: Path) -> None:
        """Serve a copy of this knowledge base from now on, of which nothing was measured yet."""
        shutil.rmtree(self.root, ignore_errors=True)
        subprocess.run(["cp", "-r", base, self.root], check=True)
        self.forget()
        self.samples.clear()

    def forget(self) -> None:
        """The next start is a cold one."""
        shutil.rmtree(self.own, ignore_errors=True)
        self.env = environment(self.own) | SETTINGS

    def add(self, row: str, unit: str, value: float) -> None:
        self.samples[row, unit].append(value)

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
        before, started = processor_time(client), time.perf_counter()
        try:
            ask(client)
        except RefusedError as refused:
            if refused.error["code"] != -32601:
                raise
            return
        self.add(row, "ms", time.perf_counter() - started)
        self.add(row, "ms CPU", processor_time(client) - before)

    def run(
        self, row: str, arguments: Sequence[str], text: str = "", *, alone: bool = False
    ) -> None:
        """Measure a command as a whole process; `alone`: no server is in its reach."""
        before, started = _children(), time.perf_counter()
        env = self.env | ({"XDG_RUNTIME_DIR": str(self.folder)} if alone else {})
        if arguments[0] != "hook":
            del env[TIME_LIMIT]  # a command with settings of its own asks no other process
        command = [str(self.command), *arguments]
        subprocess.run(command, input=text.encode(), capture_output=True, env=env, cwd=self.root)
        self.add(row, "ms", time.perf_counter() - started)
        self.add(row, "ms CPU", _children() - before)


def processor_time(client: Client) -> float:
    """Seconds that a server took, with all its threads, its helper processes and theirs."""
    pid = client.process.pid
    ticks = sum(_ticks(pid)[2:]) + sum(sum(_ticks(helper)) for helper in _helpers(pid))
    own = time.clock_gettime((~pid << 3) | 2)  # as clock_getcpuclockid(3) makes it
    return own + ticks / os.sysconf("SC_CLK_TCK")


def _helpers(pid: int) -> Iterator[int]:
    """The processes that a process has begun, and that these have begun, as far as they run."""
    for running in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for helper in map(int, running.read_text().split()):
                yield helper
                yield from _helpers(helper)


def _ticks(pid: int) -> list[int]:
    """What a process took, as a user and in the system, and the same of its helpers that ended;
    nothing, if it ended meanwhile.
    """
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return list(map(int, fields[11:15]))
    return []


def _children() -> float:
    taken = resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken.ru_utime + taken.ru_stime


def wait_idle(clients: Sequence[Client]) -> None:
    """Wait until no server works in the background, for at most a minute."""
    until = time.monotonic() + IDLE_SECONDS
    while time.monotonic() < until:
        before = [processor_time(client) for client in clients]
        time.sleep(1.0)
        taken = (processor_time(c) - b for c, b in zip(clients, before, strict=True))
        if max(taken) < IDLE_SHARE:
            return


def bases(folder: Path, *, quick: bool) -> Iterator[tuple[str, Path, Questions]]:
    """10,000 claims: each with a source of its own, all with one, and with receipts in documents
    as `ingest` and the Stop hook write them.
    """
    for title, sources in (("own sources", CLAIMS), ("one source", 1))[: 1 if quick else 2]:
        base = folder / "base"
        shutil.copytree(generated(Size(CLAIMS // 5, CLAIMS, sources=sources)), base)
        write_files(base, FILES, random.Random(7))
        yield title, base, questions_of(base)
        shutil.rmtree(base)
    if not quick:
        captured.make(base, CLAIMS)
        yield "ingested", base, _in_words_of_claims(base)


def _in_words_of_claims(base: Path) -> Questions:
    paths = random.Random(3).sample(sorted((base / ".vouch" / "claims").iterdir()), 320)
    texts = [json.loads(path.read_bytes())["text"] for path in paths]
    prompts = [
        f"Why is it that {a} And {b}"[:200] for a, b in zip(texts[:120], texts[200:], strict=True)
    ]
    topics = [" ".join(sorted(text.split(), key=len)[-2:]) for text in texts[:200]]
    return Questions(topics, [prompts[at : at + 8] for at in range(60)], prompts)


def question(
    name: str, number: int, root: Path, questions: Questions
) -> Callable[[Client], object]:
    """Asks what an operation, or `hover`, is asked under a number; none is asked twice."""
    prompt, topic = questions.prompts[number % 120], questions.topics[number % 200]
    if name == "salience":
        window = questions.windows[number % 60]
        return partial(_salience, session=f"{number}", window=window)
    place = {"line": number % 120, "character": 22 + number // 120}
    uri = {"uri": (root / "notes.md").as_uri()}
    method, params = {
        "experts": ("vouch/experts", {"topic": topic}),
        "probe": ("vouch/probe", {"text": f"{prompt[:196]} p{number}"}),
        "context": ("vouch/context", {"task": f"{prompt[:196]} c{number}"}),
        "search": ("vouch/search", {"query": topic}),
        "files": ("vouch/files", {"paths": [path_of(number)]}),
        "hover": ("textDocument/hover", {"textDocument": uri, "position": place}),
    }[name]
    return lambda client: client.request(method, params)


NAMES = ("experts", "salience", "probe", "context", "search", "files", "hover")


def _salience(client: Client, session: str, window: Iterable[str]) -> None:
    for text in window:
        client.notify("vouch/prompt", {"session_id": session, "text": text})
    client.request("vouch/salience", {"session_id": session})


def starts(versions: Sequence[Version], rounds: int) -> None:
    """Cold and warm starts, one server at a time; the system holds the files in memory."""
    for version in [*versions] * rounds:
        version.forget()
        for row in ("cold start", "warm start", "warm start"):
            started = time.perf_counter()
            with version.serving() as client:
                client.wait_for("complete", True)
                version.add(row, "ms", time.perf_counter() - started)
                version.add(row, "ms CPU", processor_time(client))
                time.sleep(2.0)  # a base is finished a while after the last change
                wait_idle([client])


def served(versions: Sequence[Version], questions: Questions, *, quick: bool) -> None:
    """What is asked of servers from a cold start on, by turns: at first, later, after changes."""
    with ExitStack() as stack:
        for version in versions:
            version.forget()
        pairs = [(version, stack.enter_context(version.serving())) for version in versions]
        for version, client in pairs:
            document = {"uri": (version.root / "notes.md").as_uri(), "languageId": "markdown"}
            opened = {**document, "version": 1, "text": "\n".join(questions.prompts)}
            client.wait_for("complete", True)
            client.notify("textDocument/didOpen", {"textDocument": opened})

        def ask_all(number: int, when: str = "") -> None:
            for name in NAMES:
                for version, client in pairs if number % 4 < 2 else pairs[::-1]:
                    asking = question(name, number, version.root, questions)
                    version.ask(when + name, client, asking)
                time.sleep(0.02)

        until = time.monotonic() + FIRST_SECONDS
        for number in range(0, 120, 2):
            if time.monotonic() < until:
                ask_all(number, FIRST)
        wait_idle([client for _, client in pairs])
        for version, client in pairs:
            version.add("cold start and its first half minute", "ms CPU", processor_time(client))
            version.add("memory at the start", "MB", client.memory())
        for number in range(1, 60 if quick else 120, 2):
            ask_all(number)
        changes(pairs, CHANGES // 5 if quick else CHANGES)


def changes(pairs: Sequence[tuple[Version, Client]], number: int) -> None:
    """Change so many claims one by one, within a minute; each time until answers reflect it."""
    folders = [version.root / ".vouch" / "claims" for version, _ in pairs]
    claims = sorted(path.name for path in folders[0].iterdir())
    live = [c for c in claims if not any(w in (folders[0] / c).read_bytes() for w in HIDDEN)]
    until, done = time.monotonic() + CHANGE_SECONDS, 0
    for claim in live[:number]:
        if time.monotonic() > until:
            break
        for version, client in pairs:
            path = version.root / ".vouch" / "claims" / claim
            path.write_bytes(_TEXT.sub(rf"\1{EDITED} ".encode(), path.read_bytes(), count=1))
            version.ask("saved to fresh", client, partial(answers_as_saved, path=path, text=EDITED))
        done += 1
    wait_idle([client for _, client in pairs])
    for version, client in pairs:
        version.add(f"memory after {done} changes", "MB", client.memory())


def commands(versions: Sequence[Version], questions: Questions, runs: int) -> None:
    """Commands and hooks that a server answers, and commands on a warm cache without one."""
    with ExitStack() as stack:
        for version in versions:
            stack.enter_context(version.serving()).wait_for("complete", True)
        for prompt in questions.prompts[:runs]:
            for version in versions:
                event = {"session_id": prompt, "prompt": prompt, "cwd": str(version.root)}
                version.run("command", ["experts", prompt])
                version.run("hook", ["hook", "user-prompt-submit"], json.dumps(event))
    for prompt in questions.prompts[:runs]:
        for version in versions:
            version.run("lone command", ["experts", prompt], alone=True)


def rows(title: str, before: Samples, after: Samples) -> Iterator[str]:
    """Lines of the table: medians, and their ratio; and how much slower what is asked first is."""
    for (row, unit), samples in after.items():
        if row.startswith(FIRST) and unit != "ms":
            continue  # whatever the background did meanwhile
        now, per = statistics.median(samples), _PER_UNIT[unit]
        was = statistics.median(before[row, unit]) if before.get((row, unit)) else None
        said = "new" if was is None else _marked(now / was)
        if row.startswith(FIRST):
            later = statistics.median(after[row.removeprefix(FIRST), unit])
            said += f" ({_marked(now / later)} of later)"
        cells = ("–" if was is None else f"{was / per:.3g}", f"{now / per:.3g}", said)
        yield f"| {title} | {row} | {unit} | {' | '.join(cells)} |"


def _marked(ratio: float) -> str:
    return f"**{ratio:.2f}**" if ratio > MARKED else f"{ratio:.2f}"


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.against", description=__doc__)
    options.add_argument("ref", metavar="REF", help="the commit to compare with")
    options.add_argument("--quick", action="store_true", help="one base, less of it: two minutes")
    asked = options.parse_args()
    commit = _git("rev-parse", "--short", f"{asked.ref}^{{commit}}").decode().strip()
    with TemporaryDirectory(prefix="v") as name:
        folder = Path(name)
        versions = []
        for side in "ab":
            package = folder / side / "package"
            package.mkdir(parents=True)
            if side == "a":
                archive = _git("archive", commit, "sidecar")
                subprocess.run(["tar", "-x"], input=archive, cwd=package, check=True)
            else:
                shutil.copytree(ROOT / "sidecar", package / "sidecar")
            versions.append(Version(package / "sidecar", folder / side))
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
        print(f"| base | median of | | {commit} | here | ratio |\n|{' --- |' * 6}")
        for title, base, questions in bases(folder, quick=asked.quick):
            for version in versions:
                version.take(base)
            starts(versions, 1 if asked.quick else 2)
            served(versions, questions, quick=asked.quick)
            commands(versions, questions, 4 if asked.quick else 8)
            print("\n".join(rows(title, *(version.samples for version in versions))), flush=True)


if __name__ == "__main__":
    main()
