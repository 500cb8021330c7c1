"""The matcher's trie as plain values; it grows again, first word by first word, as texts ask."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sidecar.index.lazy import Lazy, plain
from sidecar.index.names import Names, _forms, _Node
from sidecar.kb.records import Entity

__all__ = ["freeze_names", "thaw_names"]


def freeze_names(names: Names) -> dict[str, Any]:
    """Which entities have a name that begins with a word, is a text, holds a word; and all."""
    first = names._root.children
    return {
        "names beginning": plain(first, lambda node: tuple(sorted(set(_entity_ids(node))))),
        "names exact": plain(names._exact, lambda ids: tuple(sorted(ids))),
        "names containing": plain(names._containing, lambda ids: tuple(sorted(ids))),
        "names of": dict.fromkeys(names._entities, True),
    }


def _entity_ids(node: _Node) -> Iterator[str]:
    yield from (form.entity_id for form in node.forms)
    for child in node.children.values():
        yield from _entity_ids(child)


def _at(node: _Node, path: Iterable[str]) -> _Node:
    for key in path:
        node = node.children.setdefault(key, _Node())
    return node


def thaw_names(frozen: dict[str, Any], entity: Callable[[str], Entity]) -> Names:
    """A matcher as it was frozen; `entity` gives an entity as it was then."""

    def node(word: str, entity_ids: Iterable[str]) -> _Node:
        made = _Node()
        for entity_id in entity_ids:
            for path, form in _forms(entity(entity_id)):
                if path[0] == word:
                    _at(made, path[1:]).forms.append(form)
        return made

    names: Any = Names()
    names._root.children = Lazy(frozen["names beginning"], node)
    names._exact = Lazy(frozen["names exact"], lambda _, ids: set(ids), set)
    names._containing = Lazy(frozen["names containing"], lambda _, ids: set(ids), set)
    names._entities = Lazy(frozen["names of"], lambda entity_id, _: entity(entity_id))
    names._paths = Lazy(
        frozen["names of"], lambda entity_id, _: [path for path, _ in _forms(entity(entity_id))]
    )
    thawed: Names = names
    return thawed
