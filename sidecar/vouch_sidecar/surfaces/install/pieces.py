"""The parts of a plug: own files, members of JSON files, tables of TOML files."""

from __future__ import annotations

import json
from collections.abc import Sequence
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
    """A change of one file that can be undone. `put` and `take` raise `InstallError`. With `force`
    they also replace, or remove, what was changed by hand.
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
    """A value below `keys` in a JSON file. Where there is no file yet, the new one also gets the
    members of `beside`.
    """

    path: PurePosixPath
    keys: Keys
    value: Any
    beside: dict[str, Any] = field(default_factory=dict)

    def calling(self, command: str) -> Piece:
        return replace(self, value=json.loads(calling(json.dumps(self.value), command)))

    def put(self, before: str | None, *, force: bool = False) -> str:
        if before is None:
            return self._whole_file(self.value)
        return add(before, self.keys, self.value, lambda v: force or is_known(v))

    def take(self, before: str, *, force: bool = False) -> str | None:
        whole = found = parse(before).value
        for key in self.keys:
            found = found.get(key) if isinstance(found, dict) else None
        as_found = self._whole_file(found)
        is_ours = before in (as_found, self._whole_file(self.value))
        if is_ours or (force and whole == json.loads(as_found)):
            return None
        return drop(before, self.keys, self.value, lambda v: force or is_known(v))

    def _whole_file(self, value: Any) -> str:
        for key in reversed(self.keys):
            value = {key: value}
        return json.dumps({**value, **self.beside}, indent=2) + "\n"


@dataclass(frozen=True)
class TomlBlock:
    """Tables that are added at the end of a TOML file, under a heading. `earlier` is what the
    version before wrote; `owns` recognises either where the host has rewritten the file.
    """

    path: PurePosixPath
    text: str
    earlier: str
    owns: Owns

    def calling(self, command: str) -> Piece:
        text, earlier = (calling(one, command) for one in (self.text, self.earlier))
        return replace(self, text=text, earlier=earlier)

    def put(self, before: str | None, *, force: bool = False) -> str:
        if before is None:
            return _headed(self.text)
        value = loads(before)
        if holds(value, loads(self.text)):
            return before
        rest = self._without(before)
        is_whole = HEADING in before or holds(value, loads(self.earlier))
        if rest != before and not is_whole and not force:
            raise ConflictError("has a part of what would be written (see --force)")
        return self._append(rest) if rest else _headed(self.text)

    def take(self, before: str, *, force: bool = False) -> str | None:  # noqa: ARG002
        if before == _headed(self.text):
            return None
        after = self._without(before)
        return after if after.strip() or not before.strip() else None

    def _without(self, before: str) -> str:
        for text in (self.text, self.earlier):
            for newline in ("\n", "\r\n"):
                before = before.replace(("\n" + _headed(text)).replace("\n", newline), "", 1)
        return cut(before, self.owns, HEADING)

    def _append(self, before: str) -> str:
        """The text, an empty line, and the tables."""
        newline = "\r\n" if "\r\n" in before else "\n"
        after = before + ("\n" + _headed(self.text)).replace("\n", newline)
        try:
            loads(after)
        except MalformedError:
            raise ConflictError("defines some of the same tables") from None
        return after


def _headed(text: str) -> str:
    return f"{HEADING}\n{text}"
