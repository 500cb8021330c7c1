"""Reads a document into blocks: paragraphs, items of lists, headings, code and markup, in Markdown,
reStructuredText and plain text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from vouch_sidecar.text.text_forms import ATX_HEADING, Form
from vouch_sidecar.text.windows import MAX_WINDOW

MAX_PARAGRAPH = 20_000
"""Characters of a paragraph; a longer one is taken for data."""
DEEPEST = 7
"""The level of a heading whose marks tell none."""
_FENCE = re.compile(r"[ \t]*(?:[-*+>]\s+|\d+[.)]\s+)?(`{3,}|~{3,})")
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


@dataclass
class Block:
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


def blocks_of(text: str) -> list[Block]:
    """The blocks of a document, in order."""
    return _BlockReader(text).read()


def parts_nothing(markup: str) -> bool:
    """Whether markup between a sentence and a list parts them no more than a blank line."""
    line = markup[:MAX_WINDOW]
    return bool(_TAG.match(line) or _RULE.match(line))


def after_mark(text: str, start: int) -> int:
    """Where the text of an item begins whose mark stands at an offset; the offset if none does."""
    mark = _ITEM.match(text, start) or _RARE_ITEM.match(text, start)
    return mark.end() if mark else start


class _BlockReader:
    """Reads the lines of a document into blocks, in one pass. Blank lines belong to no block."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = list(_lines(text))
        self._out: list[Block] = []
        self._open: Block | None = None
        self._code_below = -1
        """Lines indented deeper than this are code; -1 outside a block of code."""
        self._free = True
        """Whether an indent of four spaces begins code; False in lists and below a directive."""

    def read(self) -> list[Block]:
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
            self._alone(form, number, level or DEEPEST)
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
        if ATX_HEADING.match(line):
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
                self._out.append(Block(form, [(start, end)], level=level))

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
            self._open = Block(Form.STATEMENT, indent=indent, is_item=bool(item), mark=mark)
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
