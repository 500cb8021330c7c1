"""Values from several places, checked one by one against the fields of a dataclass."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from vouch_sidecar.kb.records import Problem

__all__ = ["Layer", "Place", "bounded", "literal", "section", "switch"]

Place = Callable[[str, str], Problem]
"""Makes the problem of a dotted name out of what is wrong with it."""

_MISSING = object()


def bounded(
    kind: type[int] | type[float], default: float | None, low: float, high: float = math.inf
) -> Any:
    """A dataclass field for a number from `low` to `high`."""
    return field(default=default, metadata={"kind": kind, "low": low, "high": high})


def switch(default: bool) -> Any:
    """A dataclass field for true or false."""
    return field(default=default, metadata={"kind": bool})


@dataclass(frozen=True, slots=True)
class Layer:
    """One place that settings come from."""

    values: Mapping[str, object]
    problems: list[Problem]
    place: Place

    def get(self, path: str) -> object:
        """The value at a dotted path, or `_MISSING`."""
        value: object = self.values
        for step in path.split("."):
            if not isinstance(value, Mapping) or value.get(step) is None:
                return _MISSING
            value = value[step]
        return value

    def section(self, path: str) -> Mapping[str, object]:
        value = self.get(path)
        if value is _MISSING or isinstance(value, Mapping):
            return value if isinstance(value, Mapping) else {}
        self.refuse(path, "must be a mapping")
        return {}

    def label(self, path: str) -> str | None:
        """A short text on one line; None where there is none."""
        value = self.get(path)
        if value is _MISSING:
            return None
        if not isinstance(value, str) or len(value) > 256 or not value.isprintable():
            self.refuse(path, "must be a short text on one line")
            return None
        return value.strip() or None

    def refuse(self, path: str, words: str) -> None:
        self.problems.append(self.place(path, f"{words}; it is ignored"))


def section(path: str, made: type[Any], layers: Sequence[Layer]) -> dict[str, object]:
    """What the layers give for one section, the last one winning."""
    values: dict[str, object] = {}
    for layer in layers:
        given = layer.section(path)
        for item in fields(made):
            value = given.get(item.name)
            if value is None:
                continue
            read = _read(value, item.metadata)
            if read is None:
                layer.refuse(f"{path}.{item.name}", _expected(item.metadata))
            else:
                values[item.name] = read
    return values


def _read(value: object, spec: Mapping[str, Any]) -> bool | int | float | None:
    """A value of the kind and in the range that its field asks for, or None."""
    kind = spec["kind"]
    if kind is bool:
        return value if isinstance(value, bool) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if not spec["low"] <= value <= spec["high"] or (kind is int and value != int(value)):
        return None
    return kind(value)  # type: ignore[no-any-return]


def _expected(spec: Mapping[str, Any]) -> str:
    if spec["kind"] is bool:
        return "must be true or false"
    what = "a whole number" if spec["kind"] is int else "a number"
    return f"must be {what} from {spec['low']} to {spec['high']}"


def literal(text: str, kind: type[Any]) -> object:
    """What a variable says, as far as it can be read; else its text, which fits nothing."""
    text = text.strip()
    if kind is bool:
        words = {"1": True, "true": True, "yes": True, "on": True}
        words |= {"0": False, "false": False, "no": False, "off": False}
        return words.get(text.casefold(), text)
    try:
        return int(text) if kind is int else float(text)
    except ValueError:
        return text
