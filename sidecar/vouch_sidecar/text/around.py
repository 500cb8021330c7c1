"""The whole sentences around a place in a document, with the heading above and what leads in their
list. Reads Markdown, reStructuredText and plain text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from vouch_sidecar.text.sentences import MAX_SENTENCE, WITHOUT_SPACES, sentence_spans
from vouch_sidecar.text.windows import MAX_WINDOW

MAX_PARAGRAPH = 20_000
"""Characters of a paragraph; a longer one is taken for data."""
MAX_HEADING = 200
MAX_LEAD_INS = 4
"""Lists around an item, each with a sentence that leads it in."""
_FRONT_MATTER = re.compile(r"---[ \t]*\n(?:[^\n]*\n){0,200}?---[ \t]*(?=\n)")
_FENCE = re.compile(r"(?:[-*+>]\s+|\d+[.)]\s+)?(`{3,}|~{3,})")
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}\Z")
_HEADING = re.compile(r"#{1,6}(?:[ \t]|$)|(?:\*\*[^*]+\*\*|__[^_]+__):?\Z")
_ITEM = re.compile(
    r"[ \t]*+(?:(?:[-*+•–✅❌]|\d{1,3}[.)]|\(?[a-zA-Z][.)]|\#\.)[ \t]+(?:\[[ xX]\][ \t]+)?"
    r"|<li\b[^<>\n]{0,200}>[ \t]*|:[\w -]+:[ \t]+)(?=\S)"
    r"|(?=(?:User|Human|Assistant|AI|Bot|System|Agent):[ \t])"
)
"""The mark of an item: a dash, bullet, number, letter, tag or field, and a box to tick; also where
somebody begins to speak.
"""
_QUOTE = re.compile(r"[ \t]{0,3}(?:>[ \t]?)+")
_NO_PROSE = re.compile(
    r"\||\.\.(?:[ \t]|$)|(?:[-*_=+|:][ \t]*){3,}\Z|</?[a-zA-Z][^<>]*>\Z|<!--"
    r"|\[[^\]\[^][^\]\[]*+\]:(?:[ \t]|\Z)"
)
"""Rows of tables, directives, rules, tags, comments, and where links lead; a footnote is prose."""
_ABOVE_CODE = re.compile(
    r"\.\.[ \t]+(?:[\w-]+:)?(?:code|code-block|sourcecode|highlight|parsed-literal|literalinclude"
    r"|math|raw|doctest|testcode|testoutput|tab|console|prompt|productionlist)::"
    r"|(?!\.\.[ \t]).*::\Z"
)
_LINE_BREAK = re.compile(r"\n(?:[ \t]{0,3}(?:>[ \t]?)+)?")
_BREAK_BETWEEN_SIGNS = re.compile(rf"(?<={WITHOUT_SPACES})\s*\n\s*(?={WITHOUT_SPACES})")

Span = tuple[int, int]
"""Start and end of a part of a document, in characters."""


@dataclass(slots=True)
class Block:
    """A paragraph, an item of a list, or a heading."""

    start: int
    end: int
    is_heading: bool = False
    heading: Span | None = None
    """The heading above a paragraph or item."""
    item: int | None = None
    """The number of the block that begins the item in which this one stands."""
    lead_ins: tuple[Span, ...] = ()
    """The sentences that end in a colon above the lists in which this stands, the outermost first.
    """

    @property
    def is_prose(self) -> bool:
        return not self.is_heading and self.end - self.start <= MAX_PARAGRAPH


class Place(NamedTuple):
    """The whole sentences around a range of a document; `text` is on one line."""

    text: str
    start: int
    end: int
    heading: Span | None
    lead_ins: tuple[Span, ...]
    is_cut: bool
    """Whether it is only a part of an item that something leads in: the item is longer than
    `MAX_SENTENCE`, or stands in more than `MAX_LEAD_INS` lists.
    """


@dataclass(slots=True)
class _List:
    """What may hold a list: the document below its last heading, or an item of a list."""

    indent: int
    item: int | None = None
    lead_ins: tuple[Span, ...] = ()
    last: Block | None = None
    """The paragraph that a list in it would follow."""


def blocks_of(text: str) -> list[Block]:
    """The paragraphs, items and headings of a document, in order."""
    reader, start = _Reader(text), 0
    front = _FRONT_MATTER.match(text)
    for line in text.split("\n"):
        if front is None or start >= front.end():
            reader.take(start, start + len(line.rstrip()))
        start += len(line) + 1
    return reader.blocks


def around(text: str, blocks: Sequence[Block], start: int, end: int) -> Place | None:
    """The whole sentences that a range of a document with these blocks touches; None where it
    touches none.
    """
    first = max(0, bisect_right(blocks, start, key=lambda block: block.start) - 1)
    last = bisect_left(blocks, end, key=lambda block: block.start)
    touched = [n for n in range(first, last) if blocks[n].is_prose and blocks[n].end > start]
    if not touched:
        return None
    block, is_cut = blocks[touched[0]], False
    if block.lead_ins and block.item is not None:
        # what leads in an item leads in all of it, not one of its later sentences
        start, end = blocks[block.item].start, blocks[touched[-1]].end
        is_cut = end - start > MAX_SENTENCE or len(block.lead_ins) > MAX_LEAD_INS
        touched = list(range(touched[-1] if is_cut else block.item, touched[-1] + 1))
    spans = [
        (begins, ends)
        for one in map(blocks.__getitem__, touched)
        if one.is_prose
        for begins, ends in _sentences(text, one.start, one.end)
        if ends > start and begins < end
    ]
    if not spans:
        return None
    whole = " ".join(one_line(text[begins:ends]) for begins, ends in spans)
    return Place(whole, spans[0][0], spans[-1][1], block.heading, block.lead_ins, is_cut)


def one_line(text: str) -> str:
    """A part of a document on one line, without the marks of a quotation."""
    text = _LINE_BREAK.sub("\n", text) if "\n" in text else text
    return " ".join(_BREAK_BETWEEN_SIGNS.sub("", text).split())


def heading_text(heading: str) -> str:
    """A heading without its marks."""
    return heading.strip().strip("#*_ \t").rstrip(" \t:-–")


def after_mark(text: str, start: int) -> int:
    """Where the text of an item begins whose mark stands at an offset; the offset if none does."""
    mark = _ITEM.match(text, start)
    return mark.end() if mark else start


def _sentences(text: str, start: int, end: int) -> Iterator[Span]:
    return ((start + first, start + last) for first, last in _spans_in(text[start:end]))


@lru_cache(maxsize=64)
def _spans_in(paragraph: str) -> Sequence[Span]:
    # Many claims may quote one paragraph.
    return tuple(sentence_spans(paragraph))


class _Reader:
    """Reads the lines of a document into blocks, in one pass."""

    def __init__(self, text: str) -> None:
        self.blocks: list[Block] = []
        self._text = text
        self._is_open = False
        """Whether the next line may belong to the last block."""
        self._fence = ""
        self._code_below = -1
        """Lines indented deeper than this are code; -1 outside a block of code."""
        self._heading: Span | None = None
        self._lists = [_List(-1)]

    def take(self, start: int, end: int) -> None:
        """Read the line between two offsets."""
        line = self._text[start : min(end, start + MAX_WINDOW)].rstrip()
        quote = _QUOTE.match(line)
        start, line = (start + quote.end(), line[quote.end() :]) if quote else (start, line)
        words = line.lstrip()
        indent = len(line) - len(words)
        if self._fence:
            if words.startswith(self._fence) and not words.strip(self._fence[0]):
                self._fence = ""
            return
        if words and indent <= self._code_below:
            self._code_below = -1
        if not words or self._code_below >= 0:
            self._is_open = False
            return
        if self._underlines(line):
            self._close_title()
        elif fence := _FENCE.match(words):
            self._fence = fence[1]
            self._interrupt()
        elif _HEADING.match(words) and (words[0] == "#" or not self._is_open):
            self._title(start + indent, end)
        elif _NO_PROSE.match(words):
            self._interrupt()
        else:
            self._prose(start, end, line, indent)
        if _ABOVE_CODE.match(words):
            self._code_below = indent

    def _underlines(self, line: str) -> bool:
        """Whether a line underlines the one above as a title. A fence below a line of Markdown does
        not: in reStructuredText it is as long as the title.
        """
        if not self._is_open or not _UNDERLINE.match(line):
            return False
        title = self._text[self.blocks[-1].start : self.blocks[-1].end]
        least = len(title) if line[0] in "`~" else min(len(title), 3)
        return "\n" not in title and len(line) >= least and self.blocks[-1].item is None

    def _close_title(self) -> None:
        title = self.blocks.pop()
        self._title(title.start, title.end)

    def _title(self, start: int, end: int) -> None:
        self.blocks.append(Block(start, end, is_heading=True))
        self._heading = (start, end) if end - start <= MAX_HEADING else None
        self._lists, self._is_open = [_List(-1)], False

    def _interrupt(self) -> None:
        """What is no prose parts a sentence from a list below."""
        self._lists[-1].last, self._is_open = None, False

    def _prose(self, start: int, end: int, line: str, indent: int) -> None:
        mark = _ITEM.match(line)
        if self._is_open and mark is None:
            self.blocks[-1].end = end
            return
        is_item = mark is not None and mark.end() > 0
        while len(self._lists) > 1 and self._lists[-1].indent >= indent:
            self._lists.pop()
        if is_item:
            lead_ins = self._lead_ins(self._lists[-1])
            self._lists.append(_List(indent, len(self.blocks), lead_ins))
        within = self._lists[-1]
        begins = start + (mark.end() if mark and is_item else indent)
        block = Block(begins, end, False, self._heading, within.item, within.lead_ins)
        self.blocks.append(block)
        within.last, self._is_open = block, True

    def _lead_ins(self, within: _List) -> tuple[Span, ...]:
        """What leads in a list that begins here."""
        if within.last is None:
            return within.lead_ins
        end = within.last.end
        start = max(within.last.start, end - MAX_SENTENCE)
        if not self._text[start:end].rstrip("*_ ").endswith((":", "：")):
            return within.lead_ins
        return (*within.lead_ins, *[*_sentences(self._text, start, end)][-1:])[: MAX_LEAD_INS + 1]
