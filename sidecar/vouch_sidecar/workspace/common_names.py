"""Finds the names that so many files of a workspace contain that they identify none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from vouch_sidecar.workspace.file_kinds import is_for_names
from vouch_sidecar.workspace.file_list import Files, read

MAX_FILES = 400
"""Files that are read, evenly chosen from all that are listed; a fiftieth of them is eight."""
SHARE = 0.02
"""Share of the files beyond which a name tells nothing apart…"""
FEW_FILES, PART_OF_FEW = 5, 0.5
"""…but so many files, or this share of a small repository, are never too many."""
MAX_READ = 32_768
"""Bytes of a file that are read."""
_ONE_WORD = re.compile(r"(?:--)?[A-Za-z]?[a-z]++")
_WORD = re.compile(r"[^\W_]+")


def is_word(name: str) -> bool:
    """Whether a name, or an option's, is one word, so that it may stand for anything."""
    return _ONE_WORD.fullmatch(name) is not None


def widespread(
    root: Path, files: Files, names: Iterable[str], stops: Callable[[], bool]
) -> dict[str, bool]:
    """Whether each name's words are side by side in too many files, in upper or lower case. A name
    that begins with a sign, such as an option, is looked for as written.
    """
    found = dict.fromkeys(names, 0)
    by_first: dict[str, list[tuple[str, str]]] = {}
    for name in found:
        words = _WORD.findall(name.lower())
        for first in words[:1]:
            signed = not name[0].isalnum()
            sought = name.lower() if signed else f" {' '.join(words)} "
            by_first.setdefault(first, []).append((name, sought))
    paths = [path for path in files.paths if is_for_names(path)] if by_first else []
    looked_at = 0
    for path in paths[:: len(paths) // MAX_FILES + 1]:
        if stops():
            break
        data = read(root, path)
        if data is None or b"\0" in data[0][:1024]:
            continue
        looked_at += 1
        raw = data[0][:MAX_READ].decode("utf-8", "replace").lower()
        there = _WORD.findall(raw)
        spaced = f" {' '.join(there)} "
        for first in by_first.keys() & set(there):
            for name, sought in by_first[first]:
                found[name] += sought in (spaced if sought[0] == " " else raw)
    most = max(SHARE * looked_at, min(FEW_FILES, PART_OF_FEW * looked_at))
    return {name: number > most for name, number in found.items()}
