"""The parts of a plug: own files, members of JSON files, tables of TOML files."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any, Protocol

from vouch_sidecar.surfaces.install.earlier import calling, is_known
from vouch_sidecar.surfaces.install.edit import add, drop
from vouch_sidecar.surfaces.install.errors import ConflictError, MalformedError
from vouch_sidecar.surfaces.install.jsonc import parse
from vouch_sidecar.surfaces.install.toml import Owns, cut, holds, loads

__all__ = ["JsonMember", "Keys", "OwnFile", "Piece", "TomlBlock"]

Keys = Sequence[str]
HEADING = "# vouch-sidecar"


class Piece(Protocol):
    """A change of one file that can be undone. Both methods raise `InstallError`; with `force`,
    what was changed by hand counts as what an earlier version wrote.
    """

    @property
    def path(self) -> PurePosixPath:
        """The file, relative to the base of a `Place`."""

    def calling(self, command: str) -> Piece:
        """The same with another command to start this program."""

    def put(self, before: str | None, *, force: bool = False) -> str | None:
        """The new text of a file; `before` is its text now. None stands for no file."""

    def take(self, before: str, *, force: bool = False) -> str | None:
        """The text of the file after removal; None to remove the file."""


@dataclass(frozen=True)
class OwnFile:
    """A file that only this plug writes."""

    path: PurePosixPath
    text: str

    def calling(self, command: str) -> Piece:
        return replace(self, text=calling(self.text, command))

    def put(self, before: str | None, *, force: bool = False) -> str:
        if before is not None:
            if self._read(before) == self._read(self.text):
                return before
            if not (force or is_known(self._read(before))):
                raise ConflictError("is there and is not what any version wrote (see --force)")
        return self.text

    def take(self, before: str, *, force: bool = False) -> str | None:
        if force or is_known(self._read(before)):
            return None
        raise ConflictError("was changed since it was written (see --force)")

    def _read(self, text: str) -> object:
        """What the file says: of JSON the value, however it is laid out."""
        if self.path.suffix == ".json":
            with suppress(MalformedError):
                return parse(text).value
        return text.replace("\r\n", "\n")


@dataclass(frozen=True)
class JsonMember:
    """A member of a JSON file. `where` gives its keys and value for what the file holds. Where no
    file is, the new one also gets the members of `beside`.
    """

    path: PurePosixPath
    where: Callable[[Any], tuple[Keys, Any]]
    beside: dict[str, Any] = field(default_factory=dict)

    def calling(self, command: str) -> Piece:
        def where(read: Any) -> tuple[Keys, Any]:
            keys, value = self.where(read)
            return keys, json.loads(calling(json.dumps(value), command))

        return replace(self, where=where)

    def put(self, before: str | None, *, force: bool = False) -> str:
        if before is None:
            return self._own(*self.where({}))
        return add(before, *self.where(parse(before).value), lambda v: force or is_known(v))

    def take(self, before: str, *, force: bool = False) -> str | None:
        whole = found = parse(before).value
        keys, value = self.where(whole)
        for key in keys:
            found = found.get(key) if isinstance(found, dict) else None
        own = self._own(keys, found)
        if before in (own, self._own(keys, value)) or (force and whole == json.loads(own)):
            return None
        return drop(before, keys, value, lambda v: force or is_known(v))

    def _own(self, keys: Keys, value: Any) -> str:
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

    def calling(self, command: str) -> Piece:
        return replace(self, text=calling(self.text, command))

    def put(self, before: str | None, *, force: bool = False) -> str:
        if before is None:
            return self._block
        value = loads(before)
        if holds(value, loads(self.text)):
            return before
        rest = self._without(before)
        if rest != before and HEADING not in before and not force:
            raise ConflictError("has a part of what would be written (see --force)")
        return self._append(rest)

    def take(self, before: str, *, force: bool = False) -> str | None:  # noqa: ARG002
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
