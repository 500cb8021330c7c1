"""A sentence-embedding model in a folder, run by onnxruntime. Nothing here makes a request.

The folder is laid out as sentence-transformers publishes models: `onnx/model.onnx` or `model.onnx`,
`tokenizer.json`, `config.json` and `1_Pooling/config.json`.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from tokenizers import Tokenizer

from vouch_sidecar.semantic.backend import UnavailableError, is_latin, unit

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

    from vouch_sidecar.semantic.backend import Matrix


MAX_TOKENS = 256
"""Tokens of a text that are read: models of sentences were trained on fewer."""
FOREIGN_SHARE = 0.2
"""The share of pieces in other scripts from which a vocabulary counts as one of several languages.
"""
_FILES = ("tokenizer.json", "config.json", "1_Pooling/config.json")
Pooling = Literal["mean", "cls"]


class Local:
    """A model in a folder. Raises UnavailableError if the model can't be used."""

    def __init__(self, folder: Path) -> None:
        inner = folder / "onnx" / "model.onnx"
        model = inner if inner.is_file() else folder / "model.onnx"
        paths = [model, *(folder / name for name in _FILES)]
        try:
            digest = hashlib.blake2b(digest_size=16)
            for path in paths:
                with path.open("rb") as stream:
                    digest.update(hashlib.file_digest(stream, "sha256").digest())
            self.identity = digest.hexdigest()
            config, pooling = (json.loads(path.read_bytes()) for path in paths[2:])
            self._pooling, self._dimension = _pooling(config, pooling)
            self._tokenizer = Tokenizer.from_file(str(paths[1]))
            self._session = _session(paths[0])
        except FileNotFoundError as error:
            missing = Path(error.filename).relative_to(folder)
            raise UnavailableError(f"the folder of the model has no `{missing}`") from None
        except (UnavailableError, ImportError):
            raise
        except Exception as error:  # onnxruntime and tokenizers raise bare exceptions
            raise UnavailableError(
                f"the model can't be read ({type(error).__name__}): fetch it again"
            ) from None
        most = min(MAX_TOKENS, int(config.get("max_position_embeddings") or MAX_TOKENS))
        self._tokenizer.enable_truncation(most)
        self._tokenizer.enable_padding(pad_id=int(config.get("pad_token_id") or 0))
        pieces = self._tokenizer.get_vocab()
        foreign = sum(any(map(str.isalpha, piece)) and not is_latin(piece) for piece in pieces)
        self.any_script = foreign > FOREIGN_SHARE * len(pieces)
        self._inputs = {node.name for node in self._session.get_inputs()}

    def embed(self, texts: Sequence[str], seconds: float) -> Matrix:
        """Make a row for each text. A batch is not interrupted; it never takes seconds."""
        del seconds
        encoded = self._tokenizer.encode_batch(list(texts))
        mask = np.array([encoding.attention_mask for encoding in encoded], np.int64)
        given = {
            "input_ids": np.array([encoding.ids for encoding in encoded], np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(mask),
        }
        try:
            outputs = self._session.run(None, {k: v for k, v in given.items() if k in self._inputs})
            states = np.asarray(outputs[0], np.float32)
            if states.ndim != 3 or states.shape[:2] != mask.shape:
                raise UnavailableError("the model gives no vector for each token: choose another")
        except UnavailableError:
            raise
        except Exception as error:
            raise UnavailableError(
                f"the model fails ({type(error).__name__}): choose another one"
            ) from None
        if self._pooling == "cls":
            return unit(states[:, 0], len(texts), self._dimension)
        counted = mask[:, :, None].astype(np.float32)
        total = (states * counted).sum(axis=1) / np.maximum(counted.sum(axis=1), 1)
        return unit(total, len(texts), self._dimension)


def _pooling(config: dict[str, Any], pooling: dict[str, Any]) -> tuple[Pooling, int]:
    """How the vectors of tokens become one, and the number of its dimensions."""
    dimension = pooling.get("word_embedding_dimension")
    if not isinstance(dimension, int) or dimension != config.get("hidden_size", dimension):
        raise UnavailableError("`1_Pooling/config.json` and `config.json` name other dimensions")
    modes = [
        name for name, on in pooling.items() if name.startswith("pooling_mode_") and on is True
    ]
    match modes:
        case ["pooling_mode_mean_tokens"]:
            return "mean", dimension
        case ["pooling_mode_cls_token"]:
            return "cls", dimension
    raise UnavailableError("only models that pool by mean or by the first token are read")


def _session(model: Path) -> InferenceSession:
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # from 1.29 on it reports every model to its maker
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # it would keep the memory of the largest batch
    options.log_severity_level = 4  # what fails is said as a diagnostic
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
