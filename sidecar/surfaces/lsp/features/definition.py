"""From an entity's name in any document to the entity's file."""

from __future__ import annotations

from functools import partial

from lsprotocol import types as lsp

from sidecar.surfaces.lsp.mentions import find
from sidecar.surfaces.lsp.server import Sidecar

__all__ = ["register"]

TOP = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))


def register(server: Sidecar) -> None:
    """Answer `textDocument/definition`."""
    server.on(lsp.TEXT_DOCUMENT_DEFINITION, partial(_definition, server))


def _definition(server: Sidecar, params: lsp.DefinitionParams) -> list[lsp.Location] | None:
    found = find(server, params)
    if found is None:
        return None
    return [lsp.Location(uri=card.entity.uri, range=TOP) for card in found.cards]
