"""A model in a folder, one that Ollama serves, and everything that either can do wrong."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from vouch_sidecar.semantic import backend_of
from vouch_sidecar.semantic.local import Local
from vouch_sidecar.semantic.ollama import Ollama
from vouch_sidecar.semantic.vectors import UnavailableError

from tests.semantic import model
from tests.semantic.model import Ollama as Served


def test_texts_of_one_matter_are_near_and_a_long_one_is_cut(folder: Path, tmp_path: Path) -> None:
    rows = Local(folder).embed(["a photo is deleted", "an image is retained", "snow in winter"], 1)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert rows[0] @ rows[1] > 0.9 > 0.2 > rows[0] @ rows[2]
    short, long = Local(folder).embed(["snow " * 256, "snow " * 256 + "photo " * 900], 1)
    assert np.array_equal(short, long)
    by_first = model.make(tmp_path / "m", pooling="cls_token", inner=False)
    whole, first = Local(by_first).embed(["photo of snow", "photo"], 1)
    assert np.allclose(whole, first)


def test_a_folder_that_can_not_be_used(tmp_path: Path) -> None:
    for name in ("onnx/model.onnx", "tokenizer.json", "1_Pooling/config.json"):
        folder = model.make(tmp_path / name)
        file = folder / name
        file.write_bytes(file.read_bytes()[:20])
        with pytest.raises(UnavailableError, match="can't be read"):
            backend_of(str(folder), None)
        file.unlink()
        with pytest.raises(UnavailableError, match=f"has no `{name.removeprefix('onnx/')}`"):
            backend_of(str(folder), None)
    file.write_text('{"pooling_mode_max_tokens": true}', "utf-8")
    with pytest.raises(UnavailableError, match="pool by mean"):
        backend_of(str(folder), None)


def test_nothing_is_reported_to_anybody(folder: Path, tmp_path: Path) -> None:
    """onnxruntime keeps what it is about to report in the user's cache, unless told not to."""
    program = (
        "import sys; from vouch_sidecar.semantic import backend_of\n"
        "backend_of(sys.argv[1], None).embed(['snow'], 1)\n"
    )
    silent = ("CI", "ORT_DISABLE_TELEMETRY", "ORT_RUNNING_UNIT_TESTS")
    env = {k: v for k, v in os.environ.items() if k not in silent and not k.endswith("_ACTIONS")}
    env |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", program, str(folder)], env=env, check=True, timeout=60)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_every_failure_of_a_server_says_what_to_do(server: Served, folder: Path) -> None:
    refused, choose = "an error \\({}\\)", "choose another"
    failures: list[tuple[str | tuple[int, bytes], str]] = [
        ((500, b'{"error": "out of memory"}'), refused.format(500)),
        ((404, b'{"error": "model not found"}'), "run `ollama pull tiny`"),
        ((200, b"<html>"), refused.format(200)),
        ((200, b"[1]"), refused.format(200)),
        ((200, b"{}"), choose),
        ((200, b'{"embeddings": [["a"]]}'), choose),
        ((200, b'{"embeddings": [[0.0, 0.0]]}'), choose),
        ((200, b'{"embeddings": [[1e999, 1.0]]}'), choose),
        ("slow", "took longer than 300 ms"),
        ("drips", "took longer than 300 ms"),
    ]
    backend, texts = backend_of("tiny", server.address), ["a photo", "snow in winter"]
    assert np.allclose(backend.embed(texts, 5), Local(folder).embed(texts, 5))
    assert server.asked == [("/api/embed", {"model": "tiny", "input": texts, "truncate": True})]
    for server.failure, said in failures:
        with pytest.raises(UnavailableError, match=said):
            backend.embed(["snow"], 0.3 if "300" in said else 60)
    with pytest.raises(UnavailableError, match="ollama pull other"):
        Ollama(server.address, "other")
    server.failure = "no list"
    with pytest.raises(UnavailableError, match="ollama pull tiny"):
        Ollama(server.address, "tiny")
    server.server_close()
    with pytest.raises(UnavailableError, match="start it"):
        Ollama(server.address, "tiny")
