"""Ties between claims and files at scale.

    python -m benchmarks.workspace [--claims 10000] [--files 5000 50000]

Makes a repository of Python files and a knowledge base whose claims each cite one file and name one
identifier and one path, and says how long it takes until citations and paths are there, until
identifiers are, and how long the event loop's longest stall and a question took meanwhile.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import tempfile
import time
from functools import partial
from hashlib import sha256
from pathlib import Path

import anyio
from vouch_sidecar.engine import Caller, DiskFollower, Engine
from vouch_sidecar.operations import OPERATIONS, perform

LINES = 120
"""Of a file: 4 KB."""


def make(root: Path, claims: int, files: int) -> None:
    """A repository and a knowledge base in it."""
    chance = random.Random(7)
    write_files(root, files, chance)
    for kind in ("claims", "sources", "entities", "pages", "evidence", "relations", "sessions"):
        (root / ".vouch" / kind).mkdir(parents=True, exist_ok=True)
    for number in range(claims):
        cited, named, defined = (chance.randrange(files) for _ in range(3))
        locator = f"/home/dev/project/{path_of(cited)}"
        source = sha256(locator.encode()).hexdigest()
        folder = root / ".vouch" / "sources" / source
        folder.mkdir(exist_ok=True)
        (folder / "meta.yaml").write_text(f"id: {source}\nlocator: {locator}\n", "utf-8")
        text = f"`handle_item_{defined}` is slow since {path_of(named)} waits for it."
        (root / ".vouch" / "claims" / f"c{number}.yaml").write_text(
            f"id: c{number}\ntext: '{text}'\nevidence: [{source}]\n", "utf-8"
        )


def write_files(root: Path, files: int, chance: random.Random) -> None:
    """A repository of Python files that nobody committed."""
    for number in range(files):
        path = root / path_of(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        body = [f"class Thing{number}Part:", f"    def handle_item_{number}(self, value):"]
        body += [f"        value = self.step_{chance.randrange(500)}(value)" for _ in range(LINES)]
        path.write_text("\n".join(body) + "\n", "utf-8")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(["git", "add", "src"], cwd=root, check=True)


def path_of(number: int) -> str:
    return f"src/part{number % 97}/module{number}.py"


async def measure(root: Path, env: dict[str, str]) -> dict[str, float]:
    """Seconds until each step is done, and the slowest answers meanwhile."""
    engine = Engine(env=env)
    (collection,) = engine.registry.start_from(root)
    follower = DiskFollower(engine)
    found = {"longest stall": 0.0, "slowest hover": 0.0}
    async with anyio.create_task_group() as group:
        group.start_soon(follower.run)
        while not collection.complete:
            await anyio.sleep(0.01)
        indexed = last = time.monotonic()
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        while collection.is_workspace_pending:
            await anyio.sleep(0.005)
            now = time.monotonic()
            found["longest stall"] = max(found["longest stall"], now - last - 0.005)
            perform(engine, OPERATIONS["mentions"], {"text": "what about the relay?"}, Caller())
            last = time.monotonic()
            found["slowest hover"] = max(found["slowest hover"], last - now)
            if "cites and paths" not in found and collection.world.ties.by_path:
                found["cites and paths"] = now - indexed
        found["identifiers"] = time.monotonic() - indexed
        started = time.monotonic()
        perform(engine, OPERATIONS["files"], {"paths": [path_of(1)]}, Caller())
        found["files, one path"] = time.monotonic() - started
        found["memory beside, MB"] = (
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
        ) / 1024
        await anyio.sleep(3.0)
        group.cancel_scope.cancel()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--claims", type=int, default=10_000)
    parser.add_argument("--files", type=int, nargs="+", default=[5_000, 50_000])
    asked = parser.parse_args()
    for files in asked.files:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder, "project")
            make(root, asked.claims, files)
            env = dict(os.environ) | {"HOME": folder, "XDG_CACHE_HOME": f"{folder}/cache"}
            for name in ("first start", "later start"):
                found = anyio.run(partial(measure, root, env))
                said = ", ".join(f"{what} {figure:.3f}" for what, figure in found.items())
                print(f"{asked.claims} claims, {files} files, {name}: {said}", flush=True)


if __name__ == "__main__":
    main()
