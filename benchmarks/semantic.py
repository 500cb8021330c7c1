"""What finding by meaning costs, with all-MiniLM-L6-v2 in a folder: beside a server without it."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from vouch_sidecar.semantic.loading import backend_of

from benchmarks.client import Client, connected
from benchmarks.generate import Questions
from benchmarks.timing import Figure, Figures, timed

FEW = "are the vectors there?"


def measure(root: Path, folder: Path, questions: Questions) -> Figures:
    """Nothing where there is no model: neither named by `MODEL` nor to be fetched."""
    from benchmarks.quality.minilm import fetched  # needs onnx

    given = os.environ.get("MODEL")
    model = Path(given) if given else fetched(Path(tempfile.gettempdir()) / "vouch-sidecar")
    if model is None:
        return {}
    backend = backend_of(str(model), None)
    prompts = [f"{text[:190]} {number}" for number, text in enumerate(questions.prompts)]
    found = {"embedded": Figure.of(timed(lambda t=one: backend.embed([t], 9)) for one in prompts)}  # type: ignore[misc]
    settings = {"vouchSidecar": {"semantic": {"model": str(model)}}}
    with connected(root, folder) as client:
        client.wait_for("complete", True)
        for prompt in prompts:  # what asking alone takes is there before
            client.request("vouch/search", {"query": prompt})
        before = client.memory()
        started = time.perf_counter()
        client.notify("workspace/didChangeConfiguration", {"settings": settings})
        _until(client, lacking=True)
        _until(client, lacking=False)
        found["vectors"] = Figure.of([time.perf_counter() - started])
        asked = (
            timed(lambda q=topic: client.request("vouch/search", {"query": q}))  # type: ignore[misc]
            for topic in questions.topics
        )
        found["search by meaning"] = Figure.of(asked)
        found["memory of meaning"] = Figure.of([client.memory() - before])
    return found


def _until(client: Client, lacking: bool) -> None:
    """Wait until vectors are lacking, or there."""
    while bool(client.request("vouch/search", {"query": FEW})["degraded"]) is not lacking:
        time.sleep(0.1)
