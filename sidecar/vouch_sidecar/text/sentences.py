"""Splits text without markup into sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vouch_sidecar.text.windows import matches

MAX_SENTENCE = 1_000
"""Characters of a sentence; after so many, the next full stop ends it in any case."""

_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]*_`]*+(?=\s)|[。！？]+[」』）”]*")
ABBREVIATED = frozenset(
    """
    e.g i.e etc vs cf viz resp approx incl excl al fig figs eq no nos vol pp p ch sec dr mr mrs ms
    prof st jr sr inc ltd co corp dept est max min avg jan feb mar apr jun jul aug sep sept oct nov
    dec z.b d.h u.a bzw ca
    """.split()
)
_LOOK_AHEAD = 40
WITHOUT_SPACES = "[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]"
"""A sign of a script without spaces, as an expression."""


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in matches(_END, text):
        if end.start() < start or not _ends(text, start, end.start(), end.end()):
            continue
        yield start, end.end()
        start = end.end()
        while start < len(text) and text[start].isspace():
            start += 1
    if start < len(text):
        yield start, len(text)


def _ends(text: str, start: int, mark: int, end: int) -> bool:
    """Whether a sentence that began at `start` ends with the marks at `mark`."""
    if end - start > MAX_SENTENCE:
        return True
    so_far = text[start:end]
    if so_far.count("`") % 2 or _is_open(so_far, text[end : end + MAX_SENTENCE]):
        return False
    if text[mark] in "。！？":
        return True
    following = text[end : end + _LOOK_AHEAD].lstrip()[:1]
    if following.islower():
        return False
    if text[mark] != "." or text[mark : mark + 2] == "..":
        return True
    word = so_far[: mark - start].split()[-1:] or [""]
    last = word[0].lstrip("([{\"'“‘*_").lower()
    return not (last in ABBREVIATED or (len(last) == 1 and last.isalpha() and last != "i"))


def _is_open(so_far: str, rest: str) -> bool:
    """Whether a bracket is open at the end of `so_far` and closes in `rest`."""
    for opening, closing in ("()", "[]", "“”"):
        if so_far.count(opening) > so_far.count(closing) and closing in rest:
            return True
    return False
