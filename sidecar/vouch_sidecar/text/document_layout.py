"""The sentences around a place in a document, over wrapped lines, with the headings above them and
what leads in their list.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from vouch_sidecar.text.document_blocks import MAX_PARAGRAPH, Block, blocks_of, parts_nothing
from vouch_sidecar.text.sentences import MAX_SENTENCE, WITHOUT_SPACES, sentence_spans
from vouch_sidecar.text.text_forms import Form, form_of_text

MAX_HEADING = 200
MAX_LEAD_INS = 4
"""Lists around an item, each with a sentence that leads it in."""
_NOTE_MARK = re.compile(r"(?:\[\^[^\[\]]*+\]|\[\d+\]_)[*_ ]*\Z")
"""The mark of a footnote at the end of a sentence."""

Span = tuple[int, int]
"""Start and end of a part of a document, in characters."""


class Place(NamedTuple):
    """The whole sentences around a range of a document; `text` is on one line. Where the range
    touches no sentence, the block that it touches; of one longer than `MAX_PARAGRAPH`, `text` is
    the range only.
    """

    form: Form
    text: str
    start: int
    end: int
    headings: tuple[Span, ...] = ()
    """The places of the headings above, the nearest first."""
    lead_ins: tuple[Span, ...] = ()
    """The places of the sentences that end in a colon above the lists in which this stands, the
    outermost first.
    """
    is_cut: bool = False
    """Whether it is only a part of an item that something leads in: the item is longer than
    `MAX_SENTENCE`, or stands in more than `MAX_LEAD_INS` lists.
    """


@dataclass
class _Container:
    """What may hold a list: the document, below its last heading, or an item of a list."""

    indent: int
    item: int | None
    """The number of the item's block."""
    lead_ins: tuple[Span, ...]
    last: Span | None = None
    """The place of the last sentence that stands in it by now, if it ends in a colon."""
    only: Span | None = None
    """The place of its only sentence by now, if it has one."""

    def lead_in(self) -> tuple[Span, ...]:
        """The places of what leads in a list that begins here. An item leads in the items in it
        where something leads in itself: “never: deploy: at night”.
        """
        last = self.last or (self.only if self.lead_ins else None)
        return (*self.lead_ins, *([last] if last else []))[: MAX_LEAD_INS + 1]


class Layout:
    """A document's text in blocks."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._blocks = blocks_of(text)
        self._starts = [block.start for block in self._blocks]

    def sentences_around(self, start: int, end: int) -> Place | None:
        """The whole sentences that a range touches; None where it touches no text."""
        first = max(0, bisect_right(self._starts, start) - 1)
        touched = []
        for number in range(first, len(self._blocks)):
            if self._blocks[number].start >= end:
                break
            if self._blocks[number].end > start:
                touched.append(number)
        prose = [n for n in touched if self._blocks[n].form is Form.STATEMENT]
        if not touched:
            return None
        if not prose:
            block = self._blocks[touched[0]]
            first, last = block.start, block.end
            if last - first > MAX_PARAGRAPH:  # many ranges may touch it, and each is given its text
                first = max(first, start)
                last = min(last, end, first + MAX_PARAGRAPH)
            text = " ".join(self.text[first:last].split())
            return Place(block.form, text, block.start, block.end)
        spans = [span for n in prose for span in _touched(self.text, self._blocks[n], start, end)]
        if not spans:
            return None
        item, lead_ins = self._lists[prose[0]]
        is_cut = False
        if lead_ins and item is not None:  # it leads in the item, not one of its later sentences
            start, end = self._blocks[item].start, self._blocks[prose[-1]].end
            is_cut = end - start > MAX_SENTENCE or len(lead_ins) > MAX_LEAD_INS
            blocks = range(prose[-1] if is_cut else item, prose[-1] + 1)
            prose = [n for n in blocks if self._blocks[n].form is Form.STATEMENT]
            spans = [s for n in prose for s in _touched(self.text, self._blocks[n], start, end)]
        text = " ".join(part for part, _, _ in spans)
        return Place(
            Form.STATEMENT,
            text,
            min(begins for _, begins, _ in spans),
            max(ends for _, _, ends in spans),
            tuple(self._headings_above(prose[0])),
            lead_ins,
            is_cut,
        )

    def heading(self, place: Span) -> str:
        """A heading without its marks."""
        text = self.text[place[0] : place[1]].strip()
        return text.strip("#*_ \t").rstrip(" \t:-–")

    def sentences_in(self, place: Span) -> list[tuple[str, int, int]]:
        """The sentences that a range touches, each as one line with its start and end."""
        first = max(0, bisect_right(self._starts, place[0]) - 1)
        out: list[tuple[str, int, int]] = []
        for block in self._blocks[first:]:
            if block.start >= place[1]:
                break
            if block.form is Form.STATEMENT and block.end > place[0]:
                out += _touched(self.text, block, *place)
        return out

    def _headings_above(self, number: int) -> Iterator[Span]:
        """The headings under which a block stands, the nearest first."""
        nearest = bisect_right(self._headings, number) - 1
        at = self._headings[nearest] if nearest >= 0 else None
        while at is not None:
            block = self._blocks[at]
            if block.end - block.start <= MAX_HEADING:
                yield block.start, block.end
            at = self._heading_over[at]

    @cached_property
    def _lists(self) -> list[tuple[int | None, tuple[Span, ...]]]:
        """For each block the number of the item of a list that it belongs to, if any, and the
        places of the sentences that lead in the lists around it, the outermost first.
        """
        lists: list[tuple[int | None, tuple[Span, ...]]] = []
        within = [_Container(-1, None, ())]
        for number, block in enumerate(self._blocks):
            if block.form is Form.HEADING:
                within = [_Container(-1, None, ())]
            if block.form is Form.STATEMENT and not self._is_picture(block):
                while len(within) > 1 and within[-1].indent >= block.indent:
                    within.pop()
                if block.is_item:
                    within.append(_Container(block.indent, number, within[-1].lead_in()))
                within[-1].last = self._lead_in(block)
                within[-1].only = self._only_sentence(block) if block.is_item else None
            elif block.form is Form.MARKUP and not parts_nothing(
                self.text[block.start : block.end]
            ):
                within[-1].last = None
            lists.append((within[-1].item, within[-1].lead_ins))
        return lists

    def _lead_in(self, block: Block) -> Span | None:
        """The place of the last sentence of a block, if it ends in a colon."""
        tail = self.text[max(block.start, block.end - MAX_HEADING) : block.end]
        if not _NOTE_MARK.sub("", tail).rstrip("*_ ").endswith((":", "：")):
            return None
        _, start, end = _touched(self.text, block, block.end - 1, block.end)[-1]
        return start, end

    def _only_sentence(self, block: Block) -> Span | None:
        if block.end - block.start > MAX_HEADING:
            return None
        sentences = _touched(self.text, block, block.start, block.end)
        return sentences[0][1:] if len(sentences) == 1 else None

    def _is_picture(self, block: Block) -> bool:
        """Whether a block is an image or a link, and nothing else."""
        if not self.text.startswith(("!", "[", "<"), block.start):
            return False
        return form_of_text(self.text[block.start : block.end]) is Form.LINK

    @cached_property
    def _headings(self) -> list[int]:
        return [n for n, block in enumerate(self._blocks) if block.form is Form.HEADING]

    @cached_property
    def _heading_over(self) -> dict[int, int | None]:
        """For the number of each heading, that of the nearest one above that is less deep."""
        over: dict[int, int | None] = {}
        open_ = list[int]()
        for number in self._headings:
            while open_ and self._blocks[open_[-1]].level >= self._blocks[number].level:
                open_.pop()
            over[number] = open_[-1] if open_ else None
            open_.append(number)
        return over


def _joined(text: str, pieces: Sequence[tuple[int, int]]) -> tuple[str, list[int]]:
    """Join pieces of lines into one line; also return the document offset of each character."""
    out: list[str] = []
    places: list[int] = []
    for start, end in pieces:
        if out and not (WITHOUT_SPACES.match(out[-1][-1]) and WITHOUT_SPACES.match(text[start])):
            out.append(" ")
            places.append(start)
        out.append(text[start:end])
        places += range(start, end)
    return "".join(out), places


def _touched(text: str, block: Block, start: int, end: int) -> list[tuple[str, int, int]]:
    """The sentences of a block that a range touches: each as one line, with start and end."""
    if block.sentences is None:
        whole, places = _joined(text, block.pieces)
        block.sentences = [
            (" ".join(whole[first:last].split()), places[first], places[last - 1] + 1)
            for first, last in sentence_spans(whole)
        ]
    first = bisect_right(block.sentences, start, key=lambda sentence: sentence[2])
    last = bisect_left(block.sentences, end, key=lambda sentence: sentence[1])
    return block.sentences[first:last]
