"""The matcher's trie as plain values; it grows again, first word by first word, as texts ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from marshal import dumps, loads
from typing import Any

from vouch_sidecar.index.forms import Arm, Form, forms
from vouch_sidecar.index.lazy import Lazy, plain
from vouch_sidecar.index.names import Names
from vouch_sidecar.index.trie import Node
from vouch_sidecar.kb.records import Entity

__all__ = ["freeze_names", "thaw_names"]

_ARMS = {arm.value: arm for arm in Arm}


def freeze_names(names: Names) -> dict[str, Iterator[tuple[Any, Any]]]:
    """The names that begin with a word; which entities have one that is a text, or holds a word;
    and all entities.
    """
    return {
        "names beginning": plain(names.root.children, _forms_as_bytes),
        "names exact": plain(names.by_surface, lambda ids: tuple(sorted(ids))),
        "names containing": plain(names.by_key, lambda ids: tuple(sorted(ids))),
        "names of": ((entity_id, True) for entity_id in names.entities),
    }


def _forms_as_bytes(node: Node) -> bytes:
    return dumps([(way, f.entity_id, int(f.arm), *f[2:]) for way, f in node.names()])


def _node(_: str, data: bytes) -> Node:
    made = Node()
    for way, entity_id, arm, *rest in loads(data):
        made.put(way, Form(entity_id, _ARMS[arm], *rest))
    return made


def thaw_names(frozen: dict[str, Any], entity: Callable[[str], Entity]) -> Names:
    """A matcher as it was frozen; `entity` gives an entity as it was then."""
    names = Names()
    names.root.children = Lazy(frozen["names beginning"], _node)
    names.by_surface = Lazy(frozen["names exact"], lambda _, ids: set(ids), set)
    names.by_key = Lazy(frozen["names containing"], lambda _, ids: set(ids), set)
    names.entities = Lazy(frozen["names of"], lambda entity_id, _: entity(entity_id))
    names.paths = Lazy(
        frozen["names of"], lambda entity_id, _: [path for path, _ in forms(entity(entity_id))]
    )
    return names
