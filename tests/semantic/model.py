"""A sentence-embedding model small enough to be made by a test: each word has one matter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

MATTERS = (
    "picture pictures photo photos image",
    "keep kept retain retained deleted erased",
    "login sign token tokens expire expires lives",
    "snow winter storm storms",
    "queue buffer lag backlog",
)
"""Words that mean the same here. Every other word means a little of something else."""
DIMENSION = len(MATTERS) + 2
_LITTLE = 0.1


def make(folder: Path, pooling: str = "mean", inner: bool = True) -> Path:
    """A folder with the model, its graph below `onnx/` where it is `inner`."""
    words = {word: at for at, matter in enumerate(MATTERS) for word in matter.split()}
    vocabulary = {"[PAD]": 0, "[UNK]": 1, **{word: n for n, word in enumerate(words, 2)}}
    weights = np.zeros((len(vocabulary), DIMENSION), np.float32)
    weights[1, -1] = _LITTLE
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
    modes = {
        "pooling_mode_mean_tokens": pooling == "mean",
        "pooling_mode_cls_token": pooling == "cls",
    }
    _json(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": DIMENSION, **modes})
    return folder


def _json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content), "utf-8")


def _graph(weights: np.ndarray[Any, np.dtype[np.float32]]) -> onnx.ModelProto:
    given = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask")
    ]
    shape = ["batch", "length", weights.shape[1]]
    found = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, shape)
    node = helper.make_node("Gather", ["words", "input_ids"], ["last_hidden_state"])
    graph = helper.make_graph(
        [node], "tiny", given, [found], [numpy_helper.from_array(weights, "words")]
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
