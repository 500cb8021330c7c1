"""Keeps topics in the user's cache, so that the next process need not derive them if nothing that
they depend on has changed. They are removed together with the bases, whenever something is retired.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import blake2b
from typing import Any

from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.workspace_state import WorkspaceState
from vouch_sidecar.index.base_cache import code_version
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.topic_table import TOPIC, Table, Topic
from vouch_sidecar.kb.records import Entity
from vouch_sidecar.kb.safe_files import Stat
from vouch_sidecar.names.matcher import Names
from vouch_sidecar.retrieval.view import own_names
from vouch_sidecar.workspace.file_kinds import is_searched
from vouch_sidecar.workspace.file_list import Files, stat_of
from vouch_sidecar.workspace.topics import Topics


def keep_topics(collection: Collection, state: WorkspaceState) -> None:
    """Write the topics to the cache, if they and the ties are complete. Blocks."""
    knowledge, files, bases = state.knowledge, state.files, collection.bases
    if knowledge is None or files is None or bases is None:
        return
    if knowledge is not collection.reader.latest or state.topics.knowledge is not knowledge:
        return
    basis = _basis(collection, knowledge, files, state.workspace.origin)
    if not basis:
        return
    looked = {path: _hex(quotes.stat) for path, quotes in state.quotes.items()}
    by_gate = {gate: _rows(table) for gate, table in state.topics.by_gate.items()}
    bases.write_extra(_name(), json.dumps([basis, looked, by_gate]).encode())
    if collection.reader.latest is not knowledge:  # they may name what was retired since
        bases.drop_extra(_name())


def recall_topics(
    collection: Collection, knowledge: Knowledge, state: WorkspaceState, files: Files, origin: str
) -> Topics | None:
    """The topics that an earlier process kept. None if it kept none, or if anything that they or
    the ties depend on has changed. `state` and `origin` are as that process left them. Blocks.
    """
    data = None if collection.bases is None else collection.bases.read_extra(_name())
    if data is None:
        return None
    try:
        basis, looked, by_gate = json.loads(data)
        root = collection.root
        searched = (path for path in files.paths if is_searched(path))
        same = (
            basis == _basis(collection, knowledge, files, origin)
            and all(stat_of(root, path) == state.names.stats.get(path) for path in searched)
            and all(_hex(stat_of(root, path)) == stat for path, stat in looked.items())
        )
        tables = {gate: _table(rows) for gate, rows in by_gate.items()} if same else {}
    except (ValueError, LookupError, TypeError, AttributeError):
        return None
    return Topics(knowledge, tables).made_ready() if same else None


def _basis(collection: Collection, knowledge: Knowledge, files: Files, origin: str) -> str:
    """A digest of everything that ties and topics depend on, except the contents of files. "" if
    the next process could not compute the same one.
    """
    if not knowledge.digest:
        return ""
    own = sorted(own_names(collection.name, collection.root, origin))
    data = json.dumps([knowledge.digest, own, files.paths]).encode()
    return blake2b(data, digest_size=16).hexdigest()


def _hex(stat: Stat | None) -> str:
    return "" if stat is None else stat.hex()


def _rows(table: Table) -> list[list[object]]:
    """The topics of a gate as JSON, each with whether this gate alone makes it."""
    return [
        [
            topic.key,
            topic.entity.id,
            topic.entity.name,
            topic.why,
            sorted(topic.claims),
            sorted(topic.pages),
            topic.wide,
            table.names.entity(topic.entity.id) is not None,
        ]
        for topic in table.topics.values()
    ]


def _table(rows: Iterable[Sequence[Any]]) -> Table:
    """The topics that `_rows` wrote."""
    topics: dict[str, Topic] = {}
    own: list[Entity] = []
    for key, entity_id, name, why, claims, pages, wide, is_own in rows:
        entity = Entity(entity_id, "", name, TOPIC)
        topics[key] = Topic(key, entity, why, frozenset(claims), frozenset(pages), wide)
        own += [entity] if is_own else []
    return Table(topics, Names.of(own))


@cache
def _name() -> str:
    return f"topics-{code_version(('kb', 'text', 'names', 'index', 'workspace'))}"
