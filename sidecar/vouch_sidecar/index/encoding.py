"""Encodes and decodes the strings of the index that consist of several values.

A *visibility label* names the gates that a viewer must pass, all of them, to see something. It has
no blank and none of `:@`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple
from urllib.parse import quote, unquote

from vouch_sidecar.kb.access import OPEN

NOBODY = "nobody"
"""The label of what no viewer may see, such as a relation to something that is gone."""
MAX_STEM = 200
"""Characters of a stem that the index compares."""


def label_of(gates: Iterable[str]) -> str:
    """The visibility label of some gates."""
    closed = sorted(set(gates) - {OPEN})
    return "&".join(quote(gate, safe="") for gate in closed) or OPEN


def gates_of(label: str) -> frozenset[str]:
    """The gates of a visibility label, without the open one."""
    return frozenset(map(unquote, label.split("&"))) - {OPEN}


@lru_cache(maxsize=1 << 8)
def labels_for(gates: frozenset[str]) -> tuple[str, ...]:
    """The visibility labels that a viewer who passes these gates may see, each once."""
    closed = sorted(gates - {OPEN})
    pairs = [(gate, other) for i, gate in enumerate(closed) for other in closed[i + 1 :]]
    return (OPEN, *(label_of([gate]) for gate in closed), *map(label_of, pairs))


def is_of_two_gates(label: str) -> bool:
    """Whether a label is made of two gates or more."""
    return "&" in label


class StemPlace(NamedTuple):
    """The prefix of every stem of a text: kind and visibility label."""

    kind: str
    label: str

    def encode(self) -> str:
        """The value for the field `place`."""
        return f"{self.kind}@{self.label}"

    @classmethod
    def decode(cls, place: str) -> StemPlace:
        """The place that a value of the field stands for."""
        kind, _, label = place.partition("@")
        return cls(kind, label)


def placed_stem(place: str, stem: str) -> str:
    """The value for the field `stems`: a stem with the place of its text, as `StemPlace` encodes
    it.
    """
    return f"{place}:{stem[:MAX_STEM]}"


class CountedEntity(NamedTuple):
    """An entity that a claim is linked to, with the visibility label of the link."""

    label: str
    entity_id: str

    def encode(self) -> str:
        """The value for the field `about`."""
        return f"{self.label} {self.entity_id}"

    @classmethod
    def decode(cls, value: str) -> CountedEntity:
        """The entity that a value of the field stands for."""
        label, _, entity_id = value.partition(" ")
        return cls(label, entity_id)


class Pseudonyms(NamedTuple):
    """Names artifacts whose ids may not be stored, as vouch makes an id of a claim's text or a
    page's title. Every knowledge base has a `salt`, which stays when its bases are written anew.
    """

    salt: bytes

    @classmethod
    def new(cls) -> Pseudonyms:
        return cls(os.urandom(16))

    def of(self, artifact_id: str) -> str:
        """The pseudonym of an id: 32 hexadecimal digits."""
        data = artifact_id.encode("utf-8", "replace")
        return blake2b(data, digest_size=16, key=self.salt).hexdigest()

    def all_of(self, ids: Iterable[str]) -> tuple[str, ...]:
        """The pseudonyms of several ids, in their order."""
        return tuple(map(self.of, ids))


class Pointer(NamedTuple):
    """A reference from an artifact to `target`; `how` is one of these.

    An artifact `declares`, `cites`, `joins`, `quotes` or `supersedes` another one, or is in its
    `lists-claim` or `lists-entity`; it `stands-in` a source, or `stands` at a path. A source is
    `located` at a hashed path or URL. A page `marks` what may be a claim in it. A `silenced`
    artifact holds the text of a withheld claim; one `parts` a stem that is read and not found. A
    claim `is` a pseudonym; other pointers to claims use the pseudonym too, except `joins` and
    `stands-in`. A retired claim `withholds`, `redacts` or (if it is a secret) `seals` evidence or a
    source. Evidence `repeats` a claim. A relation that nobody may see `awaits` its ends.
    """

    how: str
    target: str

    def encode(self) -> str:
        """The value for the field `refers`."""
        return f"{self.how} {self.target}"

    @classmethod
    def decode(cls, value: str) -> Pointer:
        """The pointer that a value of the field stands for."""
        how, _, target = value.partition(" ")
        return cls(how, target)


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


def hash_of(data: bytes, size: int) -> int:
    """A hash of some bytes, as a number of so many bytes."""
    return int.from_bytes(blake2b(data, digest_size=size).digest(), "big")
