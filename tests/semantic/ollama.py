"""A server that stands in for Ollama, and can fail as that does."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from vouch_sidecar.semantic.local import Local


class Ollama(ThreadingHTTPServer):
    """Serves the tests' model as `tiny`."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = Local(folder)
        self.failure: str | tuple[int, bytes] = ""
        """What it does instead of answering well, or the status and the body that it answers."""
        self.digest = "1"
        self.released = threading.Event()
        """Set: what is slow goes on."""
        self.asked: list[tuple[str, Any]] = []
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        self.env = {
            "VOUCH_SIDECAR_SEMANTIC_MODEL": "tiny",
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
        match self.server.failure:
            case "":
                rows = self.server.model.embed(body["input"], 1).tolist()
                self._send(200, {"embeddings": rows})
            case "slow":
                self.server.released.wait(30)
            case "drips":
                self._send(200, b"")
                while not self.server.released.wait(0.05):
                    self.wfile.write(b" ")
            case (status, data):
                self._send(status, data)

    def _send(self, status: int, body: object) -> None:
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

    def log_message(self, *_: object) -> None:
        """Says nothing."""
