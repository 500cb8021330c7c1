"""A server that stands in for Ollama, with every failure that it can have."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from vouch_sidecar.semantic.local import Local

MODEL = "tiny"
CHOOSE, REFUSED = "choose another", "an error \\({}\\)"
FAILURES = {
    "error": (500, b'{"error": "out of memory"}', REFUSED.format(500)),
    "gone": (404, b'{"error": "model not found"}', "run `ollama pull tiny`"),
    "no json": (200, b"<html>", REFUSED.format(200)),
    "a list": (200, b"[1]", REFUSED.format(200)),
    "no rows": (200, b"{}", CHOOSE),
    "too few": (200, b'{"embeddings": []}', CHOOSE),
    "words": (200, b'{"embeddings": [["a"]]}', CHOOSE),
    "zeros": (200, b'{"embeddings": [[0.0, 0.0]]}', CHOOSE),
    "too large": (200, b'{"embeddings": [[1%s]]}' % (b"0" * 400), CHOOSE),
    "infinite": (200, b'{"embeddings": [[1e999, 1.0]]}', CHOOSE),
}
"""What it answers to one text, and what is said of it."""
OTHER_LENGTH = "another dimension"


class Ollama(ThreadingHTTPServer):
    """Serves the tests' model. `failure` is what it does instead of answering well."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = Local(folder)
        self.failure = ""
        self.digest = "1"
        self.released = threading.Event()
        """Set: what is slow goes on."""
        self.asked: list[tuple[str, Any]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def env(self) -> dict[str, str]:
        """The settings that name it."""
        return {
            "VOUCH_SIDECAR_SEMANTIC_MODEL": MODEL,
            "VOUCH_SIDECAR_SEMANTIC_OLLAMA": self.address,
        }

    @property
    def embedded(self) -> set[str]:
        """The texts that it was asked for."""
        return {text for _, body in self.asked for text in body["input"]}

    def handle_error(self, *_: object) -> None:
        """A client that has gone is no error of a test."""


class _Handler(BaseHTTPRequestHandler):
    server: Ollama

    def do_GET(self) -> None:
        known = [{"name": []}, {"name": "tiny:latest", "digest": self.server.digest}]
        self._send(200, {"models": 5 if self.server.failure == "no list" else known})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, body))
        texts = body["input"]
        failure = self.server.failure
        if failure == "":
            rows = self.server.model.embed(texts, 1).tolist()
            self._send(200, {"model": MODEL, "embeddings": rows})
        elif failure == "slow":
            self.server.released.wait(30)
            self._send(200, {"embeddings": [[1.0]]})
        elif failure == "drips":
            self.send_response(200)
            self.end_headers()
            while not self.server.released.wait(0.05):
                self.wfile.write(b" ")
        elif failure == "closed":
            self.close_connection = True
        elif failure == OTHER_LENGTH:
            self._send(200, {"embeddings": [[1.0, 2.0, 3.0]]})
        else:
            self._send_bytes(*FAILURES[failure][:2])

    def _send(self, status: int, body: object) -> None:
        self._send_bytes(status, json.dumps(body).encode())

    def _send_bytes(self, status: int, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def serving(folder: Path) -> Iterator[Ollama]:
    """The server for the length of a block."""
    server = Ollama(folder)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
