"""What a hook costs as a whole process, prompt in and block out: `python -m benchmarks.hook`.

Against a sidecar that runs, and alone on a warm cache, beside `python -c pass` and vouch-kb's own
`context-hook` on the same files. Runs take turns, so that a busy moment falls on all alike.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from benchmarks.client import COMMAND, Client
from benchmarks.generate import MEDIUM, generated, questions_of
from benchmarks.timing import Figure, timed

__all__ = ["ALONE_LIMIT", "RATIO_LIMIT", "measure"]

RATIO_LIMIT = 4.0
"""Times `python -c pass`, against a sidecar that runs."""
ALONE_LIMIT = 0.25
"""Seconds, alone on 10,000 claims with a warm cache."""
VOUCH = Path(__file__).resolve().parent.parent / ".oracle" / "bin" / "vouch-kb"

Env = Mapping[str, str]


def measure(root: Path, prompts: Sequence[str], runs: int) -> dict[str, Figure]:
    """Figures by name, of so many runs each; those of vouch-kb are fewer, for it takes long."""
    numbers = count()

    def hook(env: Env) -> None:
        number = next(numbers)  # the same prompt in the same session is answered once
        _run([str(COMMAND), "hook", "user-prompt-submit"], env, root, prompts, number)

    def vouch(env: Env) -> None:
        _run([str(VOUCH), "context-hook"], env, root, prompts, next(numbers))

    with _folders() as env, _folders() as apart:
        subprocess.run([COMMAND, "warm", "--root", root], env=apart, check=True)
        with _resident(root, env):
            found = _in_turns(
                {
                    "python -c pass": lambda: _python(env),
                    "hook, resident": lambda: hook(env),
                    "hook, alone": lambda: hook(apart),
                },
                runs,
            )
        if VOUCH.exists():
            found |= _in_turns({"vouch-kb context-hook": lambda: vouch(apart)}, max(2, runs // 10))
    return {name: Figure.of(samples) for name, samples in found.items()}


def _in_turns(works: Mapping[str, Callable[[], None]], runs: int) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {name: [] for name in works}
    for work in works.values():
        work()  # what comes first pays for what the system has not read yet
    for _ in range(runs):
        for name, work in works.items():
            found[name].append(timed(work))
    return found


def _python(env: Env) -> None:
    subprocess.run([sys.executable, "-c", "pass"], env=dict(env), check=True)


def _run(command: Sequence[str], env: Env, root: Path, prompts: Sequence[str], number: int) -> None:
    prompt = prompts[number % len(prompts)]
    payload = {"session_id": f"bench-{number}", "prompt": prompt, "cwd": str(root)}
    done = subprocess.run(
        command,
        input=json.dumps(payload).encode(),
        capture_output=True,
        env=dict(env),
        cwd=root,
        check=True,
    )
    if command[0] == str(COMMAND) and not done.stdout:
        raise RuntimeError("the hook said nothing, so nothing was measured")


@contextmanager
def _folders() -> Iterator[Env]:
    """An environment with a runtime folder and a cache of its own."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("VOUCH_")}
    with tempfile.TemporaryDirectory(prefix="v") as folder:
        yield own | {
            "XDG_RUNTIME_DIR": folder,
            "XDG_CACHE_HOME": str(Path(folder) / "cache"),
            "VOUCH_SIDECAR_RECALL_TIMEOUT_MS": "10000",
        }


@contextmanager
def _resident(root: Path, env: Env) -> Iterator[None]:
    client = Client(env)
    try:
        client.initialize(root)
        client.notify("initialized", {})
        client.wait_for("complete", True)
        yield
    finally:
        client.close()


def _telling(root: Path) -> list[str]:
    """Prompts that name something, so that a hook has something to say."""
    from vouch_sidecar.engine import Caller, Engine
    from vouch_sidecar.operations import call

    engine = Engine(env={})
    engine.add_root(root)
    engine.load()
    return [
        prompt
        for prompt in questions_of(root).prompts
        if call(engine, "context", {"task": prompt}, Caller())["text"]
    ]


def main(quick: bool) -> int:
    """Measure and print; 1 when a limit is not kept."""
    root = generated(MEDIUM)
    figures = measure(root, _telling(root), 10 if quick else 40)
    print(f"{MEDIUM.claims} claims, {MEDIUM.entities} entities; whole process, milliseconds")
    for name, figure in figures.items():
        print(
            f"{name:24}{figure.median * 1000:9.1f} median{figure.p95 * 1000:9.1f} p95"
            f"{figure.samples:5} runs"
        )
    ratio = figures["hook, resident"].median / figures["python -c pass"].median
    alone = figures["hook, alone"].median
    print(f"resident: {ratio:.2f} times python -c pass (limit {RATIO_LIMIT:g})")
    print(f"alone: {alone * 1000:.0f} ms (limit {ALONE_LIMIT * 1000:.0f})")
    return int(ratio >= RATIO_LIMIT or alone >= ALONE_LIMIT)


if __name__ == "__main__":
    sys.exit(main("--quick" in sys.argv[1:]))
