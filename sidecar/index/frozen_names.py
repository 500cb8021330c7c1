"""The matcher's trie as plain values; it grows again, first word by first word, as texts ask."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sidecar.index.forms import forms
from sidecar.index.lazy import Lazy, plain
from sidecar.index.names import Names
from sidecar.index.trie import Node
from sidecar.kb.records import Entity

__all__ = ["freeze_names", "thaw_names"]


def freeze_names(names: Names) -> dict[str, Iterator[tuple[Any, Any]]]:
    """Which entities have a name that begins with a word, is a text, holds a word; and all."""
    first = names.root.children
    return {
        "names beginning": plain(first, lambda node: tuple(sorted(set(node.entity_ids())))),
        "names exact": plain(names.by_surface, lambda ids: tuple(sorted(ids))),
        "names containing": plain(names.by_key, lambda ids: tuple(sorted(ids))),
        "names of": ((entity_id, True) for entity_id in names.entities),
    }


def thaw_names(frozen: dict[str, Any], entity: Callable[[str], Entity]) -> Names:
    """A matcher as it was frozen; `entity` gives an entity as it was then."""

    def node(word: str, entity_ids: Iterable[str]) -> Node:
        made = Node()
        for entity_id in entity_ids:
            for path, form in forms(entity(entity_id)):
                if path[0] == word:
                    made.put(path[1:], form)
        return made

    names = Names()
    names.root.children = Lazy(frozen["names beginning"], node)
    names.by_surface = Lazy(frozen["names exact"], lambda _, ids: set(ids), set)
    names.by_key = Lazy(frozen["names containing"], lambda _, ids: set(ids), set)
    names.entities = Lazy(frozen["names of"], lambda entity_id, _: entity(entity_id))
    names.paths = Lazy(
        frozen["names of"], lambda entity_id, _: [path for path, _ in forms(entity(entity_id))]
    )
    return names
