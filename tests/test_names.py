"""A name of a class or a module means one thing. The lists hold those that mean two, and are to be
made shorter: what would lengthen them has another name.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from importlib import import_module
from pathlib import Path

import vouch_sidecar

ROOT = Path(vouch_sidecar.__file__).parent
GLOSSARY = Path(__file__).parents[1] / "docs" / "glossary.md"
BEARER = re.compile(r"\| `([\w.]+)` \|")
CLASSES: frozenset[str] = frozenset()
MODULES = frozenset(
    """
    client context experts links mentions probe pushes references run salience schema search
    server stats watch
    """.split()
)
"""The operation, the room that works it out, the feature of the language server: one thing each."""


def doubles(names: Counter[str]) -> set[str]:
    return {name for name, times in names.items() if times > 1}


def test_no_other_class_has_a_name_that_is_taken() -> None:
    names: Counter[str] = Counter()
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                names[node.name.lstrip("_")] += 1
    assert doubles(names) <= CLASSES


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
