"""The program of one tree as a child process, asked over JSONL or as a language server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.client import Client, RefusedError

NOW = datetime(2026, 11, 1, tzinfo=UTC)
"""What the clock of every program shows."""
DRIVER = Path(__file__).with_name("driver.py")
NOT_READY = frozenset({"index_building", "workspace_pending"})
PATIENCE = 60.0
"""Seconds that a program has to become ready, or to take in all changes."""
Params = dict[str, Any]
Answer = dict[str, Any]
Asking = Callable[[str, Params], Answer]
"""Asks an operation; gives its result, or `{"error": ...}` where it was refused."""


@dataclass(frozen=True, slots=True)
class Program:
    """The program of a tree, and a folder for its cache, its sockets and its home."""

    path: Path
    package: str
    own: Path

    @classmethod
    def of(cls, tree: Path, own: Path) -> Program:
        """Find which layout a tree has: `sidecar/vouch_sidecar/`, or `sidecar/` itself."""
        if (tree / "sidecar" / "vouch_sidecar").is_dir():
            return cls(tree / "sidecar", "vouch_sidecar", own)
        return cls(tree, "sidecar", own)

    @contextmanager
    def jsonl(self, root: Path) -> Iterator[Asking]:
        """Serve the knowledge base in a folder over JSONL, one question at a time."""
        pipe, command, env = subprocess.PIPE, self._command("jsonl"), self._environment()
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=root, env=env) as process:
            source, sink = process.stdin, process.stdout
            assert source is not None
            assert sink is not None

            def ask(op: str, params: Params) -> Answer:
                request = {"id": 0, "method": f"kb.{op}", "params": params}
                source.write(json.dumps(request).encode() + b"\n")
                source.flush()
                answer: Answer = json.loads(sink.readline())
                return answer["result"] if answer["ok"] else {"error": answer["error"]}

            try:
                yield ask
                source.close()  # it serves until its input ends
                process.wait(10)
            finally:
                process.kill()

    @contextmanager
    def server(self, roots: Sequence[Path]) -> Iterator[Asking]:
        """Serve the knowledge bases in these folders as a language server."""
        client = Client(self._environment(), self._command("lsp"), cwd=roots[0])
        try:
            client.initialize(*roots)
            client.notify("initialized", {})
            client.wait_for("complete", True)
            yield partial(_ask, client)
        finally:
            client.close()

    def _command(self, surface: str) -> list[str]:
        clock = str(NOW.timestamp())
        driver = ["-P", str(DRIVER), str(self.path), self.package, clock]
        return [sys.executable, *driver, surface]

    def _environment(self) -> dict[str, str]:
        """Nothing of the user's own, and all the time that an answer may take."""
        others = {k: v for k, v in os.environ.items() if not k.startswith(("VOUCH_", "XDG_"))}
        names = {"HOME": "home", "XDG_CACHE_HOME": "cache", "XDG_RUNTIME_DIR": "run"}
        for name in names.values():
            (self.own / name).mkdir(mode=0o700, exist_ok=True)
        return others | {
            "PYTHONPATH": str(self.path),
            "PYTHONSAFEPATH": "1",
            "VOUCH_SIDECAR_RECALL_TIMEOUT_MS": "10000",
            **{variable: str(self.own / name) for variable, name in names.items()},
        }


def wait_until_ready(ask: Asking) -> None:
    """Wait until the program has read the knowledge base, and the workspace around it."""
    until = time.monotonic() + PATIENCE
    while NOT_READY & set(ask("experts", {"topic": "ready"}).get("degraded", NOT_READY)):
        if time.monotonic() > until:
            raise RuntimeError("the program does not become ready")
        time.sleep(0.1)


def _ask(client: Client, op: str, params: Params) -> Answer:
    """Ask a language server an operation."""
    first, *rest = op.split("_")
    method = "vouch/" + first + "".join(map(str.capitalize, rest))
    try:
        answer: Answer = client.request(method, params)
    except RefusedError as refused:
        return {"error": refused.error}
    return answer
