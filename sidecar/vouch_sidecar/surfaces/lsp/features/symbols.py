"""The outline of a file below `.vouch/`: its artifact, the fields, the headings of a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

from lsprotocol import types as lsp

from vouch_sidecar.kb.layout import classify
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.kb.references import front_of, scalars
from vouch_sidecar.kb.sanitize import clip, one_line
from vouch_sidecar.surfaces.lsp.documents import EditorDocument
from vouch_sidecar.surfaces.lsp.ids import File, file_at
from vouch_sidecar.surfaces.lsp.server import Sidecar

SYMBOLS = {
    Kind.CLAIM: lsp.SymbolKind.Constant,
    Kind.ENTITY: lsp.SymbolKind.Class,
    Kind.PAGE: lsp.SymbolKind.File,
    Kind.RELATION: lsp.SymbolKind.Interface,
    Kind.SOURCE: lsp.SymbolKind.Package,
    Kind.EVIDENCE: lsp.SymbolKind.String,
    Kind.SESSION: lsp.SymbolKind.Event,
}
"""The LSP symbol kind of each kind of artifact."""
TITLES = ("title", "name", "text", "quote", "locator", "task", "id")
"""The fields that may label an artifact, best first."""
LABEL = 80
MAX_SYMBOLS = 1_000
FIELD = re.compile(r"(?<![^\r\n])([A-Za-z_]+)[ \t]*:(?=[ \t\r\n]|\Z)")
HEADING = re.compile(r"(?<![^\r\n])(#{1,6})[ \t]+([^\r\n]+)")


class Part(NamedTuple):
    """A field (level 0) or a heading (level 1 to 6), from offset `start` to `end` of the text."""

    level: int
    start: int
    label_end: int
    label: str
    end: int


def register(server: Sidecar) -> None:
    """Answer `textDocument/documentSymbol`."""
    server.on(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL, partial(_symbols, server))


def _symbols(
    server: Sidecar, params: lsp.DocumentSymbolParams
) -> list[lsp.DocumentSymbol] | list[lsp.SymbolInformation] | None:
    file = file_at(server, params.text_document.uri)
    kind = classify(file.relative) if file is not None else None
    if file is None or kind is None:
        return None
    document = file.document
    front = front_of(file.relative, document.source)
    parts = _page(document.source, front) if kind is Kind.PAGE else _fields(front)
    root = lsp.DocumentSymbol(
        name=_title(file),
        detail=kind.value,
        kind=SYMBOLS[kind],
        range=document.range_of(0, len(document.source)),
        selection_range=document.range_of(0, 0),
        children=_nested(document, parts[:MAX_SYMBOLS]),
    )
    shows_trees = "text_document.document_symbol.hierarchical_document_symbol_support"
    return [root] if server.capability(shows_trees) else _flat(root, document.uri)


def _title(file: File) -> str:
    values = {one.field: one.text for one in scalars(file.document.source)}
    title = next((values[name] for name in TITLES if values.get(name, "").strip()), file.relative)
    return clip(one_line(title), LABEL) or file.relative


def _fields(text: str) -> list[Part]:
    found = list(FIELD.finditer(text))
    ends = [*(one.start() for one in found[1:]), len(text)]
    parts = zip(found, ends, strict=False)  # without fields there is one end too many
    return [Part(0, one.start(), one.end(1), one[1], end) for one, end in parts]


def _page(text: str, front: str) -> list[Part]:
    """The fields of the front matter, then the headings below it."""
    body = len(front)
    headings = list(islice(HEADING.finditer(text, body), MAX_SYMBOLS))
    parts = _fields(front)
    for at, one in enumerate(headings):
        level = len(one[1])
        after = (other.start() for other in headings[at + 1 :] if len(other[1]) <= level)
        parts.append(Part(level, one.start(), one.end(), one[2], next(after, len(text))))
    return parts


def _nested(document: EditorDocument, parts: Sequence[Part]) -> list[lsp.DocumentSymbol]:
    """The parts as symbols, with deeper headings nested in the heading above."""
    top: list[lsp.DocumentSymbol] = []
    above: list[tuple[int, list[lsp.DocumentSymbol]]] = [(0, top)]
    for part in parts:
        while part.level and above[-1][0] >= part.level:
            above.pop()
        inner: list[lsp.DocumentSymbol] = []
        above[-1][1].append(
            lsp.DocumentSymbol(
                name=clip(one_line(part.label), LABEL) or "#",
                kind=lsp.SymbolKind.String if part.level else lsp.SymbolKind.Field,
                range=document.range_of(part.start, part.end),
                selection_range=document.range_of(part.start, part.label_end),
                children=inner,
            )
        )
        if part.level:
            above.append((part.level, inner))
    return top


def _flat(symbol: lsp.DocumentSymbol, uri: str, above: str = "") -> list[lsp.SymbolInformation]:
    """A symbol and all symbols inside as a list, for clients without hierarchical symbols."""
    own = lsp.SymbolInformation(
        location=lsp.Location(uri, symbol.range),
        name=symbol.name,
        kind=symbol.kind,
        container_name=above or None,
    )
    return [own, *(one for c in symbol.children or () for one in _flat(c, uri, symbol.name))]
