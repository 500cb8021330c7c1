"""Ids in a file below `.vouch/` as links to what they name."""

from __future__ import annotations

from functools import partial
from itertools import islice

from lsprotocol import types as lsp

from vouch_sidecar.surfaces.lsp.ids import client_uri, file_at, target_uri
from vouch_sidecar.surfaces.lsp.server import Sidecar

__all__ = ["register"]

MAX_LINKS = 500


def register(server: Sidecar) -> None:
    """Answer `textDocument/documentLink`."""
    server.on(lsp.TEXT_DOCUMENT_DOCUMENT_LINK, partial(_links, server))


def _links(server: Sidecar, params: lsp.DocumentLinkParams) -> list[lsp.DocumentLink] | None:
    if (file := file_at(server, params.text_document.uri)) is None:
        return None
    named = (one for one in file.references() if one.field != "id")
    return [
        lsp.DocumentLink(
            range=file.document.range_of(one.start, one.end),
            target=client_uri(server, target_uri(file, artifact)),
        )
        for one in islice(named, MAX_LINKS)
        if (artifact := file.resolve(one)) is not None
    ]
