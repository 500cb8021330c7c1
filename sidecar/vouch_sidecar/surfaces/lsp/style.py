"""Formats text for a client: as markdown, or plain if the client shows no markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lsprotocol import types as lsp

from vouch_sidecar.kb.sanitize import clip, one_line
from vouch_sidecar.surfaces.lsp.documents import path_of
from vouch_sidecar.surfaces.lsp.server import Sidecar

ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# GitHub's markdown links bare addresses, so their "://", "www." and "@" are escaped, too.
MARKED = re.compile(r"[&<>\\`*_{}\[\]|~$@]|:(?=/)|(?<=www)\.", re.IGNORECASE)
BEGINS_BLOCK = re.compile(r"^([0-9]{0,9})(?=(?<=[0-9])[.)]|(?<![0-9])[#+=-])")
"""The start of a line that would make it a heading, list or rule."""
LINK_UNSAFE = str.maketrans({"(": "%28", ")": "%29", "<": "%3C", ">": "%3E", " ": "%20"})
TEXT_CHARS = 240
HEAD_CHARS = 80


class Style:
    """How to format for a client: as it prefers for hovers, in markdown if it names nothing. Texts
    are cut and made one line each.
    """

    def __init__(self, server: Sidecar) -> None:
        formats = server.capability("text_document.hover.content_format")
        self._is_plain = bool(formats) and formats[0] is lsp.MarkupKind.PlainText
        bases = (collection.root for collection in server.engine.collections.values())
        self._roots = [*bases, *server.engine.collections, *server.folders]
        self._uri_for = server.uris()

    def text(self, text: str, limit: int = TEXT_CHARS) -> str:
        shown = clip(one_line(text), limit)
        return shown if self._is_plain else markdown(shown)

    def strong(self, text: str, limit: int = HEAD_CHARS) -> str:
        shown = self.text(text, limit)
        return shown if self._is_plain else f"**{shown}**"

    def link(self, label: str, uri: str | None) -> str:
        """A label that leads to a file in the workspace or a knowledge base, and nowhere else."""
        shown, (file, _, line) = self.text(label, HEAD_CHARS), (uri or "").partition("#")
        path = path_of(file)
        is_inside = path is not None and any(map(path.is_relative_to, self._roots))
        if self._is_plain or path is None or not is_inside:
            return shown
        target = self._uri_for(path).translate(LINK_UNSAFE) + (f"#{line}" if line else "")
        return f"[{shown}]({target})"

    def content(self, lines: Sequence[str]) -> lsp.MarkupContent:
        kind = lsp.MarkupKind.PlainText if self._is_plain else lsp.MarkupKind.Markdown
        return lsp.MarkupContent(kind, "\n".join(lines))


def markdown(text: str) -> str:
    """A text as one line, escaped so that markdown shows it literally: no markup, heading, list,
    HTML, image or link.
    """
    shown = MARKED.sub(lambda mark: ESCAPED.get(mark[0], "\\" + mark[0]), one_line(text))
    return BEGINS_BLOCK.sub(r"\1\\", shown)


def paragraph(lines: Sequence[str]) -> list[str]:
    """Lines of one paragraph: all but the last end with two spaces, markdown's line break."""
    return [*(line + "  " for line in lines[:-1]), lines[-1]]
