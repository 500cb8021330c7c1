"""Imports point down: no room knows one above it, and no module imports itself by a detour."""

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
import vouch_sidecar
from vouch_sidecar.index.base_cache import READING_ROOMS
from vouch_sidecar.workspace.build import DEFINING_ROOMS

ROOT = Path(vouch_sidecar.__file__).parent
ROOMS = "kb text names index workspace semantic retrieval engine operations surfaces".split()
"""Lowest first."""
Import = tuple[str, str]


@cache
def of_package() -> list[Import]:
    """Each module with one that it names anywhere, for types included."""
    found = list[Import]()
    paths = {path.relative_to(ROOT.parent).with_suffix(""): path for path in ROOT.rglob("*.py")}
    known = {".".join(name.parts).removesuffix(".__init__"): path for name, path in paths.items()}
    for module, path in known.items():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found += ((module, alias.name) for alias in node.names if alias.name in known)
            elif isinstance(node, ast.ImportFrom) and node.module in known:
                inner = {f"{node.module}.{alias.name}" for alias in node.names}
                found += ((module, name) for name in inner & known.keys())
                if not inner <= known.keys():
                    found.append((module, node.module))
    return found


def by_folder(imports: Iterable[Import]) -> Iterator[Import]:
    """The same by folder of a room."""
    for module, other in imports:
        one, two = module.split(".")[1:3], other.split(".")[1:3]
        if len(one) == len(two) == 2 and one[0] == two[0] and one != two:
            yield ".".join(one), ".".join(two)


@pytest.mark.parametrize("of", [list, by_folder], ids=["modules", "folders"])
def test_nothing_imports_itself_by_a_detour(of: Callable[..., Iterable[Import]]) -> None:
    graph = defaultdict[str, set[str]](set)
    for one, other in of(of_package()):
        graph[one].add(other)
    assert graph
    TopologicalSorter(graph).prepare()  # raises where there is a cycle


def test_every_folder_is_a_room_and_none_knows_one_above_it() -> None:
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name[0].isalpha()}
    assert folders == set(ROOMS)
    rooms = [[name.split(".")[1:2] for name in names] for names in of_package()]
    inside = [(*one, *two) for one, two in rooms if {*one, *two} <= {*ROOMS} and one and two]
    assert [pair for pair in inside if ROOMS.index(pair[1]) > ROOMS.index(pair[0])] == []


@pytest.mark.parametrize("rooms", [READING_ROOMS, DEFINING_ROOMS])
def test_what_is_kept_is_of_the_code_of_all_rooms_up_to_its_maker(rooms: tuple[str, ...]) -> None:
    assert [*rooms] == ROOMS[: ROOMS.index(rooms[-1]) + 1]
