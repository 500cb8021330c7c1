"""Reads arguments of tools as hosts and models send them: numbers, lists and truth as text, an
empty text for what is absent, and fields of the host's own. Programs are read strictly elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from vouch_sidecar.operations import Operation
from vouch_sidecar.operations.call import MAX_PARAM_NAME, NO_NAME, OTHERS, RESEMBLES

OF_HOSTS = frozenset({"action", "chatInput", "sessionId", "tool", "toolCallId"})
"""Fields that n8n sends with each call (its issue 21500, November 2026)."""
MAX_TEXT = 1 << 16
"""Characters of a text that is read as something else."""
TRUTH = {"true": True, "false": False, "1": True, "0": False}
_WORDS = re.compile(r"[\w-]+(?:\s*,\s*[\w-]+)+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|-")
MAX_NAMED = 3
NOTHING = ("", "null", "none", "undefined")
"""Texts that stand for a param that is not given, in any case."""

Object = dict[str, Any]


def read(operation: Operation[Any, Any], schema: Object, given: Object) -> tuple[Object, list[str]]:
    """The params in arguments, by the tool's input schema; and a sentence for each of the first
    unknown ones that resembles a param.
    """
    properties: Object = schema["properties"]
    known = operation.params.model_fields.keys() | OTHERS
    params, notes = {}, []
    for name, value in given.items():
        if name in known:
            meant = _meant(properties.get(name, {}), value)
            said = {str(each).strip().lower() for each in (value, meant)}
            if name in schema["required"] or (said.isdisjoint(NOTHING) and meant != []):
                params[name] = meant
        elif name not in OF_HOSTS:
            snake = _HUMP.sub("_", name[:MAX_PARAM_NAME]).lower()
            near = get_close_matches(snake, properties, 1, RESEMBLES)
            shown = NO_NAME.sub("?", name[:MAX_PARAM_NAME])
            notes += [f"{shown} is no parameter and was ignored; did you mean {n}?" for n in near]
    return params, notes[:MAX_NAMED]


def _meant(schema: Mapping[str, Any], value: Any) -> Any:
    """The value that is meant, where it can mean one thing; else the value."""
    kinds = schema.get("type", ())
    (kind, *_) = kinds if isinstance(kinds, list) and kinds else (kinds,)
    if kind == "string":
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
            return value[0]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return str(_whole(value)) if is_number else value
    if isinstance(value, str) and kind in ("integer", "number", "boolean", "array"):
        value = _read(kind, value.strip())
    if kind == "boolean" and isinstance(value, int | float):
        return TRUTH.get(str(_whole(value)).lower(), value)
    if kind == "integer":
        return _whole(value)
    if kind == "array" and isinstance(value, list):
        return [_meant(schema.get("items", {}), each) for each in value]
    return value


def _read(kind: str, text: str) -> Any:
    """What a text stands for; the text, if nothing of this kind."""
    if kind == "boolean":
        return TRUTH.get(text.lower(), text)
    if kind == "array" and _WORDS.fullmatch(text):
        return re.split(r"\s*,\s*", text)
    if kind == "array" and not text.startswith("["):
        return [text] if text else text
    try:
        return json.loads(text) if len(text) <= MAX_TEXT else text
    except (ValueError, RecursionError):
        return text


def _whole(value: Any) -> Any:
    """A number without a fraction as an integer."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
