"""The parts of a plug: own files, members of JSON files, tables of TOML files."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Protocol

from vouch_sidecar.surfaces.install.edit import add, drop
from vouch_sidecar.surfaces.install.errors import ConflictError, MalformedError
from vouch_sidecar.surfaces.install.jsonc import parse
from vouch_sidecar.surfaces.install.toml import Owns, cut, holds, loads

__all__ = ["JsonMember", "Keys", "OwnFile", "Piece", "TomlBlock"]

Keys = Sequence[str]
HEADING = "# vouch-sidecar"


class Piece(Protocol):
    """A change of one file that can be undone. Both methods raise `InstallError`."""

    @property
    def path(self) -> PurePosixPath:
        """The file, relative to the base of a `Place`."""

    def put(self, before: str | None) -> str:
        """The new text of a file; `before` is its text now, None when there is no file."""

    def take(self, before: str) -> str | None:
        """The text of the file after removal; None to remove the file."""


@dataclass(frozen=True)
class OwnFile:
    """A file that only this plug writes."""

    path: PurePosixPath
    text: str

    def put(self, before: str | None) -> str:
        if before not in (None, self.text):
            raise ConflictError("is there and differs from what would be written")
        return self.text

    def take(self, before: str) -> str | None:
        if before != self.text:
            raise ConflictError("was changed since it was written")
        return None


@dataclass(frozen=True)
class JsonMember:
    """A member of a JSON file. `where` gives its keys and value for what the file holds. Where no
    file is, the new one also gets the members of `beside`.
    """

    path: PurePosixPath
    where: Callable[[Any], tuple[Keys, Any]]
    beside: dict[str, Any] = field(default_factory=dict)

    def put(self, before: str | None) -> str:
        if before is None:
            return self._own()
        return add(before, *self.where(parse(before).value))

    def take(self, before: str) -> str | None:
        if before == self._own():
            return None
        return drop(before, *self.where(parse(before).value))

    def _own(self) -> str:
        keys, value = self.where({})
        for key in reversed(keys):
            value = {key: value}
        return json.dumps({**value, **self.beside}, indent=2) + "\n"


@dataclass(frozen=True)
class TomlBlock:
    """Tables that are added at the end of a TOML file, under a heading. When the host has rewritten
    the file since, `owns` recognises them, wherever they are.
    """

    path: PurePosixPath
    text: str
    owns: Owns

    def put(self, before: str | None) -> str:
        if before is None:
            return self._block
        value = loads(before)
        if holds(value, loads(self.text)):
            return before
        rest = self._without(before)
        if rest != before and HEADING not in before:
            raise ConflictError("has a part of what would be written")
        return self._append(rest)

    def take(self, before: str) -> str | None:
        if before == self._block:
            return None
        after = self._without(before)
        return after if after.strip() or not before.strip() else None

    @property
    def _block(self) -> str:
        return f"{HEADING}\n{self.text}"

    def _without(self, before: str) -> str:
        for newline in ("\n", "\r\n"):
            before = before.replace(("\n" + self._block).replace("\n", newline), "", 1)
        return cut(before, self.owns, HEADING)

    def _append(self, before: str) -> str:
        """The text with an empty line and the tables after it."""
        newline = "\r\n" if "\r\n" in before else "\n"
        after = before + ("\n" + self._block).replace("\n", newline)
        try:
            loads(after)
        except MalformedError:
            raise ConflictError("defines some of the same tables") from None
        return after
