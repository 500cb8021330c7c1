"""A sentence-embedding model in which each word has one matter, and a server in place of Ollama."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from vouch_sidecar.semantic.local import Local

MATTERS = (
    "picture pictures photo photos image",
    "keep kept retain retained deleted erased",
    "login sign token tokens expire expires lives",
    "snow winter storm storms",
    "queue buffer lag backlog",
)
"""Words that mean the same here."""
DIMENSION = len(MATTERS) + 2


def make(folder: Path, pooling: str = "mean_tokens", inner: bool = True) -> Path:
    """A folder with the model, its graph below `onnx/` where it is `inner`."""
    words = {word: at for at, matter in enumerate(MATTERS) for word in matter.split()}
    vocabulary = {"[PAD]": 0, "[UNK]": 1, **{word: n for n, word in enumerate(words, 2)}}
    weights = np.zeros((len(vocabulary), DIMENSION), np.float32)
    weights[1, -1] = 0.1  # every other word means a little of something else
    for word, at in words.items():
        weights[vocabulary[word], at] = 1
    (folder / "1_Pooling").mkdir(parents=True)
    graph = folder / "onnx" / "model.onnx" if inner else folder / "model.onnx"
    graph.parent.mkdir(exist_ok=True)
    graph.write_bytes(_graph(weights).SerializeToString())
    tokenizer: Any = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {"word_embedding_dimension": DIMENSION, f"pooling_mode_{pooling}": True}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(config), "utf-8")
    return folder


def _graph(weights: np.ndarray[Any, np.dtype[np.float32]]) -> onnx.ModelProto:
    given = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask")
    ]
    shape = ["batch", "length", weights.shape[1]]
    found = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, shape)
    node = helper.make_node("Gather", ["words", "input_ids"], ["last_hidden_state"])
    words = numpy_helper.from_array(weights, "words")
    graph = helper.make_graph([node], "tiny", given, [found], [words])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


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
        self.env = {"VOUCH_SIDECAR_SEMANTIC_MODEL": "tiny"}
        self.env["VOUCH_SIDECAR_SEMANTIC_OLLAMA"] = self.address

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
