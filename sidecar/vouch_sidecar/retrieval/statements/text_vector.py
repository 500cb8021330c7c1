"""A text as a vector, compared with the vectors of knowledge bases."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from vouch_sidecar.kb.records import Artifact, Kind
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.semantic.embedded_texts import compared, mark_of
from vouch_sidecar.semantic.vectors import Near, Vectors

if TYPE_CHECKING:
    from vouch_sidecar.semantic.vectors import Vector


class TextVector(NamedTuple):
    """The vector of a text, and the vectors of each knowledge base by `View.identity`."""

    query: Vector
    vectors: Mapping[Path | str, Vectors]

    def cosine(self, view: View, artifact: Artifact) -> float:
        """The cosine of the artifact's nearest text."""
        marks = map(mark_of, compared(artifact))
        return self.vectors[view.identity].cosine(marks, self.query)

    def nearest(self, view: View, kinds: Collection[Kind], least: float, most: int) -> list[Near]:
        """The nearest texts that a viewer may see, nearest first."""
        vectors = self.vectors[view.identity]
        return vectors.nearest(self.query, kinds, view.gates, least, most)
