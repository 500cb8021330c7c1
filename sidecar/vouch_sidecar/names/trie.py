"""A trie of the names of all entities, and the walks of a text through it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from vouch_sidecar.names.name_forms import NameForm, gap_key
from vouch_sidecar.text.analysis import Unit, Units


@dataclass(slots=True)
class Node:
    """A node of the trie: the next nodes by key, and the forms that end here."""

    children: dict[str, Node] = field(default_factory=dict)
    forms: list[NameForm] = field(default_factory=list)

    def put(self, path: Iterable[str], form: NameForm) -> None:
        """Add a form at the end of a path from this node."""
        node = self
        for key in path:
            node = node.children.setdefault(key, Node())
        node.forms.append(form)


class Reached(NamedTuple):
    """An end of a name that a walk reached."""

    end: int
    forms: Sequence[NameForm]
    words: tuple[str, ...]


def walk(root: Node, analysis: Units, start: int) -> Iterator[Reached]:
    """Yield every end of a name that can be reached in the trie from unit `start`."""
    todo: list[tuple[int, Node, tuple[str, ...]]] = [(start, root, ())]
    while todo:
        i, node, words = todo.pop()
        if node.forms:
            yield Reached(i, node.forms, words)
        if i == len(analysis.units):
            continue
        gap = analysis.units[i].gap
        if gap and i > start:
            between = node.children.get(gap_key(gap))
            if between is None:
                continue
            node, words = between, (*words, gap)
        for unit, after in readings(analysis, i):
            child = node.children.get(unit.stem)
            if child is not None:
                todo.append((after, child, (*words, unit.folded)))


def readings(analysis: Units, i: int) -> Iterator[tuple[Unit, int]]:
    """The readings at an index, each with the index after it: the unit, then the whole identifier
    that begins there.
    """
    yield analysis.units[i], i + 1
    if i in analysis.wholes:
        yield analysis.wholes[i]
