"""A name of a class, of an alias of a type, of a constant or of a module means one thing. The lists
hold those that mean two, and are to be made shorter: what would lengthen them has another name.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import vouch_sidecar

ROOT = Path(vouch_sidecar.__file__).parent
GLOSSARY = Path(__file__).parents[1] / "docs" / "glossary.md"
BEARER = re.compile(r"\| `([\w.]+)` \|")
TYPES = frozenset(
    """
    Answer Kind Object P Payload R Span T Text Words
    """.split()
)
"""Classes and aliases of types. Type variables are called T, P and R in every module."""
CONSTANTS = frozenset(
    """
    MAX_SESSION_ID PHRASE_CHARS RETRY_SECONDS
    """.split()
)
"""Limits and times that are the same thing in each module."""
ONE_A_FILE = frozenset({"HOST", "OPERATION"})
"""What each module of a folder defines, for the folder to find."""
MODULES = frozenset(
    """
    client context experts links mentions probe pushes references run salience schema search
    server stats watch
    """.split()
)
"""The operation, the room that works it out, the feature of the language server: one thing each."""


def doubles(names: Counter[str]) -> set[str]:
    return {name for name, times in names.items() if times > 1}


def assigned(module: ast.Module) -> Iterator[str]:
    """The names that a module assigns at its top."""
    for node in module.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AnnAssign):
            targets = [node.target]
        for target in targets:
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            yield from (name.id for name in names if isinstance(name, ast.Name))


def test_no_other_type_has_a_name_that_is_taken() -> None:
    names: Counter[str] = Counter()
    for path in ROOT.rglob("*.py"):
        module = ast.parse(path.read_text("utf-8"))
        types = [node.name for node in ast.walk(module) if isinstance(node, ast.ClassDef)]
        types += [name for name in assigned(module) if name.lstrip("_")[:1].isupper()]
        names.update(name.lstrip("_") for name in types if len(name) == 1 or not name.isupper())
    assert doubles(names) <= TYPES


def test_no_other_constant_has_a_name_that_is_taken() -> None:
    """Constants with a leading underscore are their module's own."""
    names: Counter[str] = Counter()
    for path in ROOT.rglob("*.py"):
        own = assigned(ast.parse(path.read_text("utf-8")))
        names.update(name for name in own if len(name) > 1 and name.isupper() and name[0] != "_")
    assert doubles(names) - ONE_A_FILE <= CONSTANTS


def test_no_other_module_has_a_name_that_is_taken() -> None:
    names = Counter(path.stem for path in ROOT.rglob("*.py") if path.stem != "__init__")
    assert doubles(names) <= MODULES


def test_modules_have_no_list_of_names() -> None:
    """A leading underscore says what is a module's own; packages list what they offer."""
    own = [path for path in ROOT.rglob("*.py") if path.stem != "__init__"]
    assert [path for path in own if "\n__all__" in path.read_text("utf-8")] == []


def test_each_word_of_the_glossary_has_what_bears_it() -> None:
    bearers = BEARER.findall(GLOSSARY.read_text("utf-8"))
    assert len(bearers) > 30
    for bearer in bearers:
        module, _, name = bearer.rpartition(".")
        assert hasattr(import_module(f"{ROOT.name}.{module}"), name), bearer
