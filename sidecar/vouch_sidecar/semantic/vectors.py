"""The vectors of one generation, one a text. What a viewer may not see is not told."""

from __future__ import annotations

import io
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from vouch_sidecar.kb.records import Key, Kind
from vouch_sidecar.semantic.embedded_texts import Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vouch_sidecar.semantic.backend import Matrix

    Vector = NDArray[np.float32]


class Vectors(NamedTuple):
    """The vectors of a generation: `matrix` has one for each row. Immutable."""

    rows: Sequence[Row]
    matrix: Matrix
    by_artifact: Mapping[Key, list[int]]
    """The numbers of each artifact's rows."""

    @property
    def by_mark(self) -> dict[bytes, Vector]:
        return {row.mark: self.matrix[at] for at, row in enumerate(self.rows)}

    def fits(self, query: Vector) -> bool:
        """Whether the vectors have as many dimensions as a query."""
        return not self.rows or self.matrix.shape[1] == len(query)

    def cosine(self, key: Key, query: Vector) -> float:
        """The greatest cosine of an artifact's texts; 0 if it has none."""
        rows = self.by_artifact.get(key)
        return float((self.matrix[rows] @ query).max()) if rows else 0.0

    def nearest(
        self,
        query: Vector,
        kinds: Collection[Kind],
        gates: Collection[str],
        least: float,
        most: int,
    ) -> list[tuple[Row, float]]:
        """The nearest texts for a viewer with these gates, each with its cosine, of `least` or
        more; nearest first.
        """
        near: list[tuple[Row, float]] = []
        cosines = self.matrix @ query if self.rows else self.matrix
        for at in (-cosines).argsort(kind="stable"):
            row, cosine = self.rows[at], float(cosines[at])
            if cosine < least or len(near) == most:
                break
            if row.kind in kinds and row.gate in gates:
                near.append((row, cosine))
        return near


def arranged(rows: Sequence[Row], vectors: Mapping[bytes, Vector]) -> Vectors:
    """The vectors of a generation from `vectors`, which must include one for every mark. Raises
    ValueError where they differ in length.
    """
    import numpy as np

    by_artifact: dict[Key, list[int]] = {}
    for at, row in enumerate(rows):
        by_artifact.setdefault((row.kind, row.id), []).append(at)
    matrix = np.array([vectors[row.mark] for row in rows], np.float32)
    return Vectors(rows, matrix, by_artifact)


def to_bytes(vectors: Vectors) -> bytes:
    """Vectors as a file holds them."""
    import numpy as np

    out = io.BytesIO()
    marks = np.array([list(row.mark) for row in vectors.rows], np.uint8)
    np.savez(out, marks=marks, vectors=vectors.matrix)
    return out.getvalue()


def from_bytes(data: bytes) -> dict[bytes, Vector]:
    """The vectors in a file, by mark; empty if the file is damaged."""
    import numpy as np

    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as held:
            marks, vectors = held["marks"], held["vectors"].astype(np.float32)
        return {bytes(mark): row for mark, row in zip(marks, vectors, strict=True)}
    except Exception:  # zipfile and numpy raise whatever they come upon
        return {}
