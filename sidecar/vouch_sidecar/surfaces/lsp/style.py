"""How text is written for a client: as markdown, or plain where it shows no markdown."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lsprotocol import types as lsp

from vouch_sidecar.surfaces.lsp.paths import path_of
from vouch_sidecar.surfaces.lsp.server import Sidecar
from vouch_sidecar.surfaces.plain import markdown, one_line

__all__ = ["Style", "isolated", "plain", "style_for"]

LINK_UNSAFE = str.maketrans({"(": "%28", ")": "%29", "<": "%3C", ">": "%3E", " ": "%20"})


@dataclass(frozen=True, slots=True)
class Style:
    """How to write for one client: the text of others, a strong text, and a link."""

    kind: lsp.MarkupKind
    text: Callable[[str], str]
    strong: Callable[[str], str]
    link: Callable[[str, str | None], str]

    def content(self, lines: Sequence[str]) -> lsp.MarkupContent:
        return lsp.MarkupContent(kind=self.kind, value="\n".join(lines))


def style_for(server: Sidecar) -> Style:
    """How the client shows hovers: its first choice; markdown where it does not say."""
    document = server.client_capabilities.text_document
    hover = document.hover if document is not None else None
    formats = hover.content_format if hover is not None else None
    return plain() if formats and formats[0] is lsp.MarkupKind.PlainText else _markdown(server)


def plain() -> Style:
    return Style(lsp.MarkupKind.PlainText, one_line, one_line, lambda label, _: one_line(label))


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


def isolated(text: str) -> str:
    """A text that holds right-to-left letters, kept from turning round what stands beside it."""
    turns = any(unicodedata.bidirectional(char) in ("R", "AL") for char in text)
    return f"\u2068{text}\u2069" if turns else text
