"""Finds the names that so many files of a workspace contain or define that they identify none of
them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from vouch_sidecar.text.windows import matches
from vouch_sidecar.workspace.cancellation import Checkpoint
from vouch_sidecar.workspace.file_kinds import is_for_names, words_of
from vouch_sidecar.workspace.file_list import Files, read_file

FILES_READ = 400
"""Files that are read, chosen evenly from all listed ones; a fiftieth of them is eight."""
SHARE = 0.02
"""Share of the files beyond which a name tells nothing apart…"""
FEW_FILES, PART_OF_FEW_FILES = 5, 0.5
"""…but so many files, or this share of a small repository, are never too many."""
BYTES_READ = 32_768
"""Bytes of a file that are read."""
_ONE_WORD = re.compile(r"(?:--)?[A-Za-z]?[a-z]++|[A-Z]++")
_WORD = re.compile(r"[^\W_]+")
_DEFINED = re.compile(
    r"\b(?:class|def|func|function|fn|fun|type|struct|interface|trait|enum|module|record|protocol)"
    r"[ \t]++(?:\([^()\n]{0,100}+\)[ \t]*+)?([A-Za-z_]\w*+)"
)
"""What most languages write before the name that they define; the receiver of a method in Go."""


def is_word(name: str) -> bool:
    """Whether a name, or an option's, is one word, so that it may stand for anything."""
    return _ONE_WORD.fullmatch(name) is not None


class Spread(NamedTuple):
    """Whether too many files contain a name, and whether too many define a name that contains it as
    a word.
    """

    is_held: bool
    is_defined: bool

    @property
    def is_common(self) -> bool:
        return self.is_held or self.is_defined


def widespread(
    root: Path, files: Files, names: Iterable[str], checkpoint: Checkpoint
) -> dict[str, Spread]:
    """How widespread each name is. A file contains a name if its words stand next to each other
    there, in any case. A name that begins with a sign, such as an option, must stand there as
    written.
    """
    held = dict.fromkeys(names, 0)
    defined: Counter[str] = Counter()
    by_first: dict[str, list[tuple[str, str]]] = {}
    for name in held:
        words = _WORD.findall(name.lower())
        for first in words[:1]:
            signed = not name[0].isalnum()
            sought = name.lower() if signed else f" {' '.join(words)} "
            by_first.setdefault(first, []).append((name, sought))
    paths = [path for path in files.paths if is_for_names(path)] if by_first else []
    looked_at = 0
    for path in paths[:: len(paths) // FILES_READ + 1]:
        checkpoint()
        data = read_file(root, path)
        if data is None or b"\0" in data[0][:1024]:
            continue
        looked_at += 1
        text = data[0][:BYTES_READ].decode("utf-8", "replace")
        raw = text.lower()
        there = _WORD.findall(raw)
        spaced = f" {' '.join(there)} "
        for first in by_first.keys() & set(there):
            for name, sought in by_first[first]:
                held[name] += sought in (spaced if sought[0] == " " else raw)
        names_there = (match[1] for match in matches(_DEFINED, text))
        defined.update({word for name in names_there for word in words_of(name).split("_")})
    most = max(SHARE * looked_at, min(FEW_FILES, PART_OF_FEW_FILES * looked_at))
    return {name: Spread(held[name] > most, defined[words_of(name)] > most) for name in held}
