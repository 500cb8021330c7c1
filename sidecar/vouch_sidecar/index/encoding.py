"""Encodes and decodes the strings of the index that consist of several values.

A *visibility label* names the gates that a viewer must pass, all of them, to see something. It has
no blank and none of `:@`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

from vouch_sidecar.kb.access import OPEN

NOBODY = "nobody"
"""The label of what no viewer may see, such as a relation to something that is gone."""
MAX_STEM = 200
"""Characters of a stem that the index compares."""


def label_of(gates: Iterable[str]) -> str:
    """The visibility label of some gates."""
    closed = sorted(set(gates) - {OPEN})
    return "&".join(quote(gate, safe="") for gate in closed) or OPEN


@lru_cache(maxsize=1 << 8)
def labels_for(gates: frozenset[str]) -> tuple[str, ...]:
    """The visibility labels that a viewer who passes these gates may see, each once."""
    closed = sorted(gates - {OPEN})
    pairs = [(gate, other) for i, gate in enumerate(closed) for other in closed[i + 1 :]]
    return (OPEN, *(label_of([gate]) for gate in closed), *map(label_of, pairs))


def place_of(kind: str, label: str) -> str:
    """The value for the field `place`, the prefix of every stem of a text."""
    return f"{kind}@{label}"


def placed_stem(place: str, stem: str) -> str:
    """The value for the field `stems`: a stem with the place of its text."""
    return f"{place}:{stem[:MAX_STEM]}"


def counted(label: str, entity_id: str) -> str:
    """The value for the field `about`: an entity that a claim is linked to, with the visibility
    label of the claim.
    """
    return f"{label} {entity_id}"


class DocumentKey(NamedTuple):
    """An artifact's kind and id, and the section of its text. Keys sort in that order, as no id has
    a NUL.
    """

    kind: str
    id: str
    section: int = 0

    def encode(self) -> str:
        """The value for the field `key`."""
        return f"{self.kind}\0{self.id}\0{self.section:03}"

    @classmethod
    def decode(cls, key: str) -> DocumentKey:
        """The key that a value of the field stands for."""
        kind, artifact_id, section = key.split("\0")
        return cls(kind, artifact_id, int(section))
