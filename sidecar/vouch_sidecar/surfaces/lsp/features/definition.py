"""Goes from an entity's name in any document, by default not in code, to the entity's file; from an
id in a file below `.vouch/` to its artifact's file, or to the cited document of a source.
"""

from __future__ import annotations

from lsprotocol import types as lsp

from vouch_sidecar.engine import Served
from vouch_sidecar.kb.records import Artifact, Kind, key_of
from vouch_sidecar.operations.artifacts import ArtifactViews
from vouch_sidecar.surfaces.lsp.at_position import artifact_at, entities_at
from vouch_sidecar.surfaces.lsp.documents import path_of
from vouch_sidecar.surfaces.lsp.server import Sidecar


def definition(server: Sidecar, params: lsp.DefinitionParams) -> list[lsp.Location] | None:
    uri, position = params.text_document.uri, params.position
    if (document := server.document(uri)) is None:
        return None
    if (at := artifact_at(server, document, position)) is not None:
        return _locations(server, [_target(served, artifact) for served, artifact in at.named])
    where = server.engine.registry.settings.definition.enabled
    mention = entities_at(server.engine.serving(server.caller_for(uri)), document, position)
    if mention is None or where == "off" or (mention.in_code and where == "prose"):
        return None
    entities = (
        (served, served.view.visible.entity(entity_id)) for served, entity_id in mention.named
    )
    return _locations(server, [_target(served, entity) for served, entity in entities if entity])


def _target(served: Served, artifact: Artifact) -> str:
    """The URI to go to: the document of a source or of evidence, with the line as a fragment such
    as `#L12`, else the artifact's file.
    """
    views = ArtifactViews(served.view)
    if key_of(artifact)[0] in (Kind.SOURCE, Kind.EVIDENCE):
        cited = views.citation(artifact.id)
        return cited.document or cited.uri or views.uri(artifact.path)
    return views.uri(artifact.path)


def _locations(server: Sidecar, targets: list[str]) -> list[lsp.Location]:
    """The locations of URIs with lines, in the client's spelling; those of files alone."""
    locations = []
    for target in targets:
        address, _, line = target.partition("#L")
        if (path := path_of(address)) is not None:
            start = lsp.Position(int(line) - 1 if line.isdecimal() else 0, 0)
            locations.append(lsp.Location(server.uris()(path), lsp.Range(start, start)))
    return locations
