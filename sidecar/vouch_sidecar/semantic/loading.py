"""Loads the model that the settings name: one in a folder, or one that Ollama serves on this
machine.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

from vouch_sidecar.semantic.backend import Backend, UnavailableError


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
