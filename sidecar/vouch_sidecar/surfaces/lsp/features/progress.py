"""Shows the progress of long work: a first index, many vectors."""

from __future__ import annotations

import uuid

import anyio
from lsprotocol import types as lsp

from vouch_sidecar.operations.readiness import indexed
from vouch_sidecar.surfaces.lsp.server import Sidecar

NOTICED = 0.5
"""Seconds after which progress of an index is shown."""


def register(server: Sidecar) -> None:
    """Show progress in clients that can show it."""

    def start() -> None:
        if server.capability("window.work_done_progress"):
            server.spawn(_show_index(server))
            server.spawn(_show_vectors(server))

    server.on_start.append(start)


async def _show_index(server: Sidecar) -> None:
    await indexed(server.engine, NOTICED)
    if not server.engine.registry.has_looked:
        token = await _begin(server, "Indexing the knowledge base")
        await indexed(server.engine)
        server.work_done_progress.end(token, lsp.WorkDoneProgressEnd())


async def _begin(server: Sidecar, title: str) -> str:
    """Start showing progress. Returns the token. Raises JsonRpcException if the client refuses."""
    token = uuid.uuid4().hex
    await server.work_done_progress.create_async(token)
    server.work_done_progress.begin(token, lsp.WorkDoneProgressBegin(title=title))
    return token


async def _show_vectors(server: Sidecar) -> None:
    """Show progress whenever the engine makes many vectors."""
    embeddings, progress = server.engine.embeddings, server.work_done_progress
    if embeddings is None:
        return
    changed, token = anyio.Event(), None
    embeddings.on_progress.add(lambda: changed.set())
    while True:
        await changed.wait()
        changed, now = anyio.Event(), embeddings.progress
        if now is not None:
            token = token or await _begin(server, "Reading for meaning")
            said, percentage = f"{now.done:,} of {now.total:,} texts", 100 * now.done // now.total
            progress.report(token, lsp.WorkDoneProgressReport(message=said, percentage=percentage))
        elif token is not None:
            progress.end(token, lsp.WorkDoneProgressEnd())
            token = None
