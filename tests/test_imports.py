"""Imports point down: no room knows one above it, and no module imports itself by a detour."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import vouch_sidecar

ROOT = Path(vouch_sidecar.__file__).parent
EXTENSION = Path(__file__).parents[1] / "extension" / "src"
ROOMS = "kb text names index workspace semantic retrieval engine operations surfaces".split()
"""Lowest first."""
FROM = re.compile(r"""\bfrom '(\.[^']+)'""")


def modules() -> dict[str, ast.Module]:
    """Every module of the package by its name."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = [ROOT.name, *path.relative_to(ROOT).with_suffix("").parts]
        name = ".".join(parts).removesuffix(".__init__")
        found[name] = ast.parse(path.read_text("utf-8"))
    return found


def imported(module: ast.Module, known: Mapping[str, object]) -> Iterator[str]:
    """The modules of the package that a module names, anywhere in it, those for types included."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module and node.module in known:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            yield from inner & known.keys()
            if not inner <= known.keys():
                yield node.module


@cache
def graph() -> dict[str, set[str]]:
    found = modules()
    return {name: set(imported(module, found)) for name, module in found.items()}


def cycle(graph: Mapping[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def room(module: str) -> int | None:
    """The number of a module's floor."""
    name = module.split(".")[1] if "." in module else ""
    return ROOMS.index(name) if name in ROOMS else None


def test_no_module_imports_itself_by_a_detour() -> None:
    assert cycle(graph()) == []


def test_no_room_knows_one_above_it() -> None:
    upward = [
        (name, other)
        for name, others in graph().items()
        for other in others
        if (below := room(name)) is not None and (above := room(other)) is not None
        if above > below
    ]
    assert upward == []


def test_no_folder_of_a_room_imports_itself_by_a_detour() -> None:
    parts = defaultdict[str, set[str]](set)
    for module, others in graph().items():
        for one, other in ((module.split(".")[1:3], other.split(".")[1:3]) for other in others):
            if len(one) == len(other) == 2 and one[0] == other[0] and one != other:
                parts[".".join(one)].add(".".join(other))
    assert cycle(parts) == []


def test_every_folder_is_a_room() -> None:
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name[0].isalpha()}
    assert folders == set(ROOMS)


def test_no_test_imports_another_one() -> None:
    """What several tests share stands in a module of its own."""
    tests = Path(__file__).parent
    shared = re.compile(r"^from tests[\w.]* import test_|^from tests\.[\w.]*\btest_", re.MULTILINE)
    found = [path.name for path in tests.rglob("*.py") if shared.search(path.read_text("utf-8"))]
    assert found == []


def test_no_file_of_the_extension_imports_itself_by_a_detour() -> None:
    files = {path.resolve(): path.read_text("utf-8") for path in EXTENSION.rglob("*.ts")}
    found = {
        str(path): {str((path.parent / f"{name}.ts").resolve()) for name in FROM.findall(text)}
        for path, text in files.items()
    }
    assert cycle(found) == []
    assert any(found.values())
