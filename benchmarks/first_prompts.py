"""The first prompts of an agent's session, where no sidecar runs yet.

    python -m benchmarks.first_prompts [BASE...]

For each knowledge base (folders of those that are named, a generated one as `ingest` makes them,
and one of 10,000 claims), with an empty cache and with a full one: the first prompt, with and
without the start of a session before it, and one two seconds later. Says what each hook took, and
whether it said something.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.kb.records import Claim, Kind
from vouch_sidecar.operations import OPERATIONS, as_json, perform

from benchmarks import captured
from benchmarks.client import COMMAND, connected, environment, is_finished
from benchmarks.generate import Size, generated

INGESTED, GENERATED = 3_800, 10_000
PAUSE = 2.0
CLAIMS = 200
"""Claims of which prompts are made."""
Env = Mapping[str, str]


def bases(named: list[Path], folder: Path) -> Iterator[tuple[str, Path]]:
    """Knowledge bases that may be written to, each with its title."""
    for root in named:
        shutil.copytree(root, folder / root.name)
        yield root.name, folder / root.name
    captured.make(folder / "ingested", INGESTED)
    yield "ingested", folder / "ingested"
    size = Size(GENERATED // 5, GENERATED)
    shutil.copytree(generated(size), folder / "generated")
    yield "generated", folder / "generated"


def prompts(root: Path) -> tuple[int, list[str]]:
    """The number of claims, and prompts that are answered."""
    engine = Engine(env={})
    engine.registry.add_root(root)
    engine.load()
    (served,) = engine.serving(Caller())
    view = served.view
    claims = view.visible.artifacts_in(view.search.every(Kind.CLAIM), CLAIMS)
    texts = [
        f"Why is it that {artifact.text}"[:300]
        for artifact in claims
        if isinstance(artifact, Claim)
    ]
    asked = (
        (text, perform(engine, OPERATIONS["context"], {"task": text}, Caller())) for text in texts
    )
    told = (text for text, answer in asked if as_json(answer)["text"])
    return view.counts.artifacts(Kind.CLAIM), list(islice(told, 2))


def hook(env: Env, root: Path, event: str, **payload: str) -> str:
    """What a hook took, in milliseconds, and whether it said something."""
    given = json.dumps({"session_id": payload.get("prompt", "s"), "cwd": str(root), **payload})
    started = time.perf_counter()
    done = subprocess.run(
        [COMMAND, "hook", event], input=given.encode(), capture_output=True, env=env
    )
    took = (time.perf_counter() - started) * 1000
    return f"{took:.0f} {'said' if done.stdout else 'silent'}"


def session(env: Env, root: Path, asked: list[str], *, begins: bool) -> Iterator[str]:
    """The hooks of a session: its start if it `begins` with that, a prompt, a later one."""
    first, second = asked
    yield hook(env, root, "session-start", source="startup") if begins else "–"
    yield hook(env, root, "user-prompt-submit", prompt=first)
    time.sleep(PAUSE)
    yield hook(env, root, "user-prompt-submit", prompt=second)
    subprocess.run([COMMAND, "stop", "--all"], env=env, cwd=root, capture_output=True, check=True)


def filled(root: Path, folder: Path) -> None:
    """Leave a full cache below a folder."""
    with connected(root, folder) as client:
        client.wait_for("complete", True)
        while not is_finished(folder):
            time.sleep(0.2)


def main() -> None:
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; milliseconds\n")
    print("| base | claims | cache | session-start | prompt, 0 s | prompt, 2 s |")
    print("| --- | --- | --- | --- | --- | --- |")
    with TemporaryDirectory(prefix="v") as name:
        folder = Path(name)
        for title, root in bases([Path(folder) for folder in sys.argv[1:]], folder):
            claims, asked = prompts(root)
            for number, (cache, begins) in enumerate(
                (cache, begins) for cache in ("cold", "warm") for begins in (False, True)
            ):
                own = folder / f"{number}{title[:1]}"
                if cache == "warm":
                    filled(root, own)
                cells = " | ".join(session(environment(own), root, asked, begins=begins))
                print(f"| {title} | {claims} | {cache} | {cells} |", flush=True)
                shutil.rmtree(own)
            shutil.rmtree(root)


if __name__ == "__main__":
    main()
