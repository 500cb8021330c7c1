"""Artifacts as tuples of plain values, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter
from sys import intern
from typing import Any

from vouch_sidecar.index.documents import Prepared
from vouch_sidecar.kb.records import KIND_OF, OPEN_SCOPE, Artifact, Scope, key_of

__all__ = ["decoded", "encoded"]

_RECORDS: dict[str, type[Artifact]] = {kind.value: made for made, kind in KIND_OF.items()}
_SCOPES: dict[str, int | None] = {
    kind: next((i for i, item in enumerate(fields(made)) if item.name == "scope"), None)
    for kind, made in _RECORDS.items()
}
_COMMON = {"type", "status", "evidence", "entities", "tags", "relation", "approved_by"}
"""The fields whose texts many artifacts have."""
_SHARED = {
    kind: [i for i, item in enumerate(fields(made)) if item.name in _COMMON]
    for kind, made in _RECORDS.items()
}
_VALUES = {
    kind: attrgetter(*(item.name for item in fields(made))) for kind, made in _RECORDS.items()
}


def encoded(prepared: Prepared) -> tuple[Any, ...]:
    """Kind, stems and the values of the fields, in their order."""
    artifact, stems = prepared
    kind = key_of(artifact)[0].value
    values = list(_VALUES[kind](artifact))
    if (i := _SCOPES[kind]) is not None:
        values[i] = _plain(values[i])
    for i in _SHARED[kind]:
        values[i] = _shared(values[i])
    return (kind, stems, *values)


def decoded(row: Sequence[Any]) -> Prepared:
    """What `encoded` was given. Raises ValueError, TypeError or LookupError for anything else."""
    kind, stems, *values = row
    if (i := _SCOPES[kind]) is not None:
        values[i] = OPEN_SCOPE if values[i] is None else Scope(*values[i])
    return Prepared(_RECORDS[kind](*values), stems)


def _shared(value: str | tuple[str, ...] | None) -> str | tuple[str, ...] | None:
    """The same, in texts that there are only once in memory; `marshal` keeps to that."""
    if isinstance(value, str):
        return intern(value)
    return value and tuple(map(intern, value))


def _plain(scope: Scope) -> tuple[str, str | None, str | None] | None:
    if scope is OPEN_SCOPE or scope == OPEN_SCOPE:
        return None
    return scope.visibility, scope.project, scope.agent
