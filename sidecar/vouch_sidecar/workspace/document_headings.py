"""The headings of documents that claims cite."""

from __future__ import annotations

import re
from typing import NamedTuple

from vouch_sidecar.text.around import parts_of
from vouch_sidecar.text.windows import MAX_WINDOW

MAX_HEADINGS = 200
"""Headings of a document that are read."""
MAX_DOCUMENT = 1 << 18
"""Bytes of a document that are read."""
_PLACEHOLDERS = re.compile(r"[|<]|\{\{|\{%|\$\{|\[(?![^\]\[]*+\][(\[])")
_CODE = re.compile(r"[_=;\\{}@]|\(\)|::")
_MARKUP = re.compile(r"[`*_]|\{[\w-]+\}|:[\w-]+:|\[|\](?:\([^)\]]*+\))?+")
_DOCUMENTS = (".md", ".markdown", ".rst", ".adoc", ".txt", ".org")


def has_headings(locator: str) -> bool:
    """Whether a locator, without query and fragment, names a text file that may have headings."""
    return any(part.endswith(_DOCUMENTS) for part in locator.lower().replace("#", "?").split("?"))


class DocumentHeading(NamedTuple):
    """A heading: where it begins and ends, in bytes, and its text."""

    offset: int
    offset_after: int
    text: str


def headings_in(data: bytes) -> list[DocumentHeading]:
    """The headings of a document, without lines in bold, and without those that are code, a row of
    a table or a placeholder of a template.
    """
    text = data[:MAX_DOCUMENT].decode("utf-8", "replace")
    headings: list[DocumentHeading] = []
    for start, end in parts_of(text)[1]:
        written = text[start:end][:MAX_WINDOW].strip(" \t#")
        if written.startswith(("**", "__")):
            continue
        if _PLACEHOLDERS.search(written) or _CODE.search(written):
            continue
        words = " ".join(_MARKUP.sub("", written).split())
        offset = len(text[:start].encode())
        after = offset + len(text[start:end].encode())
        headings.append(DocumentHeading(offset, after, words))
        if len(headings) == MAX_HEADINGS:
            break
    return headings
