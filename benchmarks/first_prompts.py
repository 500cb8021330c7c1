"""The first prompt of an agent's session, where no sidecar runs yet but a cache is there.

    python -m benchmarks.first_prompts [STARTS]

For the example and for 10,000 generated claims, on an idle machine and beside busy processes: how
many of the first prompts (20, unless `STARTS` says otherwise) are told something, and how long
their hooks take. Each finds no resident.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.kb.records import Claim, Kind
from vouch_sidecar.operations import OPERATIONS, as_json, perform

from benchmarks.client import COMMAND, connected, environment, is_finished
from benchmarks.generate import Size, generated

EXAMPLE = Path(__file__).parents[1] / "examples" / "courier"
GENERATED = 10_000
BUSY = 0, 2, 6
"""Numbers of busy processes beside the hook."""
STARTS = 20
CLAIMS = 200
"""Claims of which prompts are made."""


def prompt(root: Path) -> str:
    """A prompt that is told something, made of a claim."""
    engine = Engine(env={})
    engine.registry.add_root(root)
    engine.load()
    (served,) = engine.serving(Caller())
    view = served.view
    claims = view.visible.artifacts_in(view.search.every(Kind.CLAIM), CLAIMS)
    texts = [f"Why is it that {claim.text}"[:300] for claim in claims if isinstance(claim, Claim)]
    asked = (
        (text, perform(engine, OPERATIONS["context"], {"task": text}, Caller(is_unasked=True)))
        for text in texts
    )
    (text,) = islice((text for text, answer in asked if as_json(answer)["text"]), 1)
    return text


def first_prompt(env: Mapping[str, str], root: Path, text: str) -> tuple[float, bool]:
    """What its hook took, in milliseconds, and whether it said something. Its user's folder is a
    new one: who waited in vain does not wait again for a minute.
    """
    with TemporaryDirectory(prefix="v") as runtime:
        return _first_prompt({**env, "XDG_RUNTIME_DIR": runtime}, root, text)


def _first_prompt(env: Mapping[str, str], root: Path, text: str) -> tuple[float, bool]:
    given = json.dumps({"session_id": "s", "cwd": str(root), "prompt": text})
    started = time.perf_counter()
    done = subprocess.run(
        [COMMAND, "hook", "user-prompt-submit"], input=given.encode(), capture_output=True, env=env
    )
    took = (time.perf_counter() - started) * 1000
    subprocess.run([COMMAND, "stop", "--all"], env=env, cwd=root, capture_output=True, check=True)
    return took, bool(done.stdout)


@contextmanager
def beside(busy: int) -> Iterator[None]:
    """Run beside processes that only count."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(busy)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def filled(root: Path, folder: Path) -> None:
    """Leave a full cache below a folder."""
    with connected(root, folder) as client:
        client.wait_for("complete", True)
        while not is_finished(folder):
            time.sleep(0.2)


def main() -> None:
    starts = int(sys.argv[1]) if len(sys.argv) > 1 else STARTS
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; milliseconds\n")
    print("| base | busy processes | told | median | longest |")
    print("| --- | --- | --- | --- | --- |")
    with TemporaryDirectory(prefix="v") as name:
        folder = Path(name)
        for base in (EXAMPLE, generated(Size(GENERATED // 5, GENERATED))):
            root, cache = folder / base.name, folder / "c"
            shutil.copytree(base, root)
            filled(root, cache)
            text = prompt(root)
            for busy in BUSY:
                with beside(busy):
                    hooks = [first_prompt(environment(cache), root, text) for _ in range(starts)]
                took = [milliseconds for milliseconds, _ in hooks]
                told = sum(is_told for _, is_told in hooks)
                cells = f"{told} of {starts} | {statistics.median(took):.0f} | {max(took):.0f}"
                print(f"| {root.name} | {busy} | {cells} |", flush=True)
            shutil.rmtree(cache)


if __name__ == "__main__":
    main()
