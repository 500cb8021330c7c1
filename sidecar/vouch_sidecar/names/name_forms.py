"""The forms of entities' names, as paths through a trie. The keys of a path are stems, so that
inflections and identifiers share it; the exact words are kept at its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from vouch_sidecar.kb.records import PERSON, Entity
from vouch_sidecar.text.analysis import APOSTROPHES, Units, fold, units

MIN_SURNAME = 3
_NUMBERED = re.compile(r"[^\W\d_]{2,}-\d+")
_PUNCTUATION = " \t\r\n.,;:!?'\"`“”‘’()[]{}<>*_#"

Words = tuple[str, ...]


class FormKind(IntEnum):
    """How a text names an entity, best first."""

    NAME = 0
    ALIAS = 1
    VARIANT = 2
    SURNAME = 3
    PART = 4
    """Some words of a name. No path through the trie ends at one (see `Names.parts`)."""
    DERIVED = 5
    """The name of a topic, which nobody declared."""


class NameForm(NamedTuple):
    """One name of one entity, as stored in the trie."""

    entity_id: str
    kind: FormKind
    name: str
    path: Words
    """The keys that lead through the trie to it."""
    words: Words


def forms(entity: Entity) -> tuple[NameForm, ...]:
    """The forms of an entity's name and aliases."""
    return tuple(
        NameForm(entity.id, kind, name, path, words)
        for kind, name, spelled in _names(entity)
        for path, words in _paths(units(spelled))
        if path
    )


def _names(entity: Entity) -> Iterator[tuple[FormKind, str, str]]:
    """Each name, and how it may be spelled: “INC57” for “INC-57”, too."""
    aliases = ((FormKind.ALIAS, alias) for alias in entity.aliases)
    for kind, name in ((FormKind.NAME, entity.name), *aliases):
        yield kind, name, name
        if _NUMBERED.fullmatch(name):
            yield FormKind.VARIANT, name, name.replace("-", "")
    *others, surname = entity.name.split() or [""]
    if entity.type == PERSON and others and len(surname) >= MIN_SURNAME:
        yield FormKind.SURNAME, surname, surname


def _paths(analysis: Units) -> Iterator[tuple[Words, Words]]:
    """Keys and words of a name: with its punctuation, without, and with identifiers whole."""
    gaps = any(unit.gap for unit in analysis.units[1:])
    for whole in (False, True) if analysis.wholes else (False,):
        for punctuation in (True, False) if gaps else (True,):
            yield path_of(analysis, whole, punctuation)


def path_of(analysis: Units, whole: bool, punctuation: bool = False) -> tuple[Words, Words]:
    """Keys and words of a name with identifiers `whole` or in parts. Punctuation is its own key."""
    path: list[tuple[str, str]] = []
    wholes, at = analysis.wholes if whole else {}, 0
    while at < len(analysis.units):
        unit, after = wholes.get(at, (analysis.units[at], at + 1))
        if punctuation and unit.gap and at:
            path.append((unit.gap, unit.gap))
        path.append((unit.stem, unit.folded))
        at = after
    return tuple(key for key, _ in path), tuple(word for _, word in path)


@lru_cache(maxsize=1 << 14)
def spelling(text: str) -> str:
    """A text folded, without apostrophes, white space as single spaces."""
    return " ".join(APOSTROPHES.sub("", fold(text)).split())


def unpunctuated(text: str) -> str:
    """A text without the punctuation and white space at its ends."""
    return text.strip(_PUNCTUATION)
