"""The operations, found in the files of this package: a new file is a new operation."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from vouch_sidecar.operations.operation import Operation
from vouch_sidecar.slices import slices

__all__ = ["operations"]

FIRST = ("experts", "salience", "probe", "context", "search", "entity", "claim", "status", "stats")
"""The order in which surfaces list them; others follow by name."""


@cache
def operations() -> dict[str, Operation[Any, Any]]:
    """All operations by name, in the order in which surfaces list them."""
    package = __name__.rpartition(".")[0]
    modules = [import_module(f"{package}.{one.name}") for one in slices()]
    found: list[Operation[Any, Any]] = [module.OPERATION for module in modules]
    order = {name: place for place, name in enumerate(FIRST)}
    found.sort(key=lambda operation: (order.get(operation.name, len(order)), operation.name))
    return {operation.name: operation for operation in found}
