"""Goes from an entity's name in any document, by default not in code, to the entity's file; from an
id in a file below `.vouch/` to its artifact's file, or to the cited document of a source.
"""

from __future__ import annotations

from functools import partial

from lsprotocol import types as lsp

from vouch_sidecar.operations.artifacts import ArtifactViews
from vouch_sidecar.surfaces.lsp.ids import artifact_at
from vouch_sidecar.surfaces.lsp.mentions import entities_at
from vouch_sidecar.surfaces.lsp.paths import path_of
from vouch_sidecar.surfaces.lsp.server import Sidecar


def register(server: Sidecar) -> None:
    """Answer `textDocument/definition`."""
    server.on(lsp.TEXT_DOCUMENT_DEFINITION, partial(_definition, server))


def _definition(server: Sidecar, params: lsp.DefinitionParams) -> list[lsp.Location] | None:
    uri, position = params.text_document.uri, params.position
    if (named := artifact_at(server, uri, position)) is not None:
        return _locations(server, [named.target])
    document, where = server.documents.find(uri), server.settings.definition.enabled
    if document is None or where == "off":
        return None
    mention = entities_at(server.engine.serving(server.caller_for(uri)), document, position)
    if mention is None or (mention.in_code and where == "prose"):
        return None
    targets = [
        ArtifactViews(kb.view).uri(entity.path)
        for kb, entity_id in mention.named
        if (entity := kb.view.visible.entity(entity_id)) is not None
    ]
    return _locations(server, targets)


def _locations(server: Sidecar, targets: list[str]) -> list[lsp.Location]:
    """The locations of URIs with lines, in the client's spelling; those of files alone."""
    locations = []
    for target in targets:
        address, _, line = target.partition("#L")
        if (path := path_of(address)) is not None:
            start = lsp.Position(int(line) - 1 if line.isdecimal() else 0, 0)
            locations.append(lsp.Location(server.uris()(path), lsp.Range(start, start)))
    return locations
