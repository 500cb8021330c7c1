"""Removes tables from a TOML text, wherever they are, and keeps all other bytes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import tomlkit
from tomlkit.container import Container
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Table

from vouch_sidecar.surfaces.install.project_files import MalformedError

Owns = Callable[[dict[str, Any]], bool]
"""Whether a table is ours. The argument is the content of a text with only this table."""

_OURS, _THEIRS = "\x00", "\x01"
"""Marks inserted before the headers of tables. No TOML text may contain these characters."""
_AFTER = re.compile(r"(?:^[ \t]*(?:#.*)?(?:\r?\n|\r?\Z))*\Z", re.MULTILINE)
"""Empty lines and comments at the end of a table, which belong to the next table."""


def loads(text: str) -> dict[str, Any]:
    """The content of a TOML text. Raises `MalformedError`."""
    return _parsed(text).unwrap()


def holds(value: Any, wanted: Any) -> bool:
    """Whether a value contains all of `wanted`, recursively."""
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
    """The text without our tables, and without the heading and one empty line before each. Raises
    `MalformedError`.
    """
    document = _parsed(text)
    _mark(document, (), owns, _THEIRS)
    marked = document.as_string()
    if _OURS not in marked:
        return text
    if marked.replace(_OURS, "").replace(_THEIRS, "") != text:  # tomlkit tidies `[[ a . b ]]`
        raise MalformedError("can't be changed without changing how it is written")
    lead = re.compile(rf"(?:^[ \t]*\r?\n)?(?:^{re.escape(heading)}\r?\n)?\Z", re.MULTILINE)
    kept = ""
    for piece in re.split(f"(?=[{_OURS}{_THEIRS}])", marked):
        if piece.startswith(_OURS):
            after = _AFTER.search(piece)
            kept = lead.sub("", kept, count=1) + (after[0] if after else "")
        else:
            kept += piece.removeprefix(_THEIRS)
    return kept


def _mark(container: Container, above: tuple[str, ...], owns: Owns, mark: str) -> None:
    """Insert a mark before every header. Subtables of our tables are ours."""
    for key, item in container.body:
        if key is None or key.is_dotted() or not isinstance(item, AoT | Table):
            continue
        for table in item.body if isinstance(item, AoT) else [item]:
            says: Any = [table.unwrap()] if isinstance(item, AoT) else table.unwrap()
            for name in (key.key, *reversed(above)):
                says = {name: says}
            own = _OURS if mark == _OURS or owns(says) else _THEIRS
            table.trivia.indent = own + table.trivia.indent
            _mark(table.value, (*above, key.key), owns, own)


def _parsed(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise MalformedError(f"is not TOML: {error}") from None
