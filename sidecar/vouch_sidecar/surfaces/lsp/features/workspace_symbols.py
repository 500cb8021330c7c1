"""Finds entities, claims and pages of all knowledge bases by name, id or words."""

from __future__ import annotations

from functools import partial

from lsprotocol import types as lsp

from vouch_sidecar.kb.records import Entity, Kind, Page, key_of
from vouch_sidecar.kb.sanitize import clip, one_line
from vouch_sidecar.operations.artifacts import ArtifactViews
from vouch_sidecar.operations.readiness import caught_up
from vouch_sidecar.retrieval.constants import STARTER_PAGE
from vouch_sidecar.retrieval.prefix_search import prefix_search
from vouch_sidecar.retrieval.search import text_of
from vouch_sidecar.surfaces.lsp.ids import location
from vouch_sidecar.surfaces.lsp.server import Sidecar

SYMBOL_KINDS = (Kind.ENTITY, Kind.PAGE, Kind.CLAIM)
MAX_SYMBOLS = 40
"""Symbols of one kind in an answer."""
SYMBOL_CHARS = 120

SYMBOLS = {
    Kind.CLAIM: lsp.SymbolKind.Constant,
    Kind.ENTITY: lsp.SymbolKind.Class,
    Kind.PAGE: lsp.SymbolKind.File,
}
"""The LSP symbol kind of each kind of artifact."""


def register(server: Sidecar) -> None:
    """Answer `workspace/symbol`."""
    server.on(lsp.WORKSPACE_SYMBOL, partial(_answer, server))


async def _answer(
    server: Sidecar, params: lsp.WorkspaceSymbolParams
) -> list[lsp.SymbolInformation]:
    await caught_up(server.engine, None, server.caller)
    with server.engine.breath:
        return _symbols(server, params)


def _symbols(server: Sidecar, params: lsp.WorkspaceSymbolParams) -> list[lsp.SymbolInformation]:
    """Exact names first, then names that begin with the query, then texts with its words."""
    served = server.engine.serving(server.caller)
    matches = [
        (match.fits, SYMBOL_KINDS.index(key_of(match.artifact)[0]), match.artifact, several)
        for several in served
        for match in prefix_search(several.view, params.query.strip(), SYMBOL_KINDS, MAX_SYMBOLS)
        if key_of(match.artifact) != (Kind.PAGE, STARTER_PAGE)
    ]
    matches.sort(key=lambda match: (*match[:2], match[2].id))
    symbols = []
    for _, _, artifact, served_by in matches:
        uri = ArtifactViews(served_by.view, served_by.collection.root).uri(artifact.path)
        if (place := location(server, uri)) is None:
            continue
        match artifact:
            case Entity(name=text) | Page(title=text):
                pass
            case _:
                text = text_of(artifact)
        label, kind = (
            clip(one_line(text), SYMBOL_CHARS) or artifact.id,
            SYMBOLS[key_of(artifact)[0]],
        )
        symbols.append(lsp.SymbolInformation(place, label, kind, container_name=artifact.id))
    return symbols
