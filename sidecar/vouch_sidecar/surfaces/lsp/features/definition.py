"""Goes from an entity's name in any document, by default not in code, to the entity's file; from an
id in a file below `.vouch/` to its artifact's file, or to the cited document of a source.
"""

from __future__ import annotations

from functools import partial

from lsprotocol import types as lsp

from vouch_sidecar.operations.artifacts import ArtifactViews
from vouch_sidecar.surfaces.lsp.ids import id_at, location, target_uri
from vouch_sidecar.surfaces.lsp.mentions import find
from vouch_sidecar.surfaces.lsp.server import Sidecar


def register(server: Sidecar) -> None:
    """Answer `textDocument/definition`."""
    server.on(lsp.TEXT_DOCUMENT_DEFINITION, partial(_definition, server))


def _definition(server: Sidecar, params: lsp.DefinitionParams) -> list[lsp.Location] | None:
    uri, position = params.text_document.uri, params.position
    at_id = id_at(server, uri, position)
    if at_id is not None and at_id.artifact is not None:
        target = location(server, target_uri(at_id.file, at_id.artifact))
        return None if target is None else [target]
    where = server.settings.definition.enabled
    mention = find(server, uri, position) if where != "off" else None
    if mention is None or (mention.in_code and where == "prose"):
        return None
    targets = (
        location(server, ArtifactViews(kb.view, kb.collection.root).uri(entity.path))
        for kb, entity_id in mention.named
        if (entity := kb.view.visible.entity(entity_id)) is not None
    )
    return [target for target in targets if target is not None]
