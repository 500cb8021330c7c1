"""Reads JSON with comments and trailing commas, and where in the text everything is.

By hand: json-five keeps comments byte for byte, but its module `json5` overwrites that of the
package json5, which many environments have.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from vouch_sidecar.surfaces.install.errors import MalformedError

__all__ = ["Member", "Node", "parse"]

MAX_DEPTH = 200
_BLANK = re.compile(r"[ \t\r\n\ufeff]+")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_ATOM = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")


@dataclass(slots=True)
class Node:
    """A value, from `start` to `end` in the text. `last` is where the last value, comma or comment
    inside it ends; of an empty one, where the inside begins. Objects have `members`, in order.
    """

    start: int
    end: int = 0
    value: Any = None
    last: int = 0
    members: list[Member] = field(default_factory=list)

    @property
    def is_object(self) -> bool:
        return isinstance(self.value, dict)

    def named(self, key: str) -> list[Member]:
        return [member for member in self.members if member.key == key]


@dataclass(slots=True)
class Member:
    """A key at `start`, and its value. `before` is where the value, comma, comment or brace in
    front of it ends; `comma` is the place of the comma after it.
    """

    key: str
    start: int
    before: int
    node: Node
    comma: int | None = None


def parse(text: str) -> Node:
    """The value that a text holds. Raises `MalformedError`."""
    reader = _Reader(text)
    reader.blank()
    node = reader.value(0)
    reader.blank()
    if reader.at != len(text):
        raise reader.problem("more than one value")
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self.at = 0
        self._last = 0

    def problem(self, message: str) -> MalformedError:
        line = self._text.count("\n", 0, self.at) + 1
        return MalformedError(f"line {line}: {message}")

    def blank(self) -> None:
        """Skip white space and comments. `_last` moves behind comments."""
        while True:
            if found := _BLANK.match(self._text, self.at):
                self.at = found.end()
            elif found := _COMMENT.match(self._text, self.at):
                self.at = self._last = found.end()
            else:
                return

    def value(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.problem("nested too deeply")
        opening = self._text[self.at : self.at + 1]
        if opening == "{":
            return self._object(depth)
        if opening == "[":
            return self._array(depth)
        node = Node(self.at)
        node.value = self._string() if opening == '"' else self._atom()
        node.end = self._last = self.at
        return node

    def _object(self, depth: int) -> Node:
        node = Node(self.at, value={})
        self._step()
        while True:
            self.blank()
            if self._take("}"):
                return self._closed(node)
            if node.members and node.members[-1].comma is None:
                raise self.problem("a comma is missing")
            member = Member("", self.at, self._last, node)
            member.key = self._string()
            self.blank()
            if not self._take(":"):
                raise self.problem("a colon is missing")
            self.blank()
            member.node = self.value(depth + 1)
            node.members.append(member)
            node.value[member.key] = member.node.value
            self.blank()
            if self._take(","):
                member.comma = self.at - 1
                self._last = self.at

    def _array(self, depth: int) -> Node:
        node = Node(self.at, value=[])
        self._step()
        more = True
        while True:
            self.blank()
            if self._take("]"):
                return self._closed(node)
            if not more:
                raise self.problem("a comma is missing")
            node.value.append(self.value(depth + 1).value)
            self.blank()
            more = self._take(",")

    def _step(self) -> None:
        self.at += 1
        self._last = self.at

    def _closed(self, node: Node) -> Node:
        node.last = self._last
        node.end = self._last = self.at
        return node

    def _take(self, char: str) -> bool:
        if not self._text.startswith(char, self.at):
            return False
        self.at += 1
        return True

    def _string(self) -> str:
        found = _STRING.match(self._text, self.at)
        if found is None:
            raise self.problem("a string or a value is missing")
        try:
            value = json.loads(found[0])
        except ValueError:
            raise self.problem("a string is malformed") from None
        self.at = found.end()
        return str(value)

    def _atom(self) -> object:
        found = _ATOM.match(self._text, self.at)
        if found is None:
            raise self.problem("a value is missing")
        self.at = found.end()
        return json.loads(found[0])
