"""Optional: texts as vectors, by a model in a folder or by Ollama on this machine."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from vouch_sidecar.semantic.vectors import UnavailableError

if TYPE_CHECKING:
    from vouch_sidecar.semantic.local import Local
    from vouch_sidecar.semantic.ollama import Ollama

Backend: TypeAlias = "Local | Ollama"
"""A model. Every method blocks, in a thread of its own, one at a time. `identity` differs between
models whose vectors can't be compared. `any_script`: whether the model knows other scripts than
Latin.
"""


def backend_of(model: str, ollama: str | None) -> Backend:
    """Load the model `model`, from a folder or from `ollama`. Raises UnavailableError."""
    # Two threads of BLAS on a busy machine take fifty times as long as one.
    for library in ("OPENBLAS", "OMP", "MKL"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        import_module("numpy")
        if ollama is not None:
            from vouch_sidecar.semantic.ollama import Ollama

            return Ollama(ollama, model)
        from vouch_sidecar.semantic.local import Local

        return Local(Path(model).expanduser())
    except ImportError as error:
        raise UnavailableError(
            f"{error.name or 'a package'} is missing: install `vouch-sidecar[semantic]`"
        ) from None
