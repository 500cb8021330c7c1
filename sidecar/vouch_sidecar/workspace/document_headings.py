"""The headings of documents that claims cite."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from vouch_sidecar.text.windows import MAX_WINDOW

MAX_HEADINGS = 200
"""Headings of a document that are read."""
MAX_DOCUMENT = 1 << 18
"""Bytes of a document that are read."""
_ATX = re.compile(r"^ {0,3}#{1,6}[ \t](.++)", re.MULTILINE)
_UNDERLINED = re.compile(r"^([^\s].{1,80})\n([=\-~^\"'`*+])\2{2,}[ \t]*$", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(`{3,}+|~{3,}+)[^`\n]*+$", re.MULTILINE)
_PLACEHOLDERS = re.compile(r"[|<]|\{\{|\{%|\$\{|\[(?![^\]\[]*+\][(\[])")
_CODE = re.compile(r"[_=;\\{}@]|\(\)|::")
_MARKUP = re.compile(r"[`*_]|\{[\w-]+\}|:[\w-]+:|\[|\](?:\([^)\]]*+\))?+")
_TEMPLATE = re.compile(r"(?:\A|[/_.-])template(?:s?/|\.\w{1,8}\Z)", re.IGNORECASE)
_DOCUMENTS = (".md", ".markdown", ".rst", ".adoc", ".txt", ".org")


def has_headings(locator: str) -> bool:
    """Whether a locator, without query and fragment, names a text file that may have headings. A
    template has none that count: it is about nothing.
    """
    if _TEMPLATE.search(locator):
        return False
    return any(part.endswith(_DOCUMENTS) for part in locator.lower().replace("#", "?").split("?"))


class DocumentHeading(NamedTuple):
    """A heading: its start in bytes, its start and end in characters, and its text."""

    offset: int
    start: int
    end: int
    text: str


def headings_in(data: bytes, is_restructured: bool = False) -> list[DocumentHeading]:
    """The headings of a document in Markdown or reStructuredText. Headings inside code or front
    matter are left out, and those that are code, a row of a table or a placeholder of a template.
    """
    text = data[:MAX_DOCUMENT].decode("utf-8", "replace")
    marked = () if is_restructured else _ATX.finditer(text)
    underlined = (m for m in _UNDERLINED.finditer(text) if is_restructured or m[2] not in "`~")
    by_place = {m.start(): m for m in (*marked, *underlined)}
    borders = _borders_of_code(text)
    ascii_only = text.isascii()
    headings: list[DocumentHeading] = []
    for at in sorted(by_place):
        written = by_place[at][1][:MAX_WINDOW].rstrip(" \t#")
        is_in_code = bisect_right(borders, at) % 2
        if is_in_code or _PLACEHOLDERS.search(written) or _CODE.search(written):
            continue
        offset = at if ascii_only else len(text[:at].encode())
        words = " ".join(_MARKUP.sub("", written).split())
        headings.append(DocumentHeading(offset, at, by_place[at].end(1), words))
        if len(headings) == MAX_HEADINGS:
            break
    return headings


def _borders_of_code(text: str) -> list[int]:
    """The offsets where front matter and blocks of code begin and end, alternating."""
    borders = []
    if text.startswith("---\n"):
        borders = [0, end + 4] if (end := text.find("\n---", 3)) >= 0 else []
    fence = ""
    for border in _FENCE.finditer(text):
        if not fence:
            fence = border[1]
        elif border[1].startswith(fence):
            fence = ""
        else:
            continue
        borders.append(border.start())
    return borders
