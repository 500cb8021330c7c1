"""Edits of an integration: files of our own, members of JSON files, tables of TOML files.

A file that others use, too, is only created. If it exists, users get a snippet to paste; our part
in it is updated and removed.
"""

from __future__ import annotations

import dataclasses
import json
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Protocol

from vouch_sidecar.surfaces.install.jsonc import Keys, find, parse, replace, without
from vouch_sidecar.surfaces.install.known_versions import calling, is_known
from vouch_sidecar.surfaces.install.project_files import ConflictError, MalformedError
from vouch_sidecar.surfaces.install.toml import Owns, cut, holds, loads

HEADING = "# vouch-sidecar"


@dataclass(frozen=True, slots=True)
class Paste:
    """A text that the user has to add to a file by hand."""

    text: str


class Edit(Protocol):
    """A reversible change of one file. `put` and `take` raise `InstallError`. With `force` they
    also replace, or remove, parts that were changed by hand.
    """

    @property
    def path(self) -> PurePosixPath:
        """The file, relative to the base of a `Location`."""

    def calling(self, command: str) -> Edit:
        """A copy with another command to start this program."""

    def put(self, before: str | None, *, force: bool = False) -> str | Paste | None:
        """The file's new text, or what to paste; `before` is its current text. None: no file."""

    def take(self, before: str, *, force: bool = False) -> str | None:
        """The file's text without our part; None to remove the file."""


@dataclass(frozen=True)
class OwnFile:
    """A file that belongs to this integration alone."""

    path: PurePosixPath
    text: str

    def calling(self, command: str) -> Edit:
        return dataclasses.replace(self, text=calling(self.text, command))

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
        """The content to compare: the value of JSON, else the text with LF line ends."""
        if self.path.suffix == ".json":
            with suppress(MalformedError):
                return parse(text).value
        return text.replace("\r\n", "\n")


@dataclass(frozen=True)
class JsonMember:
    """A value at `keys` in a JSON file. A new file also gets the top-level members in `beside`."""

    path: PurePosixPath
    keys: Keys
    value: Any
    beside: dict[str, Any] = field(default_factory=dict)

    def calling(self, command: str) -> Edit:
        value = json.loads(calling(json.dumps(self.value), command))
        return dataclasses.replace(self, value=value)

    def put(self, before: str | None, *, force: bool = False) -> str | Paste:
        if before is None:
            return _json({**self._nested(self.value), **self.beside})
        if not (path := find(before, self.keys)):
            return Paste(_json(self._nested(self.value)))
        found = path[-1][1].node.value
        if found == self.value:
            return before
        self._check(found, force)
        return replace(before, path, self.value)

    def take(self, before: str, *, force: bool = False) -> str | None:
        if not (path := find(before, self.keys)):
            return before
        found = path[-1][1].node.value
        self._check(found, force)
        ours = self._nested(found)
        if path[0][0].value in (ours, {**ours, **self.beside}):
            return None
        return without(before, path)

    def _check(self, found: object, force: bool) -> None:
        if not (force or found == self.value or is_known(found)):
            raise ConflictError(f"has another {'.'.join(self.keys)} (see --force)")

    def _nested(self, value: Any) -> dict[str, Any]:
        for key in reversed(self.keys):
            value = {key: value}
        nested: dict[str, Any] = value
        return nested


@dataclass(frozen=True)
class TomlTables:
    """Tables of a TOML file, under a heading. Every complete installation has a table at `keys`.
    `owns` recognises tables of any version, even if the host has moved them.
    """

    path: PurePosixPath
    text: str
    keys: Keys
    owns: Owns

    def calling(self, command: str) -> Edit:
        return dataclasses.replace(self, text=calling(self.text, command))

    def put(self, before: str | None, *, force: bool = False) -> str | Paste:
        if before is None:
            return f"{HEADING}\n{self.text}"
        found: Any = loads(before)
        if holds(found, loads(self.text)):
            return before
        rest = self._without(before)
        for key in self.keys:
            found = found.get(key) if isinstance(found, dict) else None
        if rest == before:
            if found is not None:
                raise ConflictError(f"has another {'.'.join(self.keys)}")
            return Paste(self.text)
        if found is None and not force:
            raise ConflictError("has a part of what would be written (see --force)")
        newline = "\r\n" if "\r\n" in before else "\n"
        gap = "\n" if rest else ""
        after = rest + f"{gap}{HEADING}\n{self.text}".replace("\n", newline)
        loads(after)
        return after

    def take(self, before: str, *, force: bool = False) -> str | None:  # noqa: ARG002
        after = self._without(before)
        return after if after.strip() or after == before else None

    def _without(self, before: str) -> str:
        """The text without the block as we wrote it, and without tables that `owns` recognises."""
        for newline in ("\n", "\r\n"):
            before = before.replace(f"\n{HEADING}\n{self.text}".replace("\n", newline), "", 1)
        return cut(before, self.owns, HEADING)


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2) + "\n"
