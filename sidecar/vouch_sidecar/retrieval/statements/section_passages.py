"""A section of a page in passages, its paragraphs and the items of its lists, and in an excerpt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vouch_sidecar.kb.sanitize import clip
from vouch_sidecar.retrieval.constants import MAX_PASSAGED
from vouch_sidecar.text.content_words import content_stems, terms
from vouch_sidecar.text.sentences import HEADING

EXCERPT_CHARS = 240
_BORDER = re.compile(r"\n[ \t]*+(?=[-*+|]|\d++[.)] |\r?\n)")
_QUOTED_CLAIM = re.compile(r"[ \t]?\[claim:([^\[\]|#\r\n]*+)[^\[\]\r\n]*+\]")
_SENTENCE = re.compile(r"(?<=[.!?。])\s+")
_LINK = re.compile(r"\[\[([^\[\]|\r\n]*+)(?:\|([^\[\]\r\n]*+))?\]\]")


class Passage(NamedTuple):
    """A paragraph or item: its text without marks, its stems, and the ids of the claims that it
    quotes.
    """

    text: str
    stems: tuple[str, ...]
    claim_ids: tuple[str, ...]


def heading(section: str) -> str:
    """The first line of a section, where it is a heading; else nothing."""
    return section.partition("\n")[0].strip() if HEADING.match(section) else ""


def passages(section: str) -> Iterator[Passage]:
    """The passages of a section below its heading, in order; of a very long one those at its
    start.
    """
    body = section.partition("\n")[2] if heading(section) else section
    for part in _BORDER.split(body[:MAX_PASSAGED]):
        if text_of_part := plain(part):
            quoted = tuple(match[1].strip() for match in _QUOTED_CLAIM.finditer(part))
            yield Passage(text_of_part, tuple(content_stems(text_of_part)), quoted)


def plain(text: str) -> str:
    """The start of a text of a page in one line, without `[claim: …]` and with `[[names]]` as they
    read.
    """
    read = _LINK.sub(lambda match: match[2] or match[1], _QUOTED_CLAIM.sub("", text[:MAX_PASSAGED]))
    return " ".join(read.split())


def excerpt(section: str, words: Sequence[str]) -> str:
    """A section from its heading on; a long one from the passage, or from the sentence of a long
    passage, that holds most of the words.
    """
    whole = plain(section)
    if len(whole) <= EXCERPT_CHARS or not words:
        return clip(whole, EXCERPT_CHARS)
    wanted = terms(" ".join(words))
    parts = [
        part
        for text, *_ in passages(section)
        for part in (_SENTENCE.split(text) if len(text) > EXCERPT_CHARS else [text])
    ]
    stems = [frozenset(content_stems(part)) for part in parts]
    held = [sum(word.held_by(each) for word in wanted) for each in stems]
    best = held.index(max(held)) if held else 0
    shown = filter(None, [heading(section), "…" if best else "", *parts[best:]])
    return clip(" ".join(shown), EXCERPT_CHARS)
