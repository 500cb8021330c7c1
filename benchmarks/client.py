"""The smallest LSP client: one thread, so that what is measured is the server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["Client", "connected"]

COMMAND = Path(sys.executable).with_name("vouch-sidecar")
PAUSE = 0.004
"""Seconds between two looks, where something is waited for by asking; from 0.2 s on, a fiftieth of
what was waited: each question takes the interpreter from the thread that loads.
"""

AT_ONCE = 0.001
"""Seconds in which an empty question is answered where nothing else is done."""


class Client:
    """One server process over stdio. Notifications of the server are dropped."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            [COMMAND, "lsp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(env),
        )
        self._next_id = 0

    def notify(self, method: str, params: object) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, params: object) -> Any:
        """The result of a request; RuntimeError when there is none."""
        self._next_id += 1
        request_id = self._next_id
        self._send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        while True:
            message = self._receive()
            if "method" in message:
                self._refuse(message)
            elif message.get("id") == request_id:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def initialize(self, root: Path) -> None:
        """Everything up to the answer of `initialize`."""
        params = {"processId": os.getpid(), "rootUri": root.as_uri(), "capabilities": {}}
        self.request("initialize", params)

    def wait_for(self, condition: str, value: object) -> Any:
        """Ask an empty question until a field of the answer is at least `value`; the answer."""
        started = time.perf_counter()
        while True:
            answer = self.request("vouch/sessionEnd", {"session_id": "nobody"})
            if answer[condition] >= value:
                return answer
            time.sleep(max(PAUSE, (time.perf_counter() - started) / 50))

    def settle(self, patience: float = 20.0) -> None:
        """Wait until nothing else is done: until empty questions are answered at once for a second.

        After a start, folders are still looked through once to begin watching them.
        """
        deadline = time.perf_counter() + patience
        busy = time.perf_counter()
        while busy + 1.0 > time.perf_counter() and time.perf_counter() < deadline:
            asked = time.perf_counter()
            self.wait_for("generation", 0)
            if time.perf_counter() - asked > AT_ONCE:
                busy = time.perf_counter()
            time.sleep(PAUSE)

    def memory(self, field: str = "VmRSS") -> int:
        """Bytes that the process holds; `VmHWM`: held at most."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) * 1024
        raise LookupError(field)

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()

    def _refuse(self, message: dict[str, Any]) -> None:
        if "id" in message:
            error = {"code": -32601, "message": "Method not found"}
            self._send({"jsonrpc": "2.0", "id": message["id"], "error": error})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        stream = self.process.stdout
        assert stream is not None
        length = 0
        while (line := stream.readline()) != b"\r\n":
            if not line:
                raise RuntimeError("the server has ended")
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        message: dict[str, Any] = json.loads(stream.read(length))
        return message


@contextmanager
def connected(root: Path, cache: Path) -> Iterator[Client]:
    """A server that was asked to serve a folder; what it caches goes to a folder of its own."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("VOUCH_")}
    client = Client(own | {"XDG_CACHE_HOME": str(cache)})
    try:
        client.initialize(root)
        client.notify("initialized", {})
        yield client
    finally:
        client.close()
