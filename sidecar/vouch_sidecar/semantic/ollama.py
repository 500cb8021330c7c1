"""A model that Ollama serves on this machine, over http on loopback; nothing is tried twice."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlsplit

from vouch_sidecar.semantic.vectors import Matrix, UnavailableError, unit

MAX_RESPONSE = 64 * 1024 * 1024
LIST_SECONDS = 5.0
"""How long the list of models may take."""


class Ollama:
    """A model of Ollama, by name. Raises UnavailableError if Ollama does not have the model."""

    any_script = False

    def __init__(self, address: str, model: str) -> None:
        parts = urlsplit(address)
        self._host, self._port = parts.hostname or "localhost", parts.port or 80
        self._model = model
        listed = self._ask("GET", "/api/tags", None, LIST_SECONDS).get("models")
        named = [model, model if ":" in model else f"{model}:latest"]
        ours = [
            each
            for each in (listed if isinstance(listed, list) else [])
            if isinstance(each, dict) and each.get("name") in named
        ]
        if not ours:
            raise self._missing()
        identity = f"ollama {ours[0]['name']} {ours[0].get('digest')}"
        self.identity = hashlib.blake2b(identity.encode(), digest_size=16).hexdigest()

    def embed(self, texts: Sequence[str], seconds: float) -> Matrix:
        """A row for each text. Raises UnavailableError, also when the time is over."""
        body = {"model": self._model, "input": list(texts), "truncate": True}
        answered = self._ask("POST", "/api/embed", json.dumps(body), seconds)
        return unit(answered.get("embeddings"), len(texts))

    def _missing(self) -> UnavailableError:
        return UnavailableError(f"Ollama has no such model: run `ollama pull {self._model}`")

    def _ask(self, method: str, path: str, body: str | None, seconds: float) -> dict[str, Any]:
        """The answer to a request, which may take so many seconds once it has begun."""
        until = time.monotonic() + seconds
        connection = HTTPConnection(self._host, self._port, timeout=max(seconds, 0.001))
        answered, content = None, bytearray()
        try:
            connection.request(method, path, body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            while len(content) < MAX_RESPONSE and (part := response.read1(1 << 16)):
                content += part
                if time.monotonic() > until:
                    raise TimeoutError
            answered = json.loads(content)
        except TimeoutError:
            raise UnavailableError(
                f"Ollama took longer than {seconds * 1000:.0f} ms: raise `recall.timeout_ms` or "
                "take a smaller model"
            ) from None
        except (OSError, HTTPException):
            raise UnavailableError("Ollama does not answer: start it") from None
        except (ValueError, RecursionError):
            pass
        finally:
            connection.close()
        if response.status == 404:
            raise self._missing()
        if response.status != 200 or not isinstance(answered, dict):
            raise UnavailableError(f"Ollama answers with an error ({response.status}): see its log")
        return answered
