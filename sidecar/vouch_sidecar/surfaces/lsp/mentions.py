"""The entities that an open document names at a position."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lsprotocol import types as lsp

from vouch_sidecar.kb.layout import KB_DIRNAME
from vouch_sidecar.operations import EntityCard, mentioned_at
from vouch_sidecar.surfaces.lsp.documents import Document
from vouch_sidecar.surfaces.lsp.paths import path_of
from vouch_sidecar.surfaces.lsp.prompts import is_prompt
from vouch_sidecar.surfaces.lsp.prose import is_code
from vouch_sidecar.surfaces.lsp.server import Sidecar

__all__ = ["Found", "find"]

REACH = 2_000
"""Characters on either side of a position that are looked at, at least."""

SPACE = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class Found:
    """What is named, and where; `in_code`: by an identifier of code, not in a comment or string."""

    range: lsp.Range
    in_code: bool
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
    in_code = not _is_ours(document) and is_code(document.language_id, document.source, offset)
    place = document.range_of(start + named.start, start + named.end)
    return Found(place, in_code, named.cards)


def _is_ours(document: Document) -> bool:
    """Whether a document is a prompt or stands under `.vouch/`, where all of it is prose."""
    path = path_of(document.uri)
    below = path is not None and KB_DIRNAME in path.parts
    return below or is_prompt(document.uri, document.language_id)


def _surroundings(text: str, offset: int) -> tuple[int, int]:
    """Offsets of the text around a position, cut between words."""
    before = SPACE.search(text, max(0, offset - 2 * REACH), max(0, offset - REACH))
    after = SPACE.search(text, offset + REACH)
    start = before.end() if before is not None else max(0, offset - REACH)
    if offset <= REACH:
        start = 0
    return start, min(after.start() if after is not None else len(text), offset + 2 * REACH)
