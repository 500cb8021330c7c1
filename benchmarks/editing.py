"""Claims of a knowledge base that are changed for a while."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path

from benchmarks.client import PAUSE, Client
from benchmarks.generate import COMPLETE

HIDDEN = (b"superseded", b"archived", b"redacted", b"private", b"elsewhere")
"""Claims whose files hold these are in no answer, or not as they are."""

MAX_SECONDS = 60.0
"""Seconds until a claim is given up that is not answered as it was saved."""


@contextmanager
def lent(root: Path, number: int) -> Iterator[list[Path]]:
    """The files of so many live claims; afterwards they say what they said before. Who is killed
    meanwhile leaves a knowledge base that will be generated anew.
    """
    claims = ((path, path.read_bytes()) for path in _claims(root))
    live = ((path, said) for path, said in claims if not any(word in said for word in HIDDEN))
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


def answers_as_saved(client: Client, path: Path, text: str) -> None:
    """Report that the file of a claim was saved, and ask for the claim until its answer holds this
    text. (A new generation may come of what was worked out behind the change before.)
    """
    client.notify("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})
    until = time.monotonic() + MAX_SECONDS
    while text not in str(client.request("vouch/claim", {"id": path.stem})):
        if time.monotonic() > until:
            raise TimeoutError(path)
        time.sleep(PAUSE)


def edit(paths: Iterable[Path], words: str) -> None:
    """Put words in front of what claims say."""
    for path in paths:
        text = path.read_bytes().replace(b'text: "', b'text: "%b ' % words.encode(), 1)
        path.write_bytes(text)
