"""The whole sentences around a place in a document, with the heading above and what leads in their
list. Reads Markdown, reStructuredText and plain text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal

from vouch_sidecar.text.sentences import (
    HEADING,
    MAX_MATCHED,
    MAX_SENTENCE,
    WITHOUT_SPACES,
    Span,
    sentence_spans,
)

MAX_PARAGRAPH = 20_000
"""Characters of a paragraph; a longer one is taken for data."""
MAX_HEADING = 200
MAX_LEAD_INS = 4
"""Lists around an item, each with a sentence that leads it in."""
_FRONT_MATTER = re.compile(r"---[ \t]*\n(?:[^\n]*\n){0,200}?---[ \t]*(?=\n)")
_FENCE = re.compile(r"(?:[-*+>]\s+|\d+[.)]\s+)?(`{3,}|~{3,})")
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}\Z")
_BOLD = re.compile(r"(?:\*\*[^*]++\*\*|__[^_]++__):?\Z")
_ITEM = re.compile(
    r"[ \t]*+(?:(?:[-*+•–✅❌]|\d{1,3}[.)]|\(?[a-zA-Z][.)]|\#\.)[ \t]+(?:\[[ xX]\][ \t]+)?"
    r"|<li\b[^<>\n]{0,200}>[ \t]*|:[\w -]+:[ \t]+)(?=\S)"
)
"""The mark of an item: a dash, bullet, number, letter, tag or field, and a box to tick."""
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

_Kind = Literal["blank", "item", "more", "other", "text", "title", "underline"]
"""What a line of a document is; `more` goes on with the paragraph above."""


@dataclass(slots=True)
class Block:
    """A paragraph."""

    start: int
    end: int
    heading: Span | None
    item: int | None
    """The number of the block that begins the item in which this one stands."""
    lead_ins: tuple[Span, ...]
    """The sentences that end in a colon above the lists in which this stands, the outermost first.
    """


@dataclass(slots=True)
class _List:
    """What may hold a list: the document below its last heading, or an item of a list."""

    indent: int
    item: int | None = None
    lead_ins: tuple[Span, ...] = ()
    last: Block | None = None
    """The paragraph that a list in it would follow."""


def parts_of(text: str) -> tuple[list[Block], list[Span]]:
    """The paragraphs of a document, and its headings, in order."""
    blocks: list[Block] = []
    headings: list[Span] = []
    heading: Span | None = None
    lists = [_List(-1)]
    for kind, start, end, indent in _lines(text):
        if kind == "more":
            blocks[-1].end = end
        elif kind in ("text", "item"):
            while lists[-1].indent >= indent:
                lists.pop()
            if kind == "item":
                lists.append(_List(indent, len(blocks), _lead_ins(text, lists[-1])))
            within = lists[-1]
            blocks.append(Block(start, end, heading, within.item, within.lead_ins))
            within.last = blocks[-1]
        elif kind in ("title", "underline"):
            if kind == "underline":
                title = blocks.pop()
                start, end = title.start, title.end
            headings.append((start, end))
            heading = (start, end) if end - start <= MAX_HEADING else None
            lists = [_List(-1)]
        elif kind == "other":  # parts a sentence from a list below
            lists[-1].last = None
    return blocks, headings


def around(
    text: str, blocks: Sequence[Block], start: int, end: int
) -> tuple[str, Span, Block] | None:
    """The whole sentences that a range of a document with these blocks touches, on one line, where
    they stand, and the block of the first; None where it touches none. There is no text for a part
    of an item that something leads in, where the item is longer than `MAX_SENTENCE` or stands in
    more than `MAX_LEAD_INS` lists.
    """
    first = bisect_right(blocks, start, key=lambda block: block.end)
    last = bisect_left(blocks, end, key=lambda block: block.start)
    if first >= last:
        return None
    block = blocks[first]
    if block.lead_ins and block.item is not None:
        # what leads in an item leads in all of it, not one of its later sentences
        first, start, end = block.item, blocks[block.item].start, blocks[last - 1].end
        if end - start > MAX_SENTENCE or len(block.lead_ins) > MAX_LEAD_INS:
            return "", (start, end), block
    spans = [
        (begins, ends)
        for each in blocks[first:last]
        for begins, ends in _sentences(text, each.start, each.end)
        if ends > start and begins < end
    ]
    if not spans:
        return None
    whole = " ".join(unquoted(text[slice(*span)]) for span in spans)
    return whole, (spans[0][0], spans[-1][1]), block


def unquoted(text: str) -> str:
    """A part of a document on one line, without the marks of a quotation."""
    return " ".join(_BREAK_BETWEEN_SIGNS.sub("", _LINE_BREAK.sub("\n", text)).split())


def heading_text(heading: str) -> str:
    """A heading without its marks."""
    return heading.strip().strip("#*_ \t").rstrip(" \t:-–")


def after_mark(text: str, start: int) -> int:
    """Where the text of an item begins whose mark stands at an offset; the offset if none does."""
    return mark.end() if (mark := _ITEM.match(text, start)) else start


def _sentences(text: str, start: int, end: int) -> Iterator[Span]:
    if end - start <= MAX_PARAGRAPH:
        for first, last in sentence_spans(text[start:end]):
            yield start + first, start + last


def _lead_ins(text: str, within: _List) -> tuple[Span, ...]:
    """What leads in a list that begins here."""
    if within.last is None:
        return within.lead_ins
    end = within.last.end
    start = max(within.last.start, end - MAX_SENTENCE)
    if not text[start:end].rstrip("*_ ").endswith((":", "：")):
        return within.lead_ins
    return (*within.lead_ins, *[*_sentences(text, start, end)][-1:])[: MAX_LEAD_INS + 1]


def _lines(text: str) -> Iterator[tuple[_Kind, int, int, int]]:
    """What each line of a document is, where its text starts and ends, and its indent. What stands
    in code counts as blank.
    """
    at = front.end() if (front := _FRONT_MATTER.match(text)) else 0
    fence, code_below, is_open, title = "", inf, False, 0
    for whole in text[at:].split("\n"):
        begins = quote.end() if (quote := _QUOTE.match(whole)) else 0
        line = whole[begins : begins + MAX_MATCHED].rstrip()
        words = line.lstrip()
        indent = len(line) - len(words)
        kind: _Kind = "blank"
        if fence or not words or indent > code_below:
            fence = "" if words.startswith(fence) and not words.strip(fence[:1]) else fence
        else:
            kind = _kind_of(words, is_open)
            if title and _UNDERLINE.match(line) and (line[0] not in "`~" or len(line) >= title):
                kind = "underline"
            elif opened := _FENCE.match(words):
                kind, fence = "other", opened[1]
            code_below = indent if _ABOVE_CODE.match(words) else inf
        title = len(words) if kind == "text" and indent < 2 else 0
        is_open = kind in ("item", "more", "text")
        mark = after_mark(words, 0) if kind == "item" else 0
        yield kind, at + begins + indent + mark, at + len(whole.rstrip()), indent
        at += len(whole) + 1


def _kind_of(words: str, is_open: bool) -> _Kind:
    """What a line outside of code is by itself, where the line above may go on or not."""
    if HEADING.match(words) or (not is_open and _BOLD.match(words)):
        return "title"
    if _NO_PROSE.match(words):
        return "other"
    return "item" if _ITEM.match(words) else "more" if is_open else "text"
