"""Highlights all places in a document that name the same entity or contain the same id."""

from __future__ import annotations

from functools import partial

from lsprotocol import types as lsp

from vouch_sidecar.surfaces.lsp.ids import id_at
from vouch_sidecar.surfaces.lsp.mentions import find, places_naming
from vouch_sidecar.surfaces.lsp.server import Sidecar


def register(server: Sidecar) -> None:
    """Answer `textDocument/documentHighlight`."""
    server.on(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, partial(_highlights, server))


def _highlights(
    server: Sidecar, params: lsp.DocumentHighlightParams
) -> list[lsp.DocumentHighlight] | None:
    uri, position = params.text_document.uri, params.position
    named = id_at(server, uri, position)
    if named is not None:
        file, wanted = named.file, named.reference.text
        places = [(one.start, one.end) for one in file.references() if one.text == wanted]
        document = file.document
    else:
        found, there = find(server, uri, position), server.documents.find(uri)
        if found is None or there is None or (found.in_code and not server.answers_in_code):
            return None
        document = there
        places = [
            (start, end)
            for served, entity_id in found.entities
            for _, start, end in places_naming(server, served, entity_id, there)
        ]
    ranges = (document.range_of(start, end) for start, end in sorted(set(places)))
    return [lsp.DocumentHighlight(range=one, kind=lsp.DocumentHighlightKind.Text) for one in ranges]
