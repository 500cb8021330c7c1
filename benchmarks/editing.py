"""Claims of a knowledge base that are changed for a while."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path

from benchmarks.generate import COMPLETE

RETIRED = (b"superseded", b"archived", b"redacted")
"""Nobody notices whether these change."""


@contextmanager
def lent(root: Path, number: int) -> Iterator[list[Path]]:
    """The files of so many live claims; afterwards they say what they said before. Who is killed
    meanwhile leaves a knowledge base that will be generated anew.
    """
    claims = ((path, path.read_bytes()) for path in _claims(root))
    live = ((path, said) for path, said in claims if not any(word in said for word in RETIRED))
    before = dict(islice(live, number))
    (root / COMPLETE).unlink()
    try:
        yield list(before)
    finally:
        for path, said in before.items():
            if path.read_bytes() != said:
                path.write_bytes(said)
        (root / COMPLETE).touch()


def _claims(root: Path) -> Iterator[Path]:
    return (root / ".vouch" / "claims" / f"claim-{i:06d}.yaml" for i in count())


def edit(paths: Iterable[Path], words: str) -> None:
    """Put words in front of what claims say."""
    for path in paths:
        text = path.read_bytes().replace(b'text: "', b'text: "%b ' % words.encode(), 1)
        path.write_bytes(text)
