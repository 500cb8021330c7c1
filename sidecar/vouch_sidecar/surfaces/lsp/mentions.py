"""The entities that an open document names at a position."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lsprotocol import types as lsp

from vouch_sidecar.operations import EntityCard, mentioned_at
from vouch_sidecar.surfaces.lsp.server import Sidecar

__all__ = ["Found", "find"]

REACH = 2_000
"""Characters on either side of a position that are looked at, at least."""

SPACE = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class Found:
    """What is named, and where."""

    range: lsp.Range
    cards: tuple[EntityCard, ...]


def find(server: Sidecar, params: lsp.HoverParams | lsp.DefinitionParams) -> Found | None:
    """What a document names at a position; None for other words and documents not open."""
    document = server.documents.find(params.text_document.uri)
    offset = document.offset_at(params.position) if document is not None else None
    if document is None or offset is None:
        return None
    start, end = _surroundings(document.source, offset)
    named = mentioned_at(server.engine, server.caller, document.source[start:end], offset - start)
    if named is None or not named.cards:
        return None
    return Found(document.range_of(start + named.start, start + named.end), named.cards)


def _surroundings(text: str, offset: int) -> tuple[int, int]:
    """Offsets of the text around a position, cut between words."""
    before = SPACE.search(text, max(0, offset - 2 * REACH), max(0, offset - REACH))
    after = SPACE.search(text, offset + REACH)
    start = before.end() if before is not None else max(0, offset - REACH)
    if offset <= REACH:
        start = 0
    return start, min(after.start() if after is not None else len(text), offset + 2 * REACH)
