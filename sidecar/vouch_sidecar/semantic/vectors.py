"""The vectors of one generation, by kind and gate: what a viewer may not see is not compared."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from vouch_sidecar.kb.records import Kind
from vouch_sidecar.semantic.embedded_texts import KindAndGate, Texts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vouch_sidecar.semantic.backend import Matrix

    Vector = NDArray[np.float32]


class Near(NamedTuple):
    """A text that is near: its artifact, its section, its mark, and the cosine."""

    kind: Kind
    id: str
    section: int
    mark: bytes
    cosine: float


class _Rows(NamedTuple):
    rows: list[tuple[str, int, bytes]]
    """Id, section and mark of each row."""
    matrix: Matrix


class Vectors(NamedTuple):
    """The vectors of a generation. Immutable. `by_mark` holds rows of the blocks."""

    blocks: Mapping[KindAndGate, _Rows]
    by_mark: Mapping[bytes, Vector]

    @property
    def dimension(self) -> int | None:
        """The number of dimensions; None without vectors."""
        return next((block.matrix.shape[1] for block in self.blocks.values()), None)

    def cosine(self, marks: Iterable[bytes], query: Vector) -> float:
        """The greatest cosine of some texts; 0 if no vector is known."""
        vectors = (self.by_mark.get(mark) for mark in marks)
        return max((float(vector @ query) for vector in vectors if vector is not None), default=0.0)

    def nearest(
        self,
        query: Vector,
        kinds: Collection[Kind],
        gates: Collection[str],
        least: float,
        most: int,
    ) -> list[Near]:
        """The nearest texts for a viewer with these gates, with a cosine of `least` or more,
        nearest first.
        """
        import numpy as np

        hits: list[Near] = []
        for (kind, gate), block in self.blocks.items():
            if kind not in kinds or gate not in gates:
                continue
            cosines = block.matrix @ query
            first = np.argpartition(-cosines, most)[:most] if most < len(cosines) else ...
            for at in np.arange(len(cosines))[first]:
                if (cosine := float(cosines[at])) >= least:
                    artifact_id, section, mark = block.rows[at]
                    hits.append(Near(kind, artifact_id, section, mark, cosine))
        hits.sort(key=lambda near: (-near.cosine, near.kind, near.id, near.section))
        return hits[:most]


def arranged(of: Texts, vectors: Mapping[bytes, Vector]) -> Vectors:
    """The vectors of a generation from `vectors`, which must include one for every text.
    Raises ValueError where they differ in length.
    """
    import numpy as np

    rows: defaultdict[KindAndGate, list[tuple[str, int, bytes]]] = defaultdict(list)
    for (_, artifact_id), texts in of.by_artifact.items():
        marks = enumerate(texts.marks)
        rows[texts.place] += [(artifact_id, section, mark) for section, mark in marks if mark]
    blocks = {
        place: _Rows(rows_there, np.stack([vectors[mark] for _, _, mark in rows_there]))
        for place, rows_there in rows.items()
        if rows_there
    }
    # Rows of these blocks, so that no earlier ones are kept.
    by_mark = {
        mark: block.matrix[at]
        for block in blocks.values()
        for at, (_, _, mark) in enumerate(block.rows)
    }
    return Vectors(blocks, by_mark)


def to_bytes(vectors: Vectors) -> bytes:
    """Vectors as a file holds them."""
    import numpy as np

    out = io.BytesIO()
    marks = np.array([list(mark) for mark in vectors.by_mark], np.uint8)
    np.savez(out, marks=marks, vectors=np.array([*vectors.by_mark.values()], np.float32))
    return out.getvalue()


def from_bytes(data: bytes) -> dict[bytes, Vector]:
    """The vectors in a file; empty if the file is damaged."""
    import numpy as np

    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as held:
            marks, vectors = held["marks"], held["vectors"].astype(np.float32)
        return {bytes(mark): row for mark, row in zip(marks, vectors, strict=True)}
    except Exception:  # zipfile and numpy raise whatever they come upon
        return {}
