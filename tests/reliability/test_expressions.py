"""Every expression of ours takes linear time, whatever text it meets."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from vouch_sidecar.kb.sanitize import clip, escaped, one_line
from vouch_sidecar.text import analysis, comments
from vouch_sidecar.workspace import definitions

from tests.reliability.expressions import REPEATS, Expression, parse

PACKAGE = Path(analysis.__file__).parents[1]
AT_A_PLACE = frozenset({"match", "fullmatch", "pattern", "flags"})
METHODS = frozenset({"search", "finditer", "findall", "sub", "subn", "split", "match", "fullmatch"})
FILES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.stem != "__main__"
}


class Use(NamedTuple):
    """An expression of ours. `is_searched`: some code does more than match it at a place;
    `is_whole`: some code matches it with all of a text.
    """

    pattern: re.Pattern[Any]
    is_searched: bool
    is_whole: bool


def _patterns(value: object) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _patterns(each)
    elif isinstance(value, (tuple, list, frozenset, set)):
        for each in value:
            yield from _patterns(each)


def _named(module: ModuleType, node: ast.AST) -> object:
    """What a name, or a name of a module, stands for in a module."""
    if isinstance(node, ast.Name):
        return getattr(module, node.id, None)
    if isinstance(node, ast.Attribute):
        return getattr(_named(module, node.value), node.attr, None)
    return None


def _uses() -> dict[str, Use]:
    """Every expression of ours, by module and name."""
    searched, whole = set[int](), set[int]()
    held: dict[str, re.Pattern[Any]] = {}
    for name, path in FILES.items():
        module, tree = import_module(name), ast.parse(path.read_text())
        for called, value in vars(module).items():
            for number, pattern in enumerate(_patterns(value)):
                held[f"{name}.{called}.{number}"] = pattern
            if not isinstance(value, re.Pattern):
                searched |= {id(pattern) for pattern in _patterns(value)}
        matched = {
            id(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and node.attr in AT_A_PLACE
        }
        whole |= {
            id(_named(module, node.value))
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and node.attr == "fullmatch"
        }
        for node in ast.walk(tree):
            used = isinstance(getattr(node, "ctx", None), ast.Load) and id(node) not in matched
            if used and isinstance(_named(module, node), re.Pattern):
                searched.add(id(_named(module, node)))
    by_text = {(p.pattern, p.flags): (name, p) for name, p in held.items()}
    wide = {(p.pattern, p.flags) for p in held.values() if id(p) in searched}
    full = {(p.pattern, p.flags) for p in held.values() if id(p) in whole}
    return {
        name: Use(pattern, text in wide, text in full) for text, (name, pattern) in by_text.items()
    }


LATE = {
    "vouch_sidecar.text.analysis._tokens_of": [
        analysis._tokens_of(letter) for letter in (analysis._LETTER, analysis._LETTER_OR_MARK)
    ],
    "vouch_sidecar.text.analysis._any_spaceless": [analysis._any_spaceless()],
    "vouch_sidecar.workspace.definitions.patterns_of": [
        pattern
        for language in definitions._PATTERNS
        for of_members in (False, True)
        for pattern in definitions.patterns_of(language, of_members=of_members)
    ],
    "vouch_sidecar.text.comments.marks_of": [
        marks
        for language in comments._BY_LANGUAGE
        for endless in ("", "/", "`", "/`")
        if (marks := comments.marks_of(language, endless))
    ],
}
"""Constants that are compiled when they are first needed, by the function that does so."""
COMPOSED = {"vouch_sidecar.kb.gitignore.expression_of"}
"""Composed with repeats, one after the other; they meet the name of a file, which is short."""


def test_every_expression_takes_linear_time() -> None:
    found = {
        name: Expression(use.pattern.pattern, use.pattern.flags).faults(*use[1:])
        for name, use in _uses().items()
    }
    assert not {name: faults for name, faults in found.items() if faults}


@pytest.mark.parametrize("name", LATE)
def test_an_expression_that_is_compiled_late_takes_linear_time(name: str) -> None:
    for pattern in LATE[name]:
        assert not Expression(pattern.pattern, pattern.flags).faults(True), pattern.pattern


def test_an_expression_is_a_constant_or_composed_of_escaped_parts() -> None:
    for module, path in FILES.items():
        tree = ast.parse(path.read_text())
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        inside = {id(node): each.name for each in functions for node in ast.walk(each)}
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            place = f"{module}.{inside.get(id(call), '')}"
            match call.func:
                case ast.Attribute(ast.Name("re"), method) if method in METHODS:
                    pytest.fail(f"{place}: this expression is no constant")
                case ast.Attribute(ast.Name("re"), "compile") if id(call) in inside:
                    if place not in LATE and place not in COMPOSED:
                        assert not _repeats(parse("".join(_fixed(call.args[0])))), place


def _fixed(node: ast.AST) -> Iterator[str]:
    """The parts of an expression that are written in the code; a letter stands for an escaped one.
    Fails where another is not escaped.
    """
    match node:
        case ast.Constant(str() as text):
            yield text
        case ast.Constant(bytes() as data):
            yield data.decode()
        case ast.JoinedStr(parts):
            for part in parts:
                yield from _fixed(part.value if isinstance(part, ast.FormattedValue) else part)
        case ast.BinOp(left, ast.Add(), right):
            yield from (*_fixed(left), *_fixed(right))
        case ast.Call(ast.Attribute(ast.Name("re"), "escape")):
            yield "x"
        case _:
            pytest.fail(f"line {getattr(node, 'lineno', 0)}: neither constant nor escaped")


def _repeats(tree: Any) -> bool:
    """Whether a tree has a repeat anywhere."""
    if isinstance(tree, tuple) and tree and tree[0] in REPEATS:
        return True
    within = tree if isinstance(tree, (tuple, list)) or hasattr(tree, "data") else ()
    return any(map(_repeats, within))


BLOCKS = r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:[|+][ \t]*:?[-=]*:?[ \t]*)*\|?[ \t]*\Z"


@pytest.mark.parametrize(
    ("pattern", "is_searched"),
    [
        (BLOCKS, False),
        (r"[ \t]*\|.*\|[ \t]*\Z", False),
        (r"[.!?…]+[\"'”’»)\]*_`]*(?=\s)|[。！？]+[」』）”]*", True),
        (r"!?\[[^\]]*\]\([^)]*\)|\[[^\]]*\]\[[^\]]*\]|<?\w+://[^\s>]*>?", True),
        (r"[^\s\\/@]*[\\/@]\S*", True),
        (r"[A-Z][\w-]*(?: [A-Z0-9][\w.-]*\w)+", True),
        (r"[A-Z][\w-]*+(?: [A-Z0-9](?:[.-]*+\w++)++)++", True),
        (r"(?:\A|[.!?:;]\s)\W*\Z", True),
        (r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t#]*$", True),
        (r"\.(?:md|markdown|rst|adoc|txt|org)(?:[#?].*)?\Z", True),
        (r'^\[remote "origin"\][^\[]*?^\s*url\s*=\s*\S*?([^/:\s]+)/?\s*$', True),
        (r"(?<![\w@:/\\.~-])(?:\./|/)?[\w.@+~\[\]()-]+(?:[/\\][\w.@+~\[\]()-]+)+", True),
        (r"\w+://\S*", True),
        (r"(?:a*)*b", False),
        (r"(?:a|a)*b", False),
        (r"(?:a?a?)*b", False),
        (r"(?:a{0,50}b?){0,50}c", False),
        (r"(?:a++b|a)*+c", False),
        (r"(?:(?:a++b)?+a)*+c", False),
        (r"(?:a(?=b*c))*d", False),
        (r"(a)\1*a", False),
        (r"a++b", True),
        (r"\w++(?!x)", True),
        (r"[^\S\n]*\n?[^\S\n]*\Z", False),
    ],
)
def test_an_expression_that_takes_more_is_known(pattern: str, is_searched: bool) -> None:
    assert Expression(pattern, re.MULTILINE if pattern[0] == "^" else 0).faults(is_searched)


@pytest.mark.parametrize(
    ("pattern", "is_searched"),
    [
        (r"(?<!a)a++b", True),
        (r"\w++(?!x)", False),
        (r"[a-z]+(?:-[a-z]+)*", True),
        (r'"[^"]*"', True),
        (r"(?:ab|ac)*d", False),
        (r"\bfrom\s+import", True),
        (r"^\s+x", True),
    ],
)
def test_an_expression_that_takes_no_more_is_known(pattern: str, is_searched: bool) -> None:
    assert not Expression(pattern).faults(is_searched)


@pytest.mark.parametrize(
    "bait",
    [
        "\u200c" * 200_000,
        "a\u0301" * 100_000,
        "👍\ufe0f\u200d" * 30_000,
        "क\u094d\u200d" * 30_000,
        "\x1b[" * 100_000,
        "\x1b]" * 100_000,
        "\x9b0" * 100_000,
        "\u0600" * 100_000,
    ],
    ids=lambda bait: ascii(bait[:3]),
)
def test_what_makes_a_text_harmless_ends(bait: str) -> None:
    assert "\x1b" not in one_line(bait)
    assert "\x1b" not in escaped(bait)
    assert clip(bait, 1_000)[-1] == "…"
