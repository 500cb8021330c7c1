"""A text as a vector, compared with the vectors of knowledge bases."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from vouch_sidecar.kb.records import Artifact, Kind, key_of
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.semantic.embedded_texts import Row
from vouch_sidecar.semantic.vectors import Vectors

if TYPE_CHECKING:
    from vouch_sidecar.semantic.vectors import Vector


class TextVector(NamedTuple):
    """The vector of a text, and the vectors of each knowledge base by `View.identity`."""

    query: Vector
    vectors: Mapping[Hashable, Vectors]

    def cosine(self, view: View, artifact: Artifact) -> float:
        """The cosine of the artifact's nearest text."""
        return self.vectors[view.identity].cosine(key_of(artifact), self.query)

    def nearest(
        self, view: View, kinds: Collection[Kind], least: float, most: int
    ) -> list[tuple[Row, float]]:
        """The nearest texts that a viewer may see, each with its cosine, nearest first."""
        vectors = self.vectors[view.identity]
        return vectors.nearest(self.query, kinds, view.gates, least, most)
