"""How text is written for a client: as markdown, or plain where it shows no markdown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lsprotocol import types as lsp

from vouch_sidecar.kb.plain import one_line
from vouch_sidecar.surfaces.lsp.paths import path_of
from vouch_sidecar.surfaces.lsp.server import Sidecar

ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# Bare addresses become links in GitHub's markdown, so their "://", "www." and "@" are marked too.
MARKED = re.compile(r"[&<>\\`*_{}\[\]|~$@]|:(?=/)|(?<=www)\.", re.IGNORECASE)
BEGINS = re.compile(r"^([0-9]{0,9})(?=(?<=[0-9])[.)]|(?<![0-9])[#+=-])")
"""What makes a heading, a list or a rule of a line that begins with it."""
LINK_UNSAFE = str.maketrans({"(": "%28", ")": "%29", "<": "%3C", ">": "%3E", " ": "%20"})


@dataclass(frozen=True, slots=True)
class Style:
    """How to write for one client. `text` and `strong` take any text, `link` a label and a URI."""

    kind: lsp.MarkupKind
    text: Callable[[str], str]
    strong: Callable[[str], str]
    link: Callable[[str, str | None], str]

    def content(self, lines: Sequence[str]) -> lsp.MarkupContent:
        return lsp.MarkupContent(kind=self.kind, value="\n".join(lines))


PLAIN = Style(lsp.MarkupKind.PlainText, one_line, one_line, lambda label, _: one_line(label))


def style_for(server: Sidecar) -> Style:
    """The style that the client names first for hovers; markdown where it names none."""
    formats = server.capability("text_document.hover.content_format")
    return PLAIN if formats and formats[0] is lsp.MarkupKind.PlainText else _markdown(server)


def _markdown(server: Sidecar) -> Style:
    """Markdown whose only links are to files in the workspace and the knowledge bases."""
    roots = [*server.engine.collections, *server.folders]
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
    """One line that markdown shows as it is, also where it begins a line: no markup, heading, list,
    HTML, image or link of its own.
    """
    shown = MARKED.sub(lambda found: ENTITIES.get(found[0], "\\" + found[0]), one_line(text))
    return BEGINS.sub(r"\1\\", shown)


def paragraph(lines: Sequence[str]) -> list[str]:
    """Lines of one paragraph. Two spaces are markdown's sign for a new line within it."""
    return [*(line + "  " for line in lines[:-1]), lines[-1]]


def isolated(text: str) -> str:
    """The text; if it has right-to-left letters, in an isolate, so that its neighbours stay in
    order.
    """
    turns = any(unicodedata.bidirectional(char) in ("R", "AL") for char in text)
    return f"\u2068{text}\u2069" if turns else text
