"""Finds entities, claims and pages of all knowledge bases by name, title or id."""

from __future__ import annotations

from functools import partial

from lsprotocol import types as lsp

from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.records import Artifact, Kind, is_starter, key_of
from vouch_sidecar.kb.sanitize import clip, one_line
from vouch_sidecar.operations.call import ready
from vouch_sidecar.retrieval.line import text_of
from vouch_sidecar.retrieval.lookup import prefix_search
from vouch_sidecar.surfaces.lsp.server import Sidecar

SYMBOLS = {
    Kind.ENTITY: lsp.SymbolKind.Class,
    Kind.PAGE: lsp.SymbolKind.File,
    Kind.CLAIM: lsp.SymbolKind.Constant,
}
MAX_SYMBOLS = 40
SYMBOL_CHARS = 120


async def symbols(
    server: Sidecar, params: lsp.WorkspaceSymbolParams
) -> list[lsp.SymbolInformation]:
    """Exact names first, then names that begin with the query, then those that hold it."""
    engine = server.engine
    found = await ready(engine, frozenset(), partial(engine.registry.serving, server.caller))
    kinds, uri_for, query = list(SYMBOLS), server.uris(), params.query.strip()
    with engine.breath:
        matches = [
            (fits, kinds.index(key_of(artifact)[0]), artifact.id, artifact, served.collection.root)
            for served in found
            for fits, artifact in prefix_search(served.view, query, kinds, MAX_SYMBOLS)
            if not is_starter(artifact)
        ]
    return [
        _symbol(artifact, uri_for(root / KB_DIRNAME / artifact.path))
        for *_, artifact, root in sorted(matches, key=lambda match: match[:3])
    ]


def _symbol(artifact: Artifact, uri: str) -> lsp.SymbolInformation:
    start = lsp.Position(0, 0)
    return lsp.SymbolInformation(
        location=lsp.Location(uri, lsp.Range(start, start)),
        name=clip(one_line(text_of(artifact)), SYMBOL_CHARS) or artifact.id,
        kind=SYMBOLS[key_of(artifact)[0]],
        container_name=artifact.id,
    )
