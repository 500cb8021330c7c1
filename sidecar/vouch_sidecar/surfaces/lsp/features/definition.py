"""Goes from an entity's name in any document, by default not in code, to the entity's file; from an
id in a file below `.vouch/` to its artifact's file, or to the cited document of a source.
"""

from __future__ import annotations

from lsprotocol import types as lsp

from vouch_sidecar.kb.records import key_of
from vouch_sidecar.kb.references import CITED
from vouch_sidecar.operations.artifacts import citation, uri_of
from vouch_sidecar.surfaces.lsp.at_position import artifact_at, entities_at, spot_of
from vouch_sidecar.surfaces.lsp.documents import local_path
from vouch_sidecar.surfaces.lsp.server import Sidecar


def definition(server: Sidecar, params: lsp.DefinitionParams) -> list[lsp.Location] | None:
    if (spot := spot_of(server, params.text_document.uri, params.position)) is None:
        return None
    if (place := artifact_at(server, *spot)) is None:
        registry, caller = server.engine.registry, server.caller_for(params.text_document.uri)
        place = entities_at(registry.serving(caller), *spot)
        if place is None or not place.is_answered(registry.settings.definition.enabled):
            return None
    locations = []
    for served, artifact in place.named:
        target = uri_of(served.view, artifact.path)
        if key_of(artifact)[0] in CITED:
            cited = citation(served.view, artifact.id)
            target = cited.document or cited.uri or target
        address, _, line = target.partition("#L")
        if local_path(address) is not None:
            start = lsp.Position(int(line) - 1 if line.isdecimal() else 0, 0)
            locations.append(lsp.Location(address, lsp.Range(start, start)))
    return locations
