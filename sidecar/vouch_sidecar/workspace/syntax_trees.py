"""Finds where a file of code defines names, with tree-sitter. The extra `code` brings the grammars.

A hostile file can take a parser minutes: only `parser_process` calls this.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Language, Node

MAX_PLACES = 200
"""Places of one name in one file that are read."""
GRAMMARS = {
    "tree_sitter_python.language": "py pyi",
    "tree_sitter_javascript.language": "js jsx mjs cjs",
    "tree_sitter_typescript.language_typescript": "ts mts cts",
    "tree_sitter_typescript.language_tsx": "tsx",
    "tree_sitter_go.language": "go",
    "tree_sitter_rust.language": "rs",
    "tree_sitter_java.language": "java",
    "tree_sitter_kotlin.language": "kt kts",
    "tree_sitter_swift.language": "swift",
    "tree_sitter_ruby.language": "rb rake",
    "tree_sitter_c.language": "c",
    "tree_sitter_cpp.language": "h cc cpp cxx hh hpp hxx",
    "tree_sitter_c_sharp.language": "cs",
}
"""By the function that gives a grammar, the endings of its files."""
_BY_ENDING = {ending: name for name, endings in GRAMMARS.items() for ending in endings.split()}
_DEFINING = re.compile(
    r"(?:definition|declaration|declarator|assignment|_item|_spec|_def|_signature"
    r"|(?:struct|class|union|enum)_specifier)$|^(?:enum_body|method_elem|method|singleton_method|class|module)$"
)
_NOT = re.compile(r"parameter|import|local|package")
_VALUE = re.compile(r"declarator|assignment|field|property|_spec|variable|enum_body")
_WRAPPING = ("qualified_identifier", "scope_resolution", "pattern", "pointer_declarator")
"""Types of nodes between a name and the node that defines it."""
_FUNCTIONS = ("function_definition", "field_declaration")
_VARIABLES = ("variable_declarator", "var_spec", "const_spec", "property_declaration")
"""Types of nodes that define variables, of a function or of the file."""
_WITH_LOCALS = re.compile(r"function|method|func_literal|lambda|closure|constructor")
_SCOPES = frozenset({"module", "class_definition", "program", "class"})
_ATTRIBUTES = ("attribute", "member_expression")
_OWN = (b"self", b"this", b"cls")
"""The object whose attribute a method defines by assigning to it."""
_TOKEN = re.compile(rb"[\w$\x80-\xff]++")
MAX_NODES_AROUND = 1_000
"""Nodes around a place that is looked at. What lies deeper is data."""
MOST_ABOVE = 5
"""Of these, so many are looked at, the nearest."""
_WITH_BODY = re.compile(r"(?:struct|class|union|enum)_specifier$")


class Defined(NamedTuple):
    """A definition, with its first and last line, from 1. `is_value`: of a variable, field or
    attribute, not of a function or type.
    """

    line: int
    end: int
    is_value: bool = False


@cache
def is_available() -> bool:
    """Whether the extra `code` is installed."""
    return find_spec("tree_sitter") is not None and find_spec("tree_sitter_python") is not None


def has_grammar(ending: str) -> bool:
    """Whether files with this ending can be parsed."""
    return is_available() and ending.lower() in _BY_ENDING


def definitions(data: bytes, ending: str, words: Iterable[str]) -> dict[str, list[Defined]] | None:
    """The places that define each word, in order; None where the grammar is missing. Takes as long
    as it takes.
    """
    language = _language(_BY_ENDING[ending.lower()])
    if language is None:
        return None
    from tree_sitter import Parser

    root = Parser(language).parse(data).root_node
    by_name: dict[str, list[Defined]] = {}
    for word, places in _places(data, words).items():
        for at in places:
            around = _around(root, at, at + len(word))
            defined = _defined(around) if around else None
            if defined is not None:
                by_name.setdefault(word, []).append(defined)
    return by_name


def _places(data: bytes, words: Iterable[str]) -> dict[str, list[int]]:
    """Where whole words stand, the first `MAX_PLACES` of each; options are no words of code."""
    places: dict[str, list[int]] = {word: [] for word in words}
    for token in _TOKEN.finditer(data):
        there = places.get(token[0].decode("utf-8", "replace"))
        if there is not None and len(there) < MAX_PLACES:
            there.append(token.start())
    return places


def _around(root: Node, start: int, end: int) -> list[Node]:
    """The last named node that holds a range of bytes, and the `MOST_ABOVE` nodes above it, the
    nearest first; empty if more than `MAX_NODES_AROUND` hold it.

    A node finds its parent from the root, so the path is walked once, downwards.
    """
    cursor, path, last = root.walk(), [root], 1
    while cursor.goto_first_child_for_byte(start) is not None:
        node = cursor.node
        if node is None or node.start_byte > start or node.end_byte < end:
            break
        path.append(node)
        if node.is_named:
            last = len(path)
        if last > MAX_NODES_AROUND:
            return []
    return path[:last][: -MOST_ABOVE - 2 : -1]


def _defined(around: list[Node]) -> Defined | None:
    """The definition that a node with a name belongs to; None if it only uses the name. `around`:
    the node and those above it, the nearest first.
    """
    node, *above = around
    while above and above[0].type in _WRAPPING:
        if above[0].child_by_field_name("name") not in (None, node):
            return None  # it is the scope of the name
        node = above.pop(0)
    if above and _is_attribute(node, above):
        return Defined(_line(node), _line(node), is_value=True)
    if not above or not _is_name(node, above[0]) or _DEFINING.search(above[0].type) is None:
        return None
    parent, kinds = above[0], [node.type for node in above]
    if _WITH_BODY.search(parent.type) and parent.child_by_field_name("body") is None:
        return None
    if any(map(_NOT.search, kinds[:3])):
        return None
    whole = node if parent.type == "enum_body" else parent
    if parent.type == "function_declarator":
        wholes = (node for node in above[:3] if node.type in _FUNCTIONS)
        whole = next(wholes, parent)
    if _is_local(parent, kinds) or (whole is parent and parent.type == "function_declarator"):
        return None
    is_value = _VALUE.search(parent.type) is not None and "function" not in parent.type
    end = whole.end_point[0] + 1
    return Defined(_line(node), end, is_value)


def _is_local(parent: Node, kinds: list[str]) -> bool:
    """Whether a variable is local to a function, which tells nothing about the file."""
    if parent.type == "assignment":
        return _SCOPES.isdisjoint(kinds[1:4])
    if parent.type in ("declaration", "init_declarator"):
        return "translation_unit" not in kinds[1:3]
    return parent.type in _VARIABLES and _is_in_function(parent)


def _is_in_function(node: Node) -> bool:
    above = node.parent
    while above is not None and _WITH_LOCALS.search(above.type) is None:
        above = above.parent
    return above is not None


def _line(node: Node) -> int:
    return int(node.start_point[0]) + 1


def _is_attribute(node: Node, above: list[Node]) -> bool:
    """Whether a name is that of an attribute assigned by a method of its object."""
    parent = above[0]
    if node.type == "instance_variable":
        return parent.type == "assignment" and parent.child_by_field_name("left") == node
    if parent.type not in _ATTRIBUTES or len(above) < 2 or "assignment" not in above[1].type:
        return False
    owner = parent.child_by_field_name("object")
    is_left = above[1].child_by_field_name("left") == parent
    return is_left and owner is not None and owner.text in _OWN


def _is_name(node: Node, parent: Node) -> bool:
    """Whether a node is the name of its parent."""
    if parent.type in ("variable_declaration", "enum_body"):
        return True
    fields = (parent.child_by_field_name(field) for field in ("name", "declarator", "left"))
    return node in fields


@cache
def _language(grammar: str) -> Language | None:
    """The language of a grammar; None without the extra."""
    try:
        from tree_sitter import Language

        module, _, name = grammar.partition(".")
        return Language(getattr(import_module(module), name)())
    except (ImportError, AttributeError, ValueError, TypeError):
        return None
