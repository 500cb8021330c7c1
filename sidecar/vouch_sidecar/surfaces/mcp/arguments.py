"""Reads arguments of tools as hosts and models send them: numbers, lists and truth as text, an
empty text for what is absent, and fields of the host's own. Programs are read strictly elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from vouch_sidecar.operations import Operation
from vouch_sidecar.operations.call import OTHERS, resembling

OF_HOSTS = frozenset({"action", "chatInput", "sessionId", "tool", "toolCallId"})
"""Fields that n8n sends with each call (its issue 21500, November 2026)."""
MAX_TEXT = 1 << 16
"""Characters of a text that is read as something else."""
_WORDS = re.compile(r"[\w-]+(?:\s*,\s*[\w-]+)+")
MAX_NAMED = 3
NOTHING = ("", "null", "none", "undefined", "[]")
"""What stands for a param that is not given, as text in any case."""

Object = dict[str, Any]


def read(operation: Operation[Any, Any], schema: Object, given: Object) -> tuple[Object, list[str]]:
    """The params in arguments, by the tool's input schema; and a sentence for each of the first
    unknown ones that resembles a param.
    """
    properties: Object = schema["properties"]
    params: Object = {}
    notes: list[str] = []
    for name, value in given.items():
        if name in operation.params.model_fields.keys() | OTHERS:
            if name in schema["required"] or str(value).strip().lower() not in NOTHING:
                params[name] = _meant(properties.get(name, {}), value)
        elif name not in OF_HOSTS:
            shown, near = resembling(name, properties)
            if near:
                notes.append(f"{shown} is no parameter and was ignored; did you mean {near}?")
    return params, notes[:MAX_NAMED]


def _meant(schema: Mapping[str, Any], value: Any) -> Any:
    """The value that is meant, where it can mean one thing; else what `pydantic` will refuse."""
    kinds = schema.get("type", ())  # a list where a text may stand for something else
    if isinstance(value, str) and isinstance(kinds, list):
        value = _list(value.strip()) if "array" in kinds else _from_json(value.strip().lower())
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, list) and "array" in kinds:
        return [_meant(schema["items"], each) for each in value]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number and kinds == "string" else value


def _list(text: str) -> Any:
    """The list that a text stands for: JSON, words between commas, or one item."""
    if text.startswith("["):
        return _from_json(text)
    return re.split(r"\s*,\s*", text) if _WORDS.fullmatch(text) else [text]


def _from_json(text: str) -> Any:
    """The value in a text; the text, if there is none."""
    try:
        return json.loads(text) if len(text) <= MAX_TEXT else text
    except (ValueError, RecursionError):
        return text
