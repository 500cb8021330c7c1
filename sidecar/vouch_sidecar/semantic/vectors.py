"""Texts as vectors: one for each that is compared by meaning, which are claims, entities with a
description and sections of pages. What a viewer may not see is not told.
"""

from __future__ import annotations

import io
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from vouch_sidecar.index.artifact_documents import texts
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.records import RECORD_OF, Artifact, Entity, Key, Kind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vector: TypeAlias = "NDArray[np.float32]"
Matrix: TypeAlias = "NDArray[np.float32]"
"""Vectors of length 1, one a row."""


class UnavailableError(Exception):
    """There are no vectors. The message says what to do about it, as a sentence without a full
    stop.
    """


class Row(NamedTuple):
    """The place of a text: its artifact, its section, and its mark, by which its vector is kept."""

    kind: Kind
    id: str
    section: int
    mark: bytes


def texts_of(knowledge: Knowledge, any_script: bool) -> tuple[list[Row], dict[bytes, str]]:
    """The texts of a generation that a model can read: their rows, in order, and the texts by their
    marks.
    """
    rows: list[Row] = []
    by_mark: dict[bytes, str] = {}
    for kind in (Kind.CLAIM, Kind.ENTITY, Kind.PAGE):
        for artifact in knowledge.all_of(RECORD_OF[kind]):
            is_name = isinstance(artifact, Entity) and not artifact.description
            for section, text in enumerate(() if is_name else texts(artifact)):
                if any_script or is_latin(text):
                    mark = blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
                    rows.append(Row(kind, artifact.id, section, mark))
                    by_mark[mark] = text
    return sorted(rows), by_mark


class Vectors(NamedTuple):
    """The vectors of a generation: `matrix` has one for each row, sorted. Immutable."""

    rows: Sequence[Row]
    matrix: Matrix


class TextVector(NamedTuple):
    """The vector of a text, and the vectors of each knowledge base by its identity."""

    query: Vector
    vectors: Mapping[Hashable, Vectors]

    def fits(self) -> bool:
        """Whether all vectors have as many dimensions as the text's."""
        return all(
            not each.rows or each.matrix.shape[1] == len(self.query)
            for each in self.vectors.values()
        )

    def cosine(self, base: Hashable, key: Key) -> float:
        """The cosine of an artifact's nearest text; 0 if it has none."""
        rows, matrix = self.vectors[base]
        first = bisect_left(rows, key, key=lambda row: row[:2])
        last = bisect_right(rows, key, key=lambda row: row[:2])
        return float((matrix[first:last] @ self.query).max()) if first < last else 0.0

    def nearest(
        self,
        base: Hashable,
        kinds: Collection[Kind],
        seen: Callable[[Key], Artifact | None],
        least: float,
    ) -> Iterator[tuple[Artifact, int, float]]:
        """The artifacts of the nearest texts of a knowledge base that are `seen` by a viewer, each
        with the section of the text and its cosine, of `least` or more; nearest first.
        """
        vectors = self.vectors[base]
        cosines = vectors.matrix @ self.query if vectors.rows else vectors.matrix
        for at in (-cosines).argsort(kind="stable"):
            row, cosine = vectors.rows[at], float(cosines[at])
            if cosine < least:
                return
            if row.kind in kinds and (artifact := seen((row.kind, row.id))) is not None:
                yield artifact, row.section, cosine


def arranged(rows: Sequence[Row], vectors: Mapping[bytes, Vector]) -> Vectors:
    """The vectors of a generation from `vectors`, which must include one for every mark. Raises
    ValueError where they differ in length.
    """
    import numpy as np

    return Vectors(rows, np.array([vectors[row.mark] for row in rows], np.float32))


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


def is_latin(text: str) -> bool:
    """Whether a text has letters, most of them Latin."""
    letters = [c for c in text if c.isalpha()]
    latin = sum(c.isascii() or unicodedata.name(c, "").startswith("LATIN") for c in letters)
    return 2 * latin > len(letters)


def unit(rows: object, count: int) -> Matrix:
    """The rows as `count` vectors of length 1. Raises UnavailableError where they are no such
    vectors.
    """
    import numpy as np

    with suppress(TypeError, ValueError, OverflowError):
        vectors: Matrix = np.array(rows, np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if lengths.shape == (count, 1) and np.isfinite(lengths).all() and lengths.all():
            vectors /= lengths
            return vectors
    raise UnavailableError("the model gives no vector for each text: choose another one")
