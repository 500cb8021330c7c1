"""Reads YAML that a stranger may have written: YAML 1.1 as in vouch, bounded before anything walks
it.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NoReturn

import yaml

from vouch_sidecar.kb.records import Problem

MAX_YAML = 1 << 20
MAX_DEPTH = 32
MAX_NODES = 20_000
"""The number of values a document may have: mappings, lists, keys and texts."""
MAX_PLAIN = 64
"""The digits and colons that a number may have; sexagesimal integers take quadratic time."""

MAX_REPEATED = 20
"""Keys given twice that are noted for one document."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TEXT = "tag:yaml.org,2002:str"
_MAP, _LIST = "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]"
)
_LINE_END = re.compile(r"\r\n|\r|\n")


class DocumentError(Exception):
    """The text is no document. `line` and `column` count from 1; the message does not echo the
    content.
    """

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """A loaded document. `repeated`: name, line and column of keys given twice."""

    value: object
    repeated: tuple[tuple[str, int, int], ...] = ()
    _node: Any = None

    def place(self, path: Sequence[str]) -> tuple[int, int]:
        """Line and column of a value by its keys and indices, or of its deepest part that exists.

        Both count from 1.
        """
        node, mark = self._node, None
        for step in path:
            deeper = _child(node, step)
            if deeper is None:
                break
            mark, node = deeper
        return (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)


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
    line, start = 1, 0
    for end in _LINE_END.finditer(text, 0, offset):
        line, start = line + 1, end.end()
    return line, offset - start + 1


def split_page(text: str) -> tuple[str, str]:
    """Front matter and body of a page, with LF line ends, by vouch's rule."""
    text = text.replace("\r\n", "\n")
    end = text.find("\n---", 4) if text.startswith("---\n") else -1
    if end < 0:
        raise DocumentError("the page has no front matter between two lines of ---")
    return text[4:end], text[end + 4 :].removeprefix("\n")


def load(text: str) -> YamlDocument:
    """Reads one document. Raises DocumentError, and nothing else, for any text."""
    _check(text)
    loader = _BoundedLoader(text)
    try:
        _refuse_aliases(text)
        node = loader.get_single_node()
        value = None if node is None else loader.construct(node)
    except yaml.YAMLError as error:
        _refuse(error)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise DocumentError("a value does not fit its type") from error
    finally:
        loader.dispose()
    return YamlDocument(value, tuple(loader.repeated), node)


def _child(node: Any, step: str) -> tuple[Any, Any] | None:
    """The node of a key or an element, whose place counts, and the node to go on from."""
    if isinstance(node, yaml.MappingNode):
        for key, value in reversed(node.value):
            if isinstance(key, yaml.ScalarNode) and key.value == step:
                return key.start_mark, value
    if isinstance(node, yaml.SequenceNode) and step.isdecimal() and int(step) < len(node.value):
        element = node.value[int(step)]
        return element.start_mark, element
    return None


def _check(text: str) -> None:
    """Refuses a text that is too long, or holds a character that YAML does not allow."""
    if len(text) > MAX_YAML:
        raise DocumentError(f"the YAML is larger than {MAX_YAML // 1024} KiB")
    if odd := _UNPRINTABLE.search(text):
        where = position(text, odd.start())
        raise DocumentError(f"character U+{ord(odd.group()):04X} is not allowed in YAML", *where)


def _refuse_aliases(text: str) -> None:
    """Refuses aliases (`*name`), by which a short text expands to endless values. vouch writes
    none. An anchor (`&name`) without an alias is harmless.
    """
    if "*" not in text:
        return
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent):
            mark = event.start_mark
            assert mark is not None, "events of a text have a place"
            raise DocumentError("YAML aliases are not read", mark.line + 1, mark.column + 1)


def _refuse(error: yaml.YAMLError) -> NoReturn:
    """Says where and what, without the excerpt that PyYAML adds."""
    if not isinstance(error, yaml.MarkedYAMLError):
        raise DocumentError("the file is no YAML") from error
    mark = error.problem_mark or error.context_mark
    where = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    if isinstance(error, yaml.constructor.ConstructorError):
        raise DocumentError("a value does not fit its type", *where) from error
    problem = " ".join((error.problem or "").split())[:120]
    raise DocumentError(f"no valid YAML: {problem or 'unreadable'}", *where) from error


class _BoundedLoader(_Loader):  # type: ignore[misc]
    """The safe loader, which notes keys given twice and refuses what is too deep or too much."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.repeated: list[tuple[str, int, int]] = []
        self._nodes = 0
        self._depth = 0

    def descend_resolver(self, current_node: Any, current_index: Any) -> None:  # noqa: ARG002
        """Count a node before it is made, and refuse what is too deep or too much."""
        self._nodes += 1
        self._depth += 1
        if self._depth > MAX_DEPTH:
            fault = f"the file is nested more than {MAX_DEPTH} levels deep"
        elif self._nodes > MAX_NODES:
            fault = f"the file has more than {MAX_NODES} values"
        else:
            return
        mark = current_node.start_mark
        raise DocumentError(fault, mark.line + 1, mark.column + 1)

    def ascend_resolver(self) -> None:
        """Leave a node."""
        self._depth -= 1

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
        """The tag of a node without one, remembered for short texts: most repeat in every file."""
        if kind is not yaml.ScalarNode:
            return _MAP if kind is yaml.MappingNode else _LIST
        if not implicit[0]:
            return _TEXT
        return _tag_of(value) if len(value) <= MAX_PLAIN else _untold_tag(value)

    def construct(self, node: Any) -> Any:
        """The value of a node: a text, a number, a date, a list or a mapping. Nothing else is read:
        sets, binary data and merged mappings are refused. A key that is given twice is noted, of
        twenty at most.
        """
        tag, made_of = node.tag, type(node)
        if made_of is yaml.ScalarNode and tag in _SCALARS:
            return _SCALARS[tag](self, node)
        if made_of is yaml.SequenceNode and tag == _LIST:
            return [self.construct(item) for item in node.value]
        if made_of is not yaml.MappingNode or tag != _MAP:
            raise yaml.constructor.ConstructorError(None, None, "unusual", node.start_mark)
        mapping: dict[Hashable, Any] = {}
        for key, value in node.value:
            name = self.construct(key)
            if name in mapping and len(self.repeated) < MAX_REPEATED:
                mark = key.start_mark
                self.repeated.append((key.value[:60], mark.line + 1, mark.column + 1))
            mapping[name] = self.construct(value)
        return mapping

    def text(self, node: yaml.ScalarNode) -> object:
        """A text as it stands."""
        return node.value

    def bounded_number(self, node: yaml.ScalarNode) -> object:
        """An integer or a float, as YAML 1.1 reads them."""
        if len(node.value) > MAX_PLAIN:
            raise yaml.constructor.ConstructorError(
                None, None, "a number too long", node.start_mark
            )
        kind = node.tag.rsplit(":", 1)[-1]
        read = self.construct_yaml_int if kind == "int" else self.construct_yaml_float
        return read(node)


_resolver: Any = yaml.resolver.Resolver()


def _untold_tag(value: str) -> Any:
    return _resolver.resolve(yaml.ScalarNode, value, (True, False))


_tag_of = lru_cache(maxsize=4096)(_untold_tag)
_SCALARS: dict[str, Any] = {
    _TEXT: _BoundedLoader.text,
    **{
        tag: _BoundedLoader.yaml_constructors[tag]
        for tag in (f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "timestamp"))
    },
    **dict.fromkeys(
        (f"tag:yaml.org,2002:{name}" for name in ("int", "float")), _BoundedLoader.bounded_number
    ),
}


def placed(problems: Iterable[Problem], data: bytes) -> tuple[Problem, ...]:
    """The problems of a file, each moved to a place that the file has."""
    given = tuple(problems)
    if all(problem.line == problem.column == 1 for problem in given):
        return given
    text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")
    lines = _LINE_END.split(text)
    return tuple(_placed(problem, lines) for problem in given)


def _placed(problem: Problem, lines: Sequence[str]) -> Problem:
    """A problem, moved to the end of the last line if its place is beyond that."""
    last = len(lines)
    while last > 1 and not lines[last - 1].strip():
        last -= 1
    line, column = problem.line, problem.column
    if line > last:
        line, column = last, len(lines[last - 1]) + 1
    before = lines[line - 1][: column - 1]
    column = len(before) + 1
    if before.isascii():
        return replace(problem, line=line, column=column)
    utf8 = len(before.encode("utf-8", "replace")) - len(before)
    utf16 = len(before.encode("utf-16-le", "replace")) // 2 - len(before)
    return replace(problem, line=line, column=column, wider=(utf8, utf16))
