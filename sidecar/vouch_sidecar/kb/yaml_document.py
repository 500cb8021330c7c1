"""Reads YAML that a stranger may have written: YAML 1.1 as in vouch, bounded before anything walks
it.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import Any, NoReturn

import yaml
from yaml import ScalarNode
from yaml.constructor import SafeConstructor
from yaml.events import (
    AliasEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from vouch_sidecar.kb.records import Problem, Severity
from vouch_sidecar.kb.sanitize import shown_name

MAX_YAML = 1 << 20
MAX_DEPTH = 32
MAX_NODES = 20_000
"""The number of values a document may have: mappings, lists, keys and texts."""
MAX_PLAIN = 64
"""The digits and colons that a number may have; sexagesimal integers take quadratic time."""
MAX_REPEATED = 20
"""Keys given twice that are named."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_UNTAGGED = (None, "!")
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]"
)
LINE_END = re.compile(r"\r\n|\r|\n")
"""A line end of editors. YAML knows three more, and `str.splitlines` eight."""


class DocumentError(Exception):
    """The text is no document. `line` and `column` count from 1; the message does not echo the
    content.
    """

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


class YamlDocument:
    """A loaded document. Of a key that is given twice the last value counts, as in vouch."""

    def __init__(self, text: str) -> None:
        """Raises DocumentError, and nothing else, for any text."""
        self._text = text
        self._repeated: list[tuple[str, ...]] = []
        """The keys that are given twice, with those above them."""
        self._values = 0
        self._offsets: dict[tuple[str, ...], int] = {}
        _check(text)
        self._next = _Loader(text).get_event
        try:
            self.value = self._read()
        except yaml.YAMLError as error:
            _refuse(error, text)

    def place(self, path: Sequence[str]) -> tuple[int, int]:
        """Line and column of a value by its keys and indices, or of its deepest part that exists.

        Both count from 1.
        """
        parents = (tuple(path[:length]) for length in range(len(path), 0, -1))
        found = (self._offsets[each] for each in parents if each in self._offsets)
        return position(self._text, next(found, 0))

    def repeated(self, file: str) -> list[Problem]:
        """The problems of keys that are given twice, in the file with this path."""
        words, paths = "is given twice; the last one counts", self._repeated[:MAX_REPEATED]
        keys = [(shown_name(".".join(path)), self.place(path)) for path in paths]
        return [
            Problem(file, f"`{key}` {words}", Severity.WARNING, *place, key) for key, place in keys
        ]

    def _read(self) -> object:
        """The value of the only document. Nothing but texts, numbers, dates, lists and mappings is
        read: sets, binary data and merged mappings are refused, and so are aliases (`*name`), by
        which a short text expands to endless values; vouch writes none.
        """
        self._next()  # the stream begins
        if isinstance(self._next(), StreamEndEvent):
            return None
        value = self._value(self._next(), ())
        self._next()  # the document ends
        if not isinstance(other := self._next(), StreamEndEvent):
            raise self._error("the file holds a second document", other)
        return value

    def _value(self, event: Event, path: tuple[str, ...]) -> Any:
        self._values += 1
        if self._values > MAX_NODES:
            raise self._error(f"the file has more than {MAX_NODES} values", event)
        if isinstance(event, ScalarEvent):
            try:
                return _scalar(event)
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
                raise self._error(_UNFIT, event) from error
        if isinstance(event, AliasEvent):
            raise self._error("YAML aliases are not read", event)
        if len(path) >= MAX_DEPTH:
            raise self._error(f"the file is nested more than {MAX_DEPTH} levels deep", event)
        if isinstance(event, SequenceStartEvent) and event.tag in (*_UNTAGGED, f"{_TAG}seq"):
            return self._list(path)
        if isinstance(event, MappingStartEvent) and event.tag in (*_UNTAGGED, f"{_TAG}map"):
            return self._mapping(path)
        raise self._error(_UNFIT, event)

    def _list(self, path: tuple[str, ...]) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := self._next(), SequenceEndEvent):
            inside = (*path, str(len(items)))
            self._offsets[inside] = _offset_of(event)
            items.append(self._value(event, inside))
        return items

    def _mapping(self, path: tuple[str, ...]) -> dict[Hashable, Any]:
        mapping: dict[Hashable, Any] = {}
        while not isinstance(event := self._next(), MappingEndEvent):
            if not isinstance(event, ScalarEvent):
                raise self._error(_UNFIT, event)
            inside = (*path, event.value)
            self._offsets[inside] = _offset_of(event)
            name = self._value(event, inside)
            if name in mapping:
                self._repeated.append(inside)
            mapping[name] = self._value(self._next(), inside)
        return mapping

    def _error(self, message: str, event: Event) -> DocumentError:
        return DocumentError(message, *position(self._text, _offset_of(event)))


def decode(data: bytes) -> str:
    """The text of a file, without byte order mark. Raises DocumentError if it is not UTF-8."""
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        raise DocumentError("the file is not UTF-8", *position(before, len(before))) from error
    return text


def position(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, both from 1."""
    starts = line_starts(text)
    line = bisect_right(starts, offset)
    return line, offset - starts[line - 1] + 1


@lru_cache(maxsize=8)
def line_starts(text: str) -> list[int]:
    """The offsets of lines as editors have them."""
    return [0, *(end.end() for end in LINE_END.finditer(text))]


def front_matter_end(text: str) -> int:
    """The offset of the line end before the last line of a page's front matter, by vouch's rule; -1
    where there is none. The text has LF line ends.
    """
    return text.find("\n---", 4) if text.startswith("---\n") else -1


def split_page(text: str) -> tuple[str, str]:
    """Front matter and body of a page, with LF line ends."""
    text = text.replace("\r\n", "\n")
    if (end := front_matter_end(text)) < 0:
        raise DocumentError("the page has no front matter between two lines of ---")
    return text[4:end], text[end + 4 :].removeprefix("\n")


def _check(text: str) -> None:
    """Refuses a text that is too long, or holds a character that YAML does not allow."""
    if len(text) > MAX_YAML:
        raise DocumentError(f"the YAML is larger than {MAX_YAML // 1024} KiB")
    if odd := _UNPRINTABLE.search(text):
        where = position(text, odd.start())
        raise DocumentError(f"character U+{ord(odd.group()):04X} is not allowed in YAML", *where)


_UNFIT = "a value does not fit its type"


def _refuse(error: yaml.YAMLError, text: str) -> NoReturn:
    """Says where, at the last value at most, and what, without the excerpt that PyYAML adds."""
    if not isinstance(error, yaml.MarkedYAMLError):
        raise DocumentError("the file is no YAML") from error
    mark = error.problem_mark or error.context_mark
    where = position(text, min(mark.index, len(text.rstrip()))) if mark is not None else (1, 1)
    problem = " ".join((error.problem or "").split())[:120]
    raise DocumentError(f"no valid YAML: {problem or 'unreadable'}", *where) from error


def _offset_of(event: Event) -> int:
    mark = event.start_mark
    assert mark is not None, "events of a text have a place"
    return mark.index


def _scalar(event: ScalarEvent) -> Any:
    """A text, a number, a date, a truth value or nothing, as YAML 1.1 reads them."""
    tag, value = event.tag, event.value
    if tag not in _UNTAGGED:
        return _tagged(tag, value)
    if not event.implicit[0]:  # in quotes
        return value
    return _short(value) if len(value) <= MAX_PLAIN else _plain(value)


def _tagged(tag: str, value: str) -> Any:
    if tag in _NUMBERS and len(value) > MAX_PLAIN:
        raise ValueError("a number too long")
    return _SCALARS[tag](_constructor, ScalarNode(tag, value))


def _plain(value: str) -> Any:
    """What a text without quotes and tag stands for."""
    return _tagged(_resolver.resolve(ScalarNode, value, (True, False)), value)


_short = lru_cache(maxsize=4096)(_plain)
"""Remembers short ones: most repeat in every file."""
_resolver: Any = yaml.resolver.Resolver()
_constructor = SafeConstructor()
_NUMBERS = (f"{_TAG}int", f"{_TAG}float")
_SCALARS: dict[str, Any] = {
    tag: SafeConstructor.yaml_constructors[tag]
    for tag in (*_NUMBERS, *(f"{_TAG}{name}" for name in ("str", "null", "bool", "timestamp")))
}
