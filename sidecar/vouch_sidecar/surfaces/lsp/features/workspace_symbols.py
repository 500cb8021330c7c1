"""Finds entities, claims and pages of all knowledge bases by name, title or id."""

from __future__ import annotations

from functools import partial

from lsprotocol import types as lsp

from vouch_sidecar.engine import Served
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.records import Artifact, Kind, key_of
from vouch_sidecar.kb.sanitize import clip, one_line
from vouch_sidecar.operations.readiness import caught_up
from vouch_sidecar.retrieval.constants import STARTER_PAGE
from vouch_sidecar.retrieval.prefix_search import prefix_search
from vouch_sidecar.retrieval.search import text_of
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
    """Exact names first, then names that begin with the query, then those that hold it."""
    matches = [
        (match.fits, SYMBOL_KINDS.index(key_of(match.artifact)[0]), match.artifact, served)
        for served in server.engine.serving(server.caller)
        for match in prefix_search(served.view, params.query.strip(), SYMBOL_KINDS, MAX_SYMBOLS)
        if key_of(match.artifact) != (Kind.PAGE, STARTER_PAGE)
    ]
    matches.sort(key=lambda match: (*match[:2], match[2].id))
    return [_symbol(server, artifact, served) for *_, artifact, served in matches]


def _symbol(server: Sidecar, artifact: Artifact, served: Served) -> lsp.SymbolInformation:
    at = server.uris()(served.collection.root / KB_DIRNAME / artifact.path)
    start = lsp.Position(0, 0)
    said = getattr(artifact, "name", None) or getattr(artifact, "title", None) or text_of(artifact)
    return lsp.SymbolInformation(
        location=lsp.Location(at, lsp.Range(start, start)),
        name=clip(one_line(said), SYMBOL_CHARS) or artifact.id,
        kind=SYMBOLS[key_of(artifact)[0]],
        container_name=artifact.id,
    )
