"""The features of the language server: each module registers one with a server."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules

from vouch_sidecar.surfaces.lsp.server import Sidecar

__all__ = ["features"]


def features() -> list[Callable[[Sidecar], None]]:
    """The `register` of every module of this package, in the order of their names."""
    modules = sorted(module.name for module in iter_modules(__path__))
    return [import_module(f"{__name__}.{name}").register for name in modules]
