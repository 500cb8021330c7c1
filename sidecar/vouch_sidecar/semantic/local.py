"""A sentence-embedding model in a folder, run by onnxruntime. Nothing here makes a request.

The folder is laid out as sentence-transformers publishes models: `onnx/model.onnx`, or
`model.onnx`, `tokenizer.json` and `1_Pooling/config.json`.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Tokenizer

from vouch_sidecar.semantic.vectors import Matrix, UnavailableError, is_latin, unit

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

MAX_TOKENS = 256
"""Tokens of a text that are read: models of sentences were trained on fewer."""
FOREIGN_SHARE = 0.2
"""The share of pieces in other scripts from which a vocabulary counts as one of several languages.
"""


class Local:
    """A model in a folder. Raises UnavailableError if the model can't be used."""

    def __init__(self, folder: Path) -> None:
        inner = folder / "onnx" / "model.onnx"
        model = inner if inner.is_file() else folder / "model.onnx"
        tokenizer, pooling = folder / "tokenizer.json", folder / "1_Pooling" / "config.json"
        try:
            stats = [
                (str(p), p.stat().st_size, p.stat().st_mtime_ns)
                for p in (model, tokenizer, pooling)
            ]
            self.identity = hashlib.blake2b(repr(stats).encode(), digest_size=16).hexdigest()
            pools = json.loads(pooling.read_bytes()).items()
            modes = [name for name, on in pools if name.startswith("pooling_mode_") and on]
            if modes not in (["pooling_mode_mean_tokens"], ["pooling_mode_cls_token"]):
                raise UnavailableError(
                    "only models that pool by mean or by the first token are read"
                )
            # whether the vector of a text is that of its first token, not the mean of all
            self._by_first_token = modes == ["pooling_mode_cls_token"]
            self._tokenizer = Tokenizer.from_file(str(tokenizer))
            self._tokenizer.enable_truncation(MAX_TOKENS)
            self._tokenizer.enable_padding()
            self._session = _session(model)
        except FileNotFoundError as error:
            missing = Path(error.filename).relative_to(folder)
            raise UnavailableError(f"the folder of the model has no `{missing}`") from None
        except (UnavailableError, ImportError):
            raise
        except Exception as error:  # onnxruntime and tokenizers raise bare exceptions
            raise UnavailableError(
                f"the model can't be read ({type(error).__name__}): fetch it again"
            ) from None
        pieces = self._tokenizer.get_vocab()
        foreign = sum(any(map(str.isalpha, piece)) and not is_latin(piece) for piece in pieces)
        self.any_script = foreign > FOREIGN_SHARE * len(pieces)

    def embed(self, texts: Sequence[str], _: float) -> Matrix:
        """Make a row for each text. A batch is not interrupted; it never takes seconds."""
        encoded = self._tokenizer.encode_batch(list(texts))
        mask = np.array([encoding.attention_mask for encoding in encoded], np.int64)
        given = {
            "input_ids": np.array([encoding.ids for encoding in encoded], np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(mask),
        }
        try:
            inputs = {node.name: given[node.name] for node in self._session.get_inputs()}
            states = np.asarray(self._session.run(None, inputs)[0], np.float32)
            counted = mask[:, :, None].astype(np.float32)
            pooled = (
                states[:, 0]
                if self._by_first_token
                else (states * counted).sum(axis=1) / counted.sum(axis=1)
            )
        except Exception as error:
            raise UnavailableError(
                f"the model fails ({type(error).__name__}): choose another one"
            ) from None
        return unit(pooled, len(texts))


def _session(model: Path) -> InferenceSession:
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # from 1.29 on it reports every model to its maker
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # it would keep the memory of the largest batch
    options.log_severity_level = 4  # what fails is said as a diagnostic
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
