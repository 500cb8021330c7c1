"""Takes tables out of a TOML text, wherever they are meanwhile, and leaves the rest."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

from vouch_sidecar.surfaces.install.errors import MalformedError

__all__ = ["Owns", "cut", "holds", "loads"]

Owns = Callable[[dict[str, Any]], bool]
"""Whether a table, with those below it, is ours; it gets what their lines alone say."""

_HEADER = re.compile(r"^[ \t]*\[.+\][ \t]*(?:#.*)?\r?$", re.MULTILINE)


def loads(text: str) -> dict[str, Any]:
    """What a text holds. Raises `MalformedError`."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise MalformedError(f"is not TOML: {error}") from None


def holds(value: Any, wanted: Any) -> bool:
    """Whether a value has all that another has; it may have more."""
    if isinstance(wanted, dict):
        return isinstance(value, dict) and all(
            key in value and holds(value[key], below) for key, below in wanted.items()
        )
    if isinstance(wanted, list):
        return isinstance(value, list) and all(
            any(holds(item, below) for item in value) for below in wanted
        )
    return bool(value == wanted)


def cut(text: str, owns: Owns, heading: str) -> str:
    """The text without the tables that are ours, nor the heading and an empty line before them."""
    lead = re.compile(rf"(?:^[ \t]*\r?\n)?(?:^{re.escape(heading)}\r?\n)?\Z", re.MULTILINE)
    kept, at = "", 0
    for start, end in _tables(text):
        if start >= at and owns(_read(text[start:end])):
            before = lead.search(text, at, start)
            kept += text[at : before.start() if before else start]
            at = end
    return kept + text[at:]


def _tables(text: str) -> Iterator[tuple[int, int]]:
    """Where each table is, those below it that follow it included."""
    headers = list(_HEADER.finditer(text))
    paths = [_path(_read(header[0].strip())) for header in headers]
    for number, (header, path) in enumerate(zip(headers, paths, strict=True)):
        after = number + 1
        while after < len(paths) and path == paths[after][: len(path)] != paths[after]:
            after += 1
        end = headers[after].start() if after < len(headers) else len(text)
        yield header.start(), _trimmed(text, header.start(), end)


def _trimmed(text: str, start: int, end: int) -> int:
    """The end without the empty lines and the comments before it: they belong to what follows."""
    while (line := text.rfind("\n", start, end - 1) + 1) and _is_blank(text[line:end]):
        end = line
    return end


def _is_blank(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _path(value: Any) -> list[str]:
    """The keys that lead to the one table of a header."""
    keys: list[str] = []
    while value:
        if isinstance(value, list):
            value = value[0]
        else:
            [(key, value)] = value.items()
            keys.append(key)
    return keys


def _read(text: str) -> dict[str, Any]:
    """What a part of a text holds; nothing where it is no TOML, as in the middle of a string."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}
