"""The interface of models, which turn texts into vectors."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
    """Vectors of length 1, one a row."""


class UnavailableError(Exception):
    """There are no vectors. The message says what to do about it, as a sentence without a full
    stop.
    """


class Backend(Protocol):
    """A model. Every method blocks, in a thread of its own, one at a time.

    `identity` differs between models whose vectors can't be compared. `any_script`: whether the
    model knows other scripts than Latin.
    """

    identity: str
    any_script: bool

    def embed(self, texts: Sequence[str], seconds: float) -> Matrix:
        """Make a row for each text. Raises UnavailableError, also when the time is over."""


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

    try:
        vectors: Matrix = np.asarray(rows, np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        is_usable = lengths.shape == (count, 1) and np.isfinite(lengths).all() and lengths.all()
    except (TypeError, ValueError, OverflowError):
        is_usable = False
    if not is_usable:
        raise UnavailableError("the model gives no vector for each text: choose another one")
    scaled: Matrix = vectors / lengths
    return scaled
