"""From an entity's name in any document to the entity's file; by default not from code."""

from __future__ import annotations

from functools import partial

from lsprotocol import types as lsp

from vouch_sidecar.kb.settings import Definition
from vouch_sidecar.surfaces.lsp.mentions import find
from vouch_sidecar.surfaces.lsp.paths import path_of
from vouch_sidecar.surfaces.lsp.server import Sidecar

__all__ = ["register"]

TOP = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))


def register(server: Sidecar) -> None:
    """Answer `textDocument/definition`."""
    server.on(lsp.TEXT_DOCUMENT_DEFINITION, partial(_definition, server))


def _definition(server: Sidecar, params: lsp.DefinitionParams) -> list[lsp.Location] | None:
    where = _settings(server).enabled
    found = find(server, params) if where != "off" else None
    if found is None or (found.in_code and where == "prose"):
        return None
    paths = (path_of(card.entity.uri) for card in found.cards)
    uri_for = server.uris()
    return [lsp.Location(uri=uri_for(path), range=TOP) for path in paths if path is not None]


def _settings(server: Sidecar) -> Definition:
    """The client's: no knowledge base decides on definitions."""
    found = (one.settings.definition for one in server.engine.collections.values())
    return next(found, Definition())
