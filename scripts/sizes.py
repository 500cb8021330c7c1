"""Prints how large each room of the package is: statements (of the syntax tree), lines, modules."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "sidecar" / "vouch_sidecar"
OTHERS = ("tests", "benchmarks", "scripts")
NOT_OURS = {".workbench", "real"}
"""Folders of an editor, and of a repository that prompts are about."""
ROOMS = ("kb", "text", "names", "index", "workspace", "semantic", "retrieval", "engine")
ORDER = (*ROOMS, "operations", "surfaces")
ROW = "{:12}{:>12}{:>9}{:>9}"


def size(files: list[Path]) -> Counter[str]:
    """Statements, lines and modules of some files."""
    found = Counter(modules=len(files))
    for file in files:
        text = file.read_text("utf-8")
        found["lines"] += text.count("\n")
        found["statements"] += sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(text)))
    return found


def main() -> None:
    files = sorted(PACKAGE.rglob("*.py"))
    rooms = {name: [file for file in files if PACKAGE / name in file.parents] for name in ORDER}
    rooms["others"] = [file for file in files if file.parent == PACKAGE]
    rooms["package"] = files
    for name in OTHERS:
        files = sorted((ROOT / name).rglob("*.py"))
        rooms[name] = [file for file in files if NOT_OURS.isdisjoint(file.parts)]
    print(ROW.format("", "statements", "lines", "modules"))
    for name, inside in rooms.items():
        found = size(inside)
        print(ROW.format(name, found["statements"], found["lines"], found["modules"]))


if __name__ == "__main__":
    main()
