"""Splits a document into headings, code, markup and the sentences of what is left, over wrapped
lines, in Markdown, reStructuredText and plain text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from vouch_sidecar.text.windows import MAX_WINDOW, matches, replaced

MAX_SENTENCE = 1_000
"""Characters of a sentence; after so many, the next full stop ends it in any case."""
MAX_HEADING = 200
MAX_LEAD_INS = 4
"""Lists around an item, each with a sentence that leads it in."""
_DEEPEST = 7
"""The level of a heading whose marks tell none."""
MAX_PARAGRAPH = 20_000
"""Characters of a paragraph; a longer one is taken for data."""


class Form(StrEnum):
    """The form of a text. Only a `STATEMENT` says something by itself."""

    STATEMENT = "statement"
    HEADING = "heading"
    LEAD_IN = "lead-in"
    LINK = "link"
    CODE = "code"
    MARKUP = "markup"
    TALK = "talk"
    FRAGMENT = "fragment"


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
    paragraph: Span | None = None
    """The paragraph, or item of a list, of the sentences."""
    is_cut: bool = False
    """Whether it is only a part of an item that something leads in: the item is longer than
    `MAX_SENTENCE`, or stands in more than `MAX_LEAD_INS` lists.
    """

    @property
    def parts(self) -> tuple[Span, ...]:
        """The places on which it depends what is said of this one."""
        around = () if self.paragraph is None else (self.paragraph,)
        return ((self.start, self.end), *self.headings, *self.lead_ins, *around)


@dataclass
class _Block:
    """A paragraph, an item of a list, or a heading: the pieces of its lines."""

    form: Form
    pieces: list[tuple[int, int]] = field(default_factory=list)
    sentences: list[tuple[str, int, int]] | None = None
    """The sentences, each as one line with its start and end; None before they are needed."""
    indent: int = 0
    is_item: bool = False
    mark: str = ""
    """The first sign of an item's mark."""
    level: int = 0
    """Of a heading, how deep it is: 1 for a title."""

    @property
    def start(self) -> int:
        return self.pieces[0][0]

    @property
    def end(self) -> int:
        return self.pieces[-1][1]


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
        self._blocks = _Blocks(text).read()
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
            (self._blocks[prose[0]].start, self._blocks[prose[-1]].end),
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
            elif block.form is Form.MARKUP and not self._is_passed_over(block):
                within[-1].last = None
            lists.append((within[-1].item, within[-1].lead_ins))
        return lists

    def _lead_in(self, block: _Block) -> Span | None:
        """The place of the last sentence of a block, if it ends in a colon."""
        tail = self.text[max(block.start, block.end - MAX_HEADING) : block.end]
        if not _NOTE_MARK.sub("", tail).rstrip("*_ ").endswith((":", "：")):
            return None
        _, start, end = _touched(self.text, block, block.end - 1, block.end)[-1]
        return start, end

    def _only_sentence(self, block: _Block) -> Span | None:
        if block.end - block.start > MAX_HEADING:
            return None
        sentences = _touched(self.text, block, block.start, block.end)
        return sentences[0][1:] if len(sentences) == 1 else None

    def _is_passed_over(self, block: _Block) -> bool:
        """Whether markup between a sentence and a list parts them no more than a blank line."""
        text = self.text[block.start : min(block.end, block.start + MAX_WINDOW)]
        return bool(_TAG.match(text) or _RULE.match(text))

    def _is_picture(self, block: _Block) -> bool:
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


# Blocks

_FENCE = re.compile(r"[ \t]*(?:[-*+>]\s+|\d+[.)]\s+)?(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_BOLD = re.compile(r"[ \t]*(?:\*\*[^*]+\*\*|__[^_]+__):?[ \t]*\Z")
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}[ \t]*\Z")
_FENCE_SIGNS = ("`", "~")
_REFERENCE = re.compile(r" {0,3}\[[^\]\[^][^\]\[]*+\]:(?:[ \t]|\Z)")
"""Where a link leads that is named elsewhere; a footnote (`[^1]:`) is prose."""
_RULE = re.compile(r"[ \t]*(?:[-*_=][ \t]*){3,}\Z")
_ITEM = re.compile(
    r"[ \t]*+(?:(?:[-*+•–]|\d{1,3}[.)]|\(?[a-zA-Z][.)]|\#\.)[ \t]+(?:\[[ xX]\][ \t]+)?"
    r"|<li\b[^<>\n]{0,200}>[ \t]*)(?=\S)"
)
"""The mark of an item: a dash, bullet, number, letter or tag, and a box to tick."""
_RARE_ITEM = re.compile(
    r"[ \t]*+(?:[\u2010-\u2015\u2023\u2043\u25a0-\u25ff\u2600-\u27bf\u2b00-\u2bff"
    r"\U0001f300-\U0001faff]\ufe0f?|\(\d{1,3}\))[ \t]+(?=\S)"
)
"""A mark that a line of a sentence may begin with, too: another dash, a pictograph, `(7)`."""
_NOTE_MARK = re.compile(r"(?:\[\^[^\[\]]*+\]|\[\d+\]_)[*_ ]*\Z")
"""The mark of a footnote at the end of a sentence."""
_QUOTE = re.compile(r"[ \t]{0,3}(?:>[ \t]?)+")
_DIRECTIVE = re.compile(r"[ \t]*\.\.(?:[ \t]|$)")
_CODE_DIRECTIVE = re.compile(
    r"[ \t]*\.\.[ \t]+(?:[\w-]+:)?(?:code|code-block|sourcecode|highlight"
    r"|parsed-literal|literalinclude|math|raw|doctest|testcode|testoutput|tab|console|prompt|productionlist)::"
)
_FIELD = re.compile(r"[ \t]*:[\w -]+:(?:[ \t]|$)")
_ROW = re.compile(r"[ \t]*+\|(?:[^|\n]*+\|)++[ \t]*+\Z")
_SEPARATOR = re.compile(r"[ \t]*+(?:\|[ \t]*+)?+:?-++:?[ \t]*+(?:[|+][ \t]*+:?[-=]*+:?[ \t]*+)*+\Z")
_GRID = re.compile(r"[ \t]*\+(?:[-=]+\+)+[ \t]*\Z")
_TAG = re.compile(r"[ \t]*+(?:<!--.*|(?:[^-\n]++|-(?!->\Z))*+-->|</?[a-zA-Z][^<>]*>[ \t]*)\Z")
_LEVELS = {"=": 1, "-": 2, "~": 3, "^": 4}
"""The levels of headings by the sign that underlines them, as most documents have them."""
_SPEAKER = re.compile(r"(?:User|Human|Assistant|AI|Bot|System|Agent):[ \t]")
_LINE_END = re.compile(r"\r\n|\r|\n")


class _Blocks:
    """Reads the lines of a document into blocks, in one pass. Blank lines belong to no block."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = list(_lines(text))
        self._out: list[_Block] = []
        self._open: _Block | None = None
        self._code_below = -1
        """Lines indented deeper than this are code; -1 outside a block of code."""
        self._free = True
        """Whether an indent of four spaces begins code; False in lists and below a directive."""

    def read(self) -> list[_Block]:
        number = self._front_matter()
        while number < len(self._lines):
            number = self._take(number)
        for block in self._out:
            if block.end - block.start > MAX_PARAGRAPH:
                block.form = Form.MARKUP
        return self._out

    def _front_matter(self) -> int:
        if self._lines and self._line(0).rstrip() == "---":
            for number in range(1, min(len(self._lines), 200)):
                if self._line(number).rstrip() == "---":
                    for each in range(number + 1):
                        self._alone(Form.MARKUP, each)
                    return number + 1
        return 0

    def _line(self, number: int) -> str:
        start, end = self._lines[number] if number < len(self._lines) else (0, 0)
        return self._text[start : min(end, start + MAX_WINDOW)]

    def _take(self, number: int) -> int:
        """Take one line, or several that belong together; the number of the next one."""
        line = self._line(number)
        if not line.strip():
            self._open = None
            return number + 1
        indent = len(line) - len(line.lstrip())
        if self._code_below >= 0:
            if indent > self._code_below:
                self._alone(Form.CODE, number)
                return number + 1
            self._code_below = -1
        if fence := _FENCE.match(line):
            return self._fenced(number, fence[1])
        if self._is_code_by_indent(line, indent):
            self._alone(Form.CODE, number)
            return number + 1
        self._note_container(line, indent)
        if self._is_titled(number):
            mark = self._line(number + 1)[:1]
            self._alone(Form.HEADING, number, _LEVELS.get(mark, len(_LEVELS) + 1))
            self._alone(Form.MARKUP, number + 1)
            return number + 2
        form = self._form_alone(line, number)
        if form is not None:
            marks = line.lstrip()
            level = len(marks) - len(marks.lstrip("#")) if form is Form.HEADING else 0
            self._alone(form, number, level or _DEEPEST)
            return number + 1
        self._prose(number, line, indent)
        return number + 1

    def _is_code_by_indent(self, line: str, indent: int) -> bool:
        deep = indent >= 4 or line.startswith("\t")
        return self._open is None and self._free and deep

    def _note_container(self, line: str, indent: int) -> None:
        if _ITEM.match(line) or _DIRECTIVE.match(line) or _FIELD.match(line):
            self._free = False
        elif indent == 0 and self._open is None:
            self._free = True
        if _CODE_DIRECTIVE.match(line):
            self._code_below = indent

    def _is_titled(self, number: int) -> bool:
        """Whether the line below underlines this one as a title."""
        line, below = self._line(number).rstrip(), self._line(number + 1)
        if self._open is not None or line[:1].isspace() or _UNDERLINE.match(line):
            return False
        if not _UNDERLINE.match(below) or _ITEM.match(line) or _ROW.match(line):
            return False
        # a fence below a line of Markdown is none: in reStructuredText it is as long as the title
        least = len(line) if below.startswith(_FENCE_SIGNS) else min(len(line), 3)
        return len(below.rstrip()) >= least

    def _form_alone(self, line: str, number: int) -> Form | None:
        """The form of a line that is a block by itself and no prose."""
        if _ATX.match(line):
            return Form.HEADING
        if _BOLD.match(line) and self._open is None:
            return Form.HEADING
        if self._is_row(line, number):
            return Form.MARKUP
        marks = (
            _RULE.match,
            _DIRECTIVE.match,
            _GRID.match,
            _TAG.match,
            _UNDERLINE.match,
            _REFERENCE.match,
        )
        if any(match(line) for match in marks):
            return Form.MARKUP
        return Form.MARKUP if "|" in line and _SEPARATOR.match(line) else None

    def _is_row(self, line: str, number: int) -> bool:
        """Whether a line is a row of a table, with or without bars at its ends."""
        if "|" not in line:
            return False
        if _ROW.match(line) or _SEPARATOR.match(self._line(number + 1)):
            return True
        if not self._out or self._out[-1].start < self._lines[number - 1][0]:
            return False
        return self._out[-1].form is Form.MARKUP and "|" in self._line(number - 1)

    def _fenced(self, number: int, mark: str) -> int:
        self._alone(Form.CODE, number)
        for at in range(number + 1, len(self._lines)):
            self._alone(Form.CODE, at)
            line = self._line(at).strip()
            if line.startswith(mark) and not line.strip(mark[0]):
                return at + 1
        return len(self._lines)

    def _alone(self, form: Form, number: int, level: int = 0) -> None:
        self._open = None
        if number < len(self._lines):
            start, end = self._trimmed(*self._lines[number])
            if start < end:
                self._out.append(_Block(form, [(start, end)], level=level))

    def _prose(self, number: int, line: str, indent: int) -> None:
        start, end = self._lines[number]
        quote = _QUOTE.match(line)
        if quote:
            start += quote.end()
            line = line[quote.end() :]
            indent = len(line) - len(line.lstrip())
        item = _ITEM.match(line) or self._rare_item(line)
        if item:
            start += item.end()
        elif field_mark := _FIELD.match(line):
            item = field_mark
        begins = item or _SPEAKER.match(line) or self._open is None
        start, end = self._trimmed(start, end)
        if start >= end:
            self._open = None
            return
        if begins or self._open is None:
            mark = line.lstrip()[:1] if item else ""
            self._open = _Block(Form.STATEMENT, indent=indent, is_item=bool(item), mark=mark)
            self._out.append(self._open)
        self._open.pieces.append((start, max(end, start + 1)))
        if line.rstrip().endswith("::"):
            self._code_below = indent

    def _rare_item(self, line: str) -> re.Match[str] | None:
        """A rare mark of an item, where a sentence can't go on: at the start of a paragraph, after
        a colon, and in a list of such items.
        """
        item, before = _RARE_ITEM.match(line), self._open
        if item is None or before is None or before.mark == line.lstrip()[:1]:
            return item
        return item if self._text.endswith((":", "："), before.start, before.end) else None

    def _trimmed(self, start: int, end: int) -> tuple[int, int]:
        text = self._text
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        return start, end


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each line, without its line end."""
    start = 0
    for line_end in _LINE_END.finditer(text):
        yield start, line_end.start()
        start = line_end.end()
    if start < len(text):
        yield start, len(text)


# Sentences

_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]*_`]*+(?=\s)|[。！？]+[」』）”]*")
_ABBREVIATED = frozenset(
    """
    e.g i.e etc vs cf viz resp approx incl excl al fig figs eq no nos vol pp p ch sec dr mr mrs ms
    prof st jr sr inc ltd co corp dept est max min avg jan feb mar apr jun jul aug sep sept oct nov
    dec z.b d.h u.a bzw ca
    """.split()
)
_LOOK_AHEAD = 40
_JOINED = re.compile("[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")


def _joined(text: str, pieces: Sequence[tuple[int, int]]) -> tuple[str, list[int]]:
    """Join pieces of lines into one line; also return the document offset of each character."""
    out: list[str] = []
    places: list[int] = []
    for start, end in pieces:
        if out and not (_JOINED.match(out[-1][-1]) and _JOINED.match(text[start])):
            out.append(" ")
            places.append(start)
        out.append(text[start:end])
        places += range(start, end)
    return "".join(out), places


def _touched(text: str, block: _Block, start: int, end: int) -> list[tuple[str, int, int]]:
    """The sentences of a block that a range touches: each as one line, with start and end."""
    if block.sentences is None:
        whole, places = _joined(text, block.pieces)
        block.sentences = [
            (" ".join(whole[first:last].split()), places[first], places[last - 1] + 1)
            for first, last in _sentences(whole)
        ]
    first = bisect_right(block.sentences, start, key=lambda sentence: sentence[2])
    last = bisect_left(block.sentences, end, key=lambda sentence: sentence[1])
    return block.sentences[first:last]


def after_mark(text: str, start: int) -> int:
    """Where the text of an item begins whose mark stands at an offset; the offset if none does."""
    mark = _ITEM.match(text, start) or _RARE_ITEM.match(text, start)
    return mark.end() if mark else start


def sentences_of(text: str) -> list[str]:
    """The sentences of a text without markup, each on one line."""
    line = " ".join(text.split())
    return [line[start:end] for start, end in _sentences(line)]


def _sentences(text: str) -> Iterator[tuple[int, int]]:
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
    return not (last in _ABBREVIATED or (len(last) == 1 and last.isalpha() and last != "i"))


def _is_open(so_far: str, rest: str) -> bool:
    """Whether a bracket is open at the end of `so_far` and closes in `rest`."""
    for opening, closing in ("()", "[]", "“”"):
        if so_far.count(opening) > so_far.count(closing) and closing in rest:
            return True
    return False


# Forms

_URL = re.compile(
    r"!?\[[^\[\]]*+\](?:\([^)\[]*+\)|\[[^\[\]]*+\])"
    r"|`[^`<]*+<[^`>]*+>`_*+|(?<!\w)<?\w++://[^\s>]*+>?"
)
_WORD = re.compile(r"[^\W_]+")
_MARKS = re.compile(r"</?[a-zA-Z][^<>]*+>")
_OFFER = re.compile(
    r"(?:let me|let's|i'll|i will|i'm (?:going|about) to|i am going to|would you like|do you want"
    r"|want me to|should i|shall i|could you|can you|feel free|please let|happy to|glad to"
    r"|hope (?:this|that)|is there anything|you're (?:right|welcome)|you are right|thanks"
    r"|thank you|sorry|apologies|now let me|next,? i'll|now i'll|if you(?:'d| would) like"
    r"|just let me|say the word)\b",
    re.IGNORECASE,
)
_ANSWERS = re.compile(
    r"(?:sure(?: thing)?|of course|great(?: question)?|good (?:question|catch|point|call)|nice"
    r"|perfect|excellent|absolutely|certainly|definitely|got it|understood|okay|ok|done"
    r"|all (?:set|done|good)|no problem|sounds good|yes|no|yep|nope|alright|right|there you go"
    r"|correct|exactly|fixed)"
    r"(?:\s*[,.!:;—–-]+\s*|\s*\Z)",
    re.IGNORECASE,
)
_FEW_WORDS = 3


def form_of_text(text: str) -> Form:
    """The form of a text, judged by the text alone."""
    line = text.strip()
    if _ATX.match(line):
        return Form.HEADING
    if line.rstrip("*_ ").endswith((":", "：")):
        return Form.LEAD_IN
    bare = replaced(_URL, " ", replaced(_URL, " ", line))  # a badge is a picture in a link
    if bare != line and len(_WORD.findall(bare)) < 2:
        return Form.LINK
    if not _WORD.search(replaced(_MARKS, " ", line)):
        return Form.MARKUP
    return Form.STATEMENT


def is_fragment(text: str) -> bool:
    """Whether what stands in a document is too little to say something: an item of one or two
    words, a path.
    """
    few = len(text.split()) < _FEW_WORDS and not _JOINED.search(text)
    return few and not text.rstrip("*_)\"' ").endswith((".", "!", "?"))


def is_talk(text: str) -> bool:
    """Whether a sentence of a message only addresses its reader: an offer, a question back, an
    acknowledgement.
    """
    line = text.strip().replace("’", "'")
    rest = line
    while answered := _ANSWERS.match(rest):
        rest = rest[answered.end() :]
    if _OFFER.match(rest) or line.rstrip("*_)\"' ").endswith(("?", "？")):
        return True
    return rest != line and len(_WORD.findall(rest)) < _FEW_WORDS
