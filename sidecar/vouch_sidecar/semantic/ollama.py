"""A model that Ollama serves on this machine, over http on loopback; nothing is tried twice."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from http.client import HTTPConnection, HTTPException
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from vouch_sidecar.semantic.backend import UnavailableError, unit

if TYPE_CHECKING:
    from vouch_sidecar.semantic.backend import Matrix


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
        self._dimension: int | None = None
        listed = self._ask("GET", "/api/tags", None, LIST_SECONDS).get("models")
        models = listed if isinstance(listed, list) else []
        names = [model, model if ":" in model else f"{model}:latest"]
        mappings = (each for each in models if isinstance(each, dict))
        ours = next((each for each in mappings if each.get("name") in names), None)
        if ours is None:
            raise self._missing()
        identity = f"ollama {ours.get('name')} {ours.get('digest')}"
        self.identity = hashlib.blake2b(identity.encode(), digest_size=16).hexdigest()

    def embed(self, texts: Sequence[str], seconds: float) -> Matrix:
        """A row for each text."""
        body = {"model": self._model, "input": list(texts), "truncate": True}
        vectors = self._ask("POST", "/api/embed", body, seconds).get("embeddings")
        rows = unit(vectors, len(texts), self._dimension)
        self._dimension = rows.shape[1]
        return rows

    def _missing(self) -> UnavailableError:
        return UnavailableError(f"Ollama has no such model: run `ollama pull {self._model}`")

    def _ask(self, method: str, path: str, body: object, seconds: float) -> Mapping[str, Any]:
        """The answer to a request, which may take so many seconds once it has begun."""
        until = time.monotonic() + seconds
        connection = HTTPConnection(self._host, self._port, timeout=max(seconds, 0.001))
        try:
            data = None if body is None else json.dumps(body)
            connection.request(method, path, data, {"Content-Type": "application/json"})
            response = connection.getresponse()
            status, content = response.status, bytearray()
            while part := response.read1(1 << 16):
                content += part
                if len(content) > MAX_RESPONSE:
                    raise HTTPException("too long")
                if time.monotonic() > until:
                    raise TimeoutError
        except TimeoutError:
            raise UnavailableError(
                f"Ollama took longer than {seconds * 1000:.0f} ms: raise `recall.timeout_ms` or "
                "take a smaller model"
            ) from None
        except (OSError, HTTPException):
            raise UnavailableError("Ollama does not answer: start it") from None
        finally:
            connection.close()
        if status == 404:
            raise self._missing()
        try:
            answered = json.loads(content) if status == 200 else None
        except (ValueError, RecursionError):
            answered = None
        if not isinstance(answered, dict):
            raise UnavailableError(f"Ollama answers with an error ({status}): see its log")
        return answered
