"""Links ids in files below `.vouch/` to the files of their artifacts."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from lsprotocol import types as lsp

from vouch_sidecar.engine.question_queue import in_turn
from vouch_sidecar.surfaces.lsp.ids import File, client_uri, file_at, target_uri
from vouch_sidecar.surfaces.lsp.server import Sidecar

MAX_LINKS = 500


def register(server: Sidecar) -> None:
    """Answer `textDocument/documentLink`."""
    server.on(lsp.TEXT_DOCUMENT_DOCUMENT_LINK, partial(_links, server))


async def _links(server: Sidecar, params: lsp.DocumentLinkParams) -> list[lsp.DocumentLink] | None:
    if (file := file_at(server, params.text_document.uri)) is None:
        return None
    file = replace(file, document=copy(file.document))  # it may be edited meanwhile
    return await in_turn(server.caller.asker, partial(_links_in, file, server.uris()))


def _links_in(file: File, uri_for: Callable[[Path], str]) -> list[lsp.DocumentLink]:
    references = (reference for reference in file.references() if reference.field != "id")
    return [
        lsp.DocumentLink(
            range=file.document.range_of(reference.start, reference.end),
            target=client_uri(uri_for, target_uri(file, artifact)),
        )
        for reference in islice(references, MAX_LINKS)
        if (artifact := file.resolve(reference)) is not None
    ]
