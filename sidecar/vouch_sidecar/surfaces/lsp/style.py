"""Formats text for a client: as markdown, or plain if the client shows no markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lsprotocol import types as lsp

from vouch_sidecar.kb.sanitize import one_line
from vouch_sidecar.surfaces.lsp.paths import path_of
from vouch_sidecar.surfaces.lsp.server import Sidecar

ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# GitHub's markdown links bare addresses, so their "://", "www." and "@" are escaped, too.
MARKED = re.compile(r"[&<>\\`*_{}\[\]|~$@]|:(?=/)|(?<=www)\.", re.IGNORECASE)
BEGINS_BLOCK = re.compile(r"^([0-9]{0,9})(?=(?<=[0-9])[.)]|(?<![0-9])[#+=-])")
"""The start of a line that would make it a heading, list or rule."""
LINK_UNSAFE = str.maketrans({"(": "%28", ")": "%29", "<": "%3C", ">": "%3E", " ": "%20"})


@dataclass(frozen=True, slots=True)
class Style:
    """How to format for one client. `text` and `strong` take any text, `link` a label and a URI."""

    kind: lsp.MarkupKind
    text: Callable[[str], str]
    strong: Callable[[str], str]
    link: Callable[[str, str | None], str]

    def content(self, lines: Sequence[str]) -> lsp.MarkupContent:
        return lsp.MarkupContent(kind=self.kind, value="\n".join(lines))


PLAIN_TEXT = Style(lsp.MarkupKind.PlainText, one_line, one_line, lambda label, _: one_line(label))


def style_for(server: Sidecar) -> Style:
    """The style that the client prefers for hovers; markdown if it names none."""
    formats = server.capability("text_document.hover.content_format")
    return PLAIN_TEXT if formats and formats[0] is lsp.MarkupKind.PlainText else _markdown(server)


def _markdown(server: Sidecar) -> Style:
    """The markdown style, with links only to files in the workspace and the knowledge bases."""
    bases = (collection.root for collection in server.engine.collections.values())
    roots = [*bases, *server.engine.collections, *server.folders]
    uri_for = server.uris()

    def link(label: str, uri: str | None) -> str:
        file, _, line = (uri or "").partition("#")
        path = path_of(file)
        if path is None or not any(path.is_relative_to(root) for root in roots):
            return markdown(label)
        target = uri_for(path).translate(LINK_UNSAFE) + (f"#{line}" if line else "")
        return f"[{markdown(label)}]({target})"

    return Style(lsp.MarkupKind.Markdown, markdown, lambda text: f"**{markdown(text)}**", link)


def markdown(text: str) -> str:
    """A text as one line, escaped so that markdown shows it literally: no markup, heading, list,
    HTML, image or link.
    """
    shown = MARKED.sub(lambda mark: ESCAPED.get(mark[0], "\\" + mark[0]), one_line(text))
    return BEGINS_BLOCK.sub(r"\1\\", shown)


def paragraph(lines: Sequence[str]) -> list[str]:
    """Lines of one paragraph: all but the last end with two spaces, markdown's line break."""
    return [*(line + "  " for line in lines[:-1]), lines[-1]]
