"""An editor that can do everything LSP knows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.protocol.client import Client

ABLE: dict[str, Any] = {
    "textDocument": {
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "definition": {},
        "completion": {"completionItem": {"documentationFormat": ["markdown"]}},
        "publishDiagnostics": {"codeDescriptionSupport": True},
    },
    "workspace": {"symbol": {}, "workspaceFolders": True},
    "window": {"showDocument": {"support": True}},
}
"""Capabilities without dynamic registration."""


class Editor:
    """A client in which documents are open. Positions are given by words of the text."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.texts: dict[str, str] = {}

    def open(self, where: Path | str, text: str | None = None, language: str = "yaml") -> str:
        """Open a file, or a document that holds `text`; its URI."""
        uri = where if isinstance(where, str) else where.as_uri()
        if text is None:
            assert isinstance(where, Path)
            text = where.read_text("utf-8")
        self.texts[uri] = text
        self.client.open(uri, text, language)
        return uri

    def at(self, uri: str, words: str, method: str) -> Any:
        """Ask at the first place of some words; `|` in them is the caret, else their beginning."""
        before, _, after = words.partition("|") if "|" in words else ("", "", words)
        offset = self.texts[uri].index(before + after) + len(before)
        document = {"textDocument": {"uri": uri}, "position": self.position(uri, offset)}
        return self.client.request(method, document)

    def position(self, uri: str, offset: int) -> dict[str, int]:
        """The position of an offset, in units of UTF-16."""
        lines = re.split(r"\r\n|\r|\n", self.texts[uri][:offset])
        return {"line": len(lines) - 1, "character": len(lines[-1].encode("utf-16-le")) // 2}

    def said(self, uri: str, span: Any) -> str:
        """The text of a document at a range."""
        text = self.texts[uri]
        places = [self.position(uri, offset) for offset in range(len(text) + 1)]
        return text[places.index(span["start"]) : places.index(span["end"])]
