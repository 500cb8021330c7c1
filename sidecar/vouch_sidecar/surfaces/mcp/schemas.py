"""Schemas of params and results that stand on their own, out of those of the protocol."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from vouch_sidecar.operations.schema import protocol

__all__ = ["input_schema", "output_schema"]

PREFIX = "#/$defs/"


def input_schema(operation: str) -> dict[str, Any]:
    """What an operation takes."""
    return _whole(operation, "params")


def output_schema(operation: str) -> dict[str, Any]:
    """What an operation gives."""
    return _whole(operation, "result")


@cache
def _protocol() -> dict[str, Any]:
    return protocol()


def _whole(operation: str, side: str) -> dict[str, Any]:
    """A definition with all that it refers to: some clients want an object at the root."""
    defs = _protocol()["$defs"]
    root = defs[_name(_protocol()["operations"][operation][side]["$ref"])]
    needed = _needed(root, defs)
    return {**root, "$defs": {name: defs[name] for name in needed}} if needed else dict(root)


def _needed(root: dict[str, Any], defs: dict[str, Any]) -> list[str]:
    found: set[str] = set()
    queue = _refs(root)
    while queue:
        name = queue.pop()
        if name not in found:
            found.add(name)
            queue += _refs(defs[name])
    return sorted(found)


def _refs(schema: dict[str, Any]) -> list[str]:
    found: list[str] = []

    def note(node: dict[str, Any]) -> dict[str, Any]:
        if isinstance(ref := node.get("$ref"), str):
            found.append(_name(ref))
        return node

    json.loads(json.dumps(schema), object_hook=note)
    return found


def _name(ref: str) -> str:
    return ref.removeprefix(PREFIX)
