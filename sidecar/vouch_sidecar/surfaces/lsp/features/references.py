"""Finds references. For an id in a file below `.vouch/`: all places with this id. For an entity's
name in any document: the entity's claims, and the places in open documents that name it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice

from lsprotocol import types as lsp

from vouch_sidecar.engine import Served
from vouch_sidecar.engine.question_queue import in_turn
from vouch_sidecar.kb.records import Evidence, Kind, key_of
from vouch_sidecar.kb.references import references, scalars
from vouch_sidecar.surfaces.lsp.ids import ArtifactFiles, NamedId, id_at
from vouch_sidecar.surfaces.lsp.mentions import find, places_naming
from vouch_sidecar.surfaces.lsp.server import Sidecar

MAX_CITING = 500
"""Files in one answer."""
MAX_FILES_READ = 80
"""Files read for one answer; in others the reference is reported at the first line."""
TOP = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))


def register(server: Sidecar) -> None:
    """Answer `textDocument/references`."""
    server.on(lsp.TEXT_DOCUMENT_REFERENCES, partial(_references, server))


async def _references(server: Sidecar, params: lsp.ReferenceParams) -> list[lsp.Location] | None:
    uri, position = params.text_document.uri, params.position
    declared = params.context.include_declaration
    at_id = id_at(server, uri, position)
    if at_id is not None:
        files = ArtifactFiles(server, at_id.file.served)
        return await in_turn(server.caller.asker, lambda: _once(_of_id(files, at_id, declared)))
    mention = find(server, uri, position)
    if mention is None or (mention.in_code and not server.answers_in_code):
        return None
    entities = [
        (served, entity_id, ArtifactFiles(server, served), _in_open(server, served, entity_id))
        for served, entity_id in mention.entities
    ]
    return await in_turn(
        server.caller.asker,
        lambda: _once(
            place
            for served, entity_id, files, in_open in entities
            for place in (*_of_entity(files, served, entity_id, declared), *in_open)
        ),
    )


def _in_open(server: Sidecar, served: Served, entity_id: str) -> list[lsp.Location]:
    """The places in open documents that name an entity."""
    return [
        lsp.Location(document.uri, document.range_of(start, end))
        for document, start, end in places_naming(server, served, entity_id)
    ]


def _of_id(files: ArtifactFiles, at_id: NamedId, declared: bool) -> Iterator[lsp.Location]:
    served, reference, artifact = at_id.file.served, at_id.reference, at_id.artifact
    kinds = reference.kinds if artifact is None else (key_of(artifact)[0],)
    if declared and artifact is not None:
        yield from _places(files, artifact.path, artifact.id, kinds, own=True)
    yield from _naming(files, served, reference.text, kinds)


def _naming(
    files: ArtifactFiles, served: Served, artifact_id: str, kinds: tuple[Kind, ...]
) -> Iterator[lsp.Location]:
    """The places with an id; for a source also those that cite its evidence."""
    for number, artifact in enumerate(islice(served.view.visible.citing(artifact_id), MAX_CITING)):
        if number < MAX_FILES_READ:
            yield from _places(files, artifact.path, artifact_id, kinds)
        else:
            yield lsp.Location(files.uri(artifact.path), TOP)
        if isinstance(artifact, Evidence) and kinds == (Kind.SOURCE,):
            yield from _naming(files, served, artifact.id, (Kind.EVIDENCE,))


def _places(
    files: ArtifactFiles, path: str, artifact_id: str, kinds: tuple[Kind, ...], own: bool = False
) -> Iterator[lsp.Location]:
    document = files.open(path)
    if document is None and files.are_too_large:
        yield lsp.Location(files.uri(path), TOP)
    if document is None or artifact_id not in document.source:
        return
    for reference in references(path, document.source):
        wanted = reference.text == artifact_id and (reference.field == "id") == own
        if wanted and not set(kinds).isdisjoint(reference.kinds):
            yield lsp.Location(document.uri, document.range_of(reference.start, reference.end))


def _of_entity(
    files: ArtifactFiles, served: Served, entity_id: str, declared: bool
) -> Iterator[lsp.Location]:
    entity = served.view.visible.entity(entity_id)
    if declared and entity is not None:
        yield from _places(files, entity.path, entity_id, (Kind.ENTITY,), own=True)
    for number, claim in enumerate(served.view.visible.best_claims(entity_id, MAX_CITING)):
        document = files.open(claim.path) if number < MAX_FILES_READ else None
        if document is None:
            if number >= MAX_FILES_READ or files.are_too_large:
                yield lsp.Location(files.uri(claim.path), TOP)
            continue
        text = next((scalar for scalar in scalars(document.source) if scalar.field == "text"), None)
        start, end = (text.start, text.end) if text is not None else (0, 0)
        yield lsp.Location(document.uri, document.range_of(start, end))


def _once(locations: Iterable[lsp.Location]) -> list[lsp.Location]:
    """The locations without duplicates, in order."""
    places = {
        (location.uri, location.range.start.line, location.range.start.character): location
        for location in locations
    }
    return list(places.values())
