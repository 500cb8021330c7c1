"""What identifiers a name in a text may mean, and what texts may call documents."""

from __future__ import annotations

import re
from collections.abc import Iterable

from vouch_sidecar.workspace.file_kinds import DOCUMENTS, ending_of, is_for_names
from vouch_sidecar.workspace.names_in_text import NameInText, parts_of

PLAIN = 0.5
"""The factor for an identifier that is also a word."""
MAX_DIGITS = 6
_NUMBERED = re.compile(r"(?:([a-z]{2,12})-)?0{0,5}([1-9][0-9]{0,4})(?=[-_.](?![0-9]))")
_PLAIN = re.compile(r"[a-z]+\Z|[A-Z]?[a-z]+\Z")


def identifiers_in(name: NameInText) -> dict[str, float]:
    """The identifiers in a name, each with a factor: for a dotted name the last two parts, and each
    part that is not just a word.
    """
    if name.kind == "option":
        return {name.text: 1.0}
    parts = [part for part in parts_of(name.text) if part]
    if len(parts) < 2:
        plain = _PLAIN.match(name.text) is not None
        return {name.text: PLAIN if plain and name.text.islower() else 1.0}
    names = {".".join(parts[-2:]): 1.0}
    names.update({part: PLAIN for part in parts[-2:] if not _PLAIN.match(part) and len(part) > 3})
    return names


def place_in(whole: str, name: str) -> tuple[int, int]:
    """Where one of the `identifiers_in` a name begins and ends in it, whatever joins its parts."""
    first, _, last = name.rpartition(".")
    if first:
        return max(0, whole.rfind(first, 0, -len(last))), len(whole)
    at = max(0, whole.rfind(name))
    return at, at + len(name)


def document_keys(paths: Iterable[str]) -> dict[str, str]:
    """The names, in small letters, that a text may call documents by, with the path of each: the
    file's name, or a series and a number, as `ADR-0007` for `adr/7-use-queues.md`. A name that
    several documents have is left out.
    """
    paths_by_key: dict[str, set[str]] = {}
    for path in paths:
        folder, _, name = path.lower().rpartition("/")
        if ending_of(name) not in DOCUMENTS or not is_for_names(path):
            continue
        paths_by_key.setdefault(name, set()).add(path)
        if numbered := _NUMBERED.match(name):
            series = numbered[1] or folder.rpartition("/")[2].removesuffix("s")
            for width in range(len(numbered[2]), MAX_DIGITS):
                paths_by_key.setdefault(f"{series}-{numbered[2]:0>{width}}", set()).add(path)
    return {key: next(iter(some)) for key, some in paths_by_key.items() if len(some) == 1}
