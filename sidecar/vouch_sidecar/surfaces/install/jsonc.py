"""Reads JSON with comments and trailing commas; replaces and removes members of objects and keeps
all other bytes.

We use no library: json-five keeps comments, too, but its module `json5` overwrites that of the
common package json5.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from vouch_sidecar.surfaces.install.project_files import ConflictError, MalformedError

Keys = Sequence[str]

BLANK = " \t\r\n\ufeff"
_STRING = r'("(?:[^"\\]|\\.)*")'
_COMMENT = re.compile(_STRING + r"|^\ufeff|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_TRAILING = re.compile(_STRING + r"|,(?=[ \t\r\n]*[\]}])", re.DOTALL)
_KEY = re.compile(rf"[ \t\r\n]*{_STRING}[ \t\r\n]*:[ \t\r\n]*", re.DOTALL)
_COMMA = re.compile(r"[ \t\r\n]*,")


@dataclass(slots=True)
class JsonNode:
    """A value, at offsets `start` to `end` of the text. Objects have `members`, in order."""

    start: int
    end: int
    value: Any
    members: list[Member]


@dataclass(slots=True)
class Member:
    """A key at offset `start`, and its value. `before`: the end of the value, comma, comment or
    brace before the key. `comma`: the offset of the comma after the value.
    """

    key: str
    start: int
    before: int
    node: JsonNode
    comma: int | None


def parse(text: str) -> JsonNode:
    """The value of a text. Raises `MalformedError`."""
    try:
        return _JsonReader(text).whole()
    except json.JSONDecodeError as error:
        raise MalformedError(f"line {error.lineno}: {error.msg}") from None
    except (ValueError, RecursionError):  # a number that JSON does not have, or nested too deeply
        raise MalformedError("is not JSON") from None


def find(text: str, keys: Keys) -> list[tuple[JsonNode, Member]]:
    """The objects and members on the path to the value at `keys`; [] if it does not exist.

    Raises `MalformedError`, and `ConflictError` if a value on the path is no object.
    """
    node, path = parse(text), list[tuple[JsonNode, Member]]()
    for depth, key in enumerate(keys):
        if not isinstance(node.value, dict):
            raise ConflictError(f"has a {'.'.join(keys[:depth]) or 'text'} that is no object")
        found = [member for member in node.members if member.key == key]
        if len(found) > 1:
            raise ConflictError(f"has {key} twice")
        if not found:
            return []
        path.append((node, found[0]))
        node = found[0].node
    return path


def replace(text: str, path: Sequence[tuple[JsonNode, Member]], value: Any) -> str:
    """The text with the value at the end of a path replaced."""
    _, member = path[-1]
    before = text[member.node.start : member.node.end]
    after = json.dumps(value)
    if "\n" in before:
        line = text[text.rfind("\n", 0, member.start) + 1 : member.start]
        indent = line[: len(line) - len(line.lstrip())]
        newline = "\r\n" if "\r\n" in before else "\n"
        after = (newline + indent).join(json.dumps(value, indent=2).split("\n"))
    return text[: member.node.start] + after + text[member.node.end :]


def without(text: str, path: Sequence[tuple[JsonNode, Member]]) -> str:
    """The text without the member at the end of a path, and without objects left empty by this."""
    depth = len(path) - 1
    while depth and _is_alone(text, *path[depth]):
        depth -= 1
    node, member = path[depth]
    expected = deepcopy(path[0][0].value)
    below = expected
    for _, above in path[:depth]:
        below = below[above.key]
    del below[member.key]
    for start in (member.before, member.start):  # `member.start` works after a line comment
        cut = _cut(text, node, member, start)
        with suppress(MalformedError):
            if parse(cut).value == expected:
                return cut
    raise MalformedError("can't be changed safely")


def _is_alone(text: str, node: JsonNode, member: Member) -> bool:
    """Whether an object contains only this member, and no comment."""
    end = member.node.end if member.comma is None else member.comma + 1
    others = text[node.start + 1 : member.start] + text[end : node.end - 1]
    return len(node.members) == 1 and not others.strip()


def _cut(text: str, node: JsonNode, member: Member, start: int) -> str:
    """The text without a member, cut from `start` on, and without one of the adjacent commas."""
    at = node.members.index(member)
    previous = node.members[at - 1] if at else None
    end = member.node.end if member.comma is None else member.comma + 1
    cut = text[:start] + text[end:]
    if member.comma is None and previous is not None and previous.comma is not None:
        cut = cut[: previous.comma] + cut[previous.comma + 1 :]
    return cut


class _JsonReader:
    """Parses with Python's decoder, from a copy of the text in which comments and trailing commas
    are blanked out, so that offsets stay the same.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._without_comments = _COMMENT.sub(_spaces, text)
        self._strict = _TRAILING.sub(_spaces, self._without_comments)
        self._decoder = json.JSONDecoder(parse_constant=_refuse)

    def whole(self) -> JsonNode:
        node = self._node(len(self._strict) - len(self._strict.lstrip(BLANK)))
        if self._strict[node.end :].strip(BLANK):
            raise json.JSONDecodeError("more than one value", self._strict, node.end)
        return node

    def _node(self, start: int) -> JsonNode:
        value, end = self._decoder.raw_decode(self._strict, start)
        if not isinstance(value, dict):
            return JsonNode(start, end, value, [])
        return JsonNode(start, end, value, list(self._members(start + 1)))

    def _members(self, inside: int) -> Iterator[Member]:
        """The members of a valid object; `inside` is the offset after its opening brace."""
        at = inside
        while key := _KEY.match(self._without_comments, at):
            start, node = key.start(1), self._node(key.end())
            comma = _COMMA.match(self._without_comments, node.end)
            place = None if comma is None else comma.end() - 1
            yield Member(json.loads(key[1]), start, self._ends(inside - 1, start), node, place)
            at = node.end if comma is None else comma.end()

    def _ends(self, brace: int, at: int) -> int:
        """The end of the text before offset `at` in an object, without trailing white space."""
        return brace + len(self._text[brace:at].rstrip(BLANK))


def _spaces(found: re.Match[str]) -> str:
    """Blanks a match out with spaces, line breaks kept; a string stays unchanged."""
    return found[1] or re.sub(r"[^\r\n]", " ", found[0])


def _refuse(constant: str) -> None:
    raise ValueError(constant)
