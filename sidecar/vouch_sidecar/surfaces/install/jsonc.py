"""Reads JSON with comments and trailing commas, and where in the text the members of objects are.

Not with a library: json-five keeps comments byte for byte, but its module `json5` overwrites that
of the package json5, which many environments have.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from vouch_sidecar.surfaces.install.errors import MalformedError

__all__ = ["Member", "Node", "parse"]

BLANK = " \t\r\n\ufeff"
_STRING = r'("(?:[^"\\]|\\.)*")'
_COMMENT = re.compile(_STRING + r"|^\ufeff|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_TRAILING = re.compile(_STRING + r"|,(?=[ \t\r\n]*[\]}])", re.DOTALL)
_KEY = re.compile(rf"[ \t\r\n]*{_STRING}[ \t\r\n]*:[ \t\r\n]*", re.DOTALL)
_COMMA = re.compile(r"[ \t\r\n]*,")


@dataclass(slots=True)
class Node:
    """A value, from `start` to `end` in the text. Objects have `members`, in order. `last` is where
    the last value, comma or comment inside an object ends; in an empty one, where the inside
    begins.
    """

    start: int
    end: int
    value: Any
    members: list[Member]
    last: int

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
    comma: int | None


def parse(text: str) -> Node:
    """The value that a text holds. Raises `MalformedError`."""
    try:
        return _Reader(text).whole()
    except json.JSONDecodeError as error:
        raise MalformedError(f"line {error.lineno}: {error.msg}") from None
    except (ValueError, RecursionError):  # a number that JSON does not have, or nested too deeply
        raise MalformedError("is not JSON") from None


class _Reader:
    """Two copies of the text, with the same offsets: without comments, and then also without
    trailing commas, which Python's own decoder reads.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._commented_out = _COMMENT.sub(_spaces, text)
        self._strict = _TRAILING.sub(_spaces, self._commented_out)
        self._decoder = json.JSONDecoder(parse_constant=_refuse)

    def whole(self) -> Node:
        node = self._node(len(self._strict) - len(self._strict.lstrip(BLANK)))
        if self._strict[node.end :].strip(BLANK):
            raise json.JSONDecodeError("more than one value", self._strict, node.end)
        return node

    def _node(self, start: int) -> Node:
        value, end = self._decoder.raw_decode(self._strict, start)
        if not isinstance(value, dict):
            return Node(start, end, value, [], end)
        return Node(start, end, value, list(self._members(start + 1)), self._ends(start, end - 1))

    def _members(self, inside: int) -> Iterator[Member]:
        """The members of an object that the decoder has read, from the place after its brace on."""
        at = inside
        while key := _KEY.match(self._commented_out, at):
            start, node = key.start(1), self._node(key.end())
            comma = _COMMA.match(self._commented_out, node.end)
            place = None if comma is None else comma.end() - 1
            yield Member(json.loads(key[1]), start, self._ends(inside - 1, start), node, place)
            at = node.end if comma is None else comma.end()

    def _ends(self, brace: int, at: int) -> int:
        """Where that ends which stands before a place in an object: white space is left out."""
        return brace + len(self._text[brace:at].rstrip(BLANK))


def _spaces(found: re.Match[str]) -> str:
    """As much white space as was found, with its lines; a string stays as it is."""
    return found[1] or re.sub(r"[^\r\n]", " ", found[0])


def _refuse(constant: str) -> None:
    raise ValueError(constant)
